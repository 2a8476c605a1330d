/** What a worker is asked to unpack, and what it tells about it. */
import type { ArchiveLimits } from '../limits.ts'
import type { Compression } from '../oci/media-types.ts'

export interface LayerOrder {
  /** The file with the (compressed) tar. */
  readonly blob: string
  readonly compression: Compression
  /** Digest the uncompressed tar must have. */
  readonly diffId: string
  /** An empty folder to unpack into. */
  readonly folder: string
  readonly limits: ArchiveLimits
  /** Whether owners can be set, which takes root. */
  readonly owners: boolean
  /** A character device 0/0 to link wherever a file of lower layers is deleted; absent: only noted. */
  readonly whiteout?: string
}

/** Paths are byte strings, relative to the layer, lowest folder first. */
export interface LayerNotes {
  readonly entries: number
  readonly bytes: number
  /** Deleted from the layers below. */
  readonly whiteouts: readonly string[]
  /** Folders that hide all that the layers below have in them. */
  readonly opaque: readonly string[]
  /** Folders the tar has no entry for: their attributes are those of the layers below. */
  readonly implicit: readonly string[]
  /** Devices and pipes left out: the engine brings its own /dev. */
  readonly skipped: readonly string[]
}
