/** The two faces of whatever holds OCI content: one reads from it, one writes to it. */
import type { FileHandle } from 'node:fs/promises'
import type { Descriptor, Manifest } from './manifest.ts'

export interface Source {
  /** For messages; free of secrets. */
  readonly name: string
  /** Where it is on a registry, so that another repository there can be given its blobs without moving them. */
  readonly repository?: { readonly host: string; readonly repository: string }
  /** The manifest or index under a tag, name or digest, digest verified; undefined: there is none. */
  manifest(wanted: WantedManifest, signal: AbortSignal): Promise<Manifest | undefined>
  /** The digest that a tag has now, without its manifest; undefined: only the manifest tells. */
  digestNow?(tag: string, signal: AbortSignal): Promise<string | undefined>
  /** The bytes of a blob, not verified, from an offset if the place can do that. Problems: artifact.not-found. */
  blob(wanted: Descriptor, from: number, signal: AbortSignal): Promise<Stretch>
  /** How large a blob is, where a manifest does not tell. Problems: artifact.not-found. */
  sizeOf?(digest: string, signal: AbortSignal): Promise<number>
  /** The regular file of this machine that holds a blob and nothing else, where there is one; not verified, and the caller closes it. */
  file?(wanted: Descriptor): Promise<FileHandle | undefined>
  /** Manifests that name this digest as their subject. */
  referrers(digest: string, signal: AbortSignal): Promise<readonly Descriptor[]>
  close(): Promise<void>
}

/** Both: the digest decides. None: the only or default one. */
export interface WantedManifest {
  readonly name?: string
  readonly digest?: string
}

export interface Stretch {
  /** Where the bytes start: as asked, or 0 when the place cannot start in the middle. */
  readonly from: number
  readonly bytes: AsyncIterable<Uint8Array>
}

export interface Target {
  readonly name: string
  /** Whether this content is there already. */
  has(descriptor: Descriptor, signal: AbortSignal): Promise<boolean>
  writeBlob(descriptor: Descriptor, content: BlobContent, signal: AbortSignal): Promise<void>
  /** Writes exact bytes; what the manifest names must be there before. `name`: the tag it gets. */
  writeManifest(manifest: Manifest, name: string | undefined, signal: AbortSignal): Promise<void>
  /** Makes everything durable and visible. */
  finish(): Promise<void>
  /** Lets go without finishing, after a failure. */
  close(): Promise<void>
}

export interface BlobContent {
  /** May be called again when a transfer has to be repeated. */
  open(): AsyncIterable<Uint8Array>
  /** The file that holds it, for targets that copy faster from one; its bytes are not verified. */
  file?(): Promise<FileHandle | undefined>
  /** The repository on the same registry where the blob is, to be mounted from there. */
  readonly mountFrom?: { readonly host: string; readonly repository: string }
}
