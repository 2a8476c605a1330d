/** What a package arrives in, and how to look inside; implemented by artifacts, asked by contracts. */
import type { JsonObject } from '../kit/json.ts'

export type Artifact = ImageArtifact | ArchiveArtifact | DocumentArtifact | ComponentArtifact

interface Resolved {
  /** As the operator wrote it. */
  readonly reference: string
  /** What it resolved to, once: `sha256:…`. */
  readonly digest: string
}

export interface ImageArtifact extends Resolved {
  readonly kind: 'image'
  /** The image's configuration document. */
  readonly config: ImageConfig
  /** Annotations of manifest and index. */
  readonly annotations: Readonly<Record<string, string>>
  /** Media type of the manifest or index that the reference names, and its parsed document. */
  readonly mediaType: string
  readonly manifest: JsonObject
  /** A blob or child manifest of this artifact by digest, verified. */
  blob(digest: string): Promise<Uint8Array | undefined>
}

export interface ImageConfig {
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly environment: readonly string[]
  readonly user: string
  readonly workingFolder: string
  /** Folders that are there in every run, though no layer may hold them. */
  readonly volumes: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly platform: { readonly os: string; readonly architecture: string }
}

/** A zip, tar or folder. */
export interface ArchiveArtifact extends Resolved {
  readonly kind: 'archive'
  readonly entries: readonly ArchiveEntry[]
  file(path: string): Promise<Uint8Array | undefined>
}

export interface ArchiveEntry {
  readonly path: string
  readonly bytes: number
  readonly mode: number
}

/** A single document, for example a bundle.json. */
export interface DocumentArtifact extends Resolved {
  readonly kind: 'document'
  readonly bytes: Uint8Array
}

/** A component version with its resources and references. */
export interface ComponentArtifact extends Resolved {
  readonly kind: 'component'
  readonly descriptor: JsonObject
  resource(identity: Readonly<Record<string, string>>): Promise<Uint8Array | undefined>
  /** A referenced component version, by the name of the reference. */
  referenced(name: string): Promise<ComponentArtifact | undefined>
}
