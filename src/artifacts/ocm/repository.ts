/** Where component versions lie, and a version that was found there. */
import type { ComponentDescriptor, RepositorySpec } from '../../languages/ocm/index.ts'
import type { ImageManifest } from '../oci/manifest.ts'
import type { Source } from '../oci/place.ts'

export interface ComponentRepository {
  /** For messages. */
  readonly name: string
  readonly spec: RepositorySpec
  /** A version of a component; undefined: there is none. Problems: ocm.descriptor.invalid, artifact.*, registry.*. */
  find(component: string, version: string, signal: AbortSignal): Promise<StoredVersion | undefined>
  /** The versions of a component, newest first. */
  versions(component: string, signal: AbortSignal): Promise<readonly string[]>
  /** The components there are; undefined where that cannot be known, as of a registry. */
  components(): readonly string[] | undefined
  close(): Promise<void>
}

export interface StoredVersion {
  readonly descriptor: ComponentDescriptor
  /** Names the descriptor and all that is stored with it. */
  readonly manifest: ImageManifest
  /** Where the blobs are that the manifest names. */
  readonly source: Source
  readonly repository: ComponentRepository
}

/** `component:version`, as messages and executors are told. */
export function versionName({ name, version }: Pick<ComponentDescriptor, 'name' | 'version'>): string {
  return `${name}:${version}`
}
