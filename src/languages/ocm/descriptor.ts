/** What a component descriptor says, whichever of its serialisations it was written in. */
import type { Json, JsonObject } from '../../kit/json.ts'

/** What tells one element from another: its name and whatever else it says. */
export type Identity = Readonly<Record<string, string>>

export interface ComponentDescriptor {
  readonly schemaVersion: SchemaVersion
  readonly name: string
  readonly version: string
  readonly provider: { readonly name: string; readonly labels: readonly Label[] }
  readonly labels: readonly Label[]
  /** RFC 3339, as written. */
  readonly creationTime?: string
  /** Where the version has been, newest last. */
  readonly repositoryContexts: readonly JsonObject[]
  readonly resources: readonly Resource[]
  readonly sources: readonly Source[]
  readonly references: readonly Reference[]
  readonly signatures: readonly Signature[]
  readonly nestedDigests: readonly NestedDigest[]
}

export const schemaVersions = ['v2', 'ocm.software/v3alpha1'] as const
export type SchemaVersion = (typeof schemaVersions)[number]

export interface Element {
  readonly name: string
  readonly version: string
  readonly extraIdentity: Identity
  readonly labels: readonly Label[]
}

export interface Resource extends Element {
  readonly type: string
  /** Whether it has the same origin as the component; says nothing about where its bytes are. */
  readonly relation: 'local' | 'external'
  readonly access: Access
  readonly sourceReferences: readonly JsonObject[]
  readonly digest?: Digest
}

export interface Source extends Element {
  readonly type: string
  readonly access: Access
}

export interface Reference extends Element {
  readonly componentName: string
  readonly digest?: Digest
}

/** Where content is; unknown types are kept as they are. */
export type Access = JsonObject & { readonly type: string }

export interface Label {
  readonly name: string
  readonly value: Json
  readonly version?: string
  /** As written: some tools write the text "true". */
  readonly signing?: Json
  readonly merge?: JsonObject
}

export interface Digest {
  readonly hashAlgorithm: string
  readonly normalisationAlgorithm: string
  readonly value: string
}

export interface Signature {
  readonly name: string
  readonly digest: Digest
  readonly signature: SignatureValue
  readonly timestamp?: JsonObject
}

export interface SignatureValue {
  readonly algorithm: string
  readonly value: string
  readonly mediaType: string
  readonly issuer?: string
}

export interface NestedDigest {
  readonly name: string
  readonly version: string
  readonly digest?: Digest
  readonly resourceDigests: readonly {
    readonly name: string
    readonly version: string
    readonly extraIdentity: Identity
    readonly digest: Digest
  }[]
}

/** The name of an access method without its version: `localBlob` of `localBlob/v1`. */
export function accessType({ type }: Access): string {
  const slash = type.lastIndexOf('/')
  const plain = slash < 0 ? type : type.slice(0, slash)
  return accessNames[plain] ?? plain
}

/** Every spelling that occurs, by the name used here. */
const accessNames: Readonly<Record<string, string>> = {
  LocalBlob: 'localBlob',
  ociRegistry: 'ociArtifact',
  ociImage: 'ociArtifact',
  OCIImage: 'ociArtifact',
  OCIArtifact: 'ociArtifact',
  OCIImageLayer: 'ociBlob',
  github: 'gitHub',
  GitHub: 'gitHub',
  None: 'none',
}
