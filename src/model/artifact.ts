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
  readonly name: string
  readonly version: string
  readonly resources: readonly ComponentResource[]
  /** What tells its references to other versions apart. */
  readonly references: readonly Readonly<Record<string, string>>[]
  /** Identifies its repository when credentials are looked for; absent where none are needed. */
  readonly consumer?: Readonly<Record<string, string>>
  /** The bytes of a document among its resources, verified. */
  document(resource: ComponentResource): Promise<Uint8Array>
  /** The image that a resource is: where an engine finds it, and what exactly. What lies with the component is kept. */
  image(resource: ComponentResource): Promise<{ readonly reference: string; readonly digest: string }>
  /** The version that the reference of exactly this identity means; undefined: there is no such reference. */
  referenced(identity: Readonly<Record<string, string>>): Promise<ComponentArtifact | undefined>
  /** Keeps it and all it references as one transport archive (tgz). Answers the digest of that. */
  transport(): Promise<string>
}

export interface ComponentResource {
  readonly name: string
  readonly version: string
  readonly type: string
  readonly extraIdentity: Readonly<Record<string, string>>
  /** What tells it from all others of its component. */
  readonly identity: Readonly<Record<string, string>>
}
