/** An access as it is being read: what it says, where it leads, and what content is. */
import { shorten } from '../../kit/text.ts'
import type { Access, RepositorySpec } from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import type { Descriptor } from '../oci/manifest.ts'
import type { Source, WantedManifest } from '../oci/place.ts'
import { parseReference, wantedOf } from '../reference.ts'
import { openRegistry } from '../registry/open-registry.ts'
import type { SourceOptions } from '../sources.ts'
import { type ComponentRepository, type StoredVersion, versionName } from './repository.ts'

/** Bytes, an OCI artifact, or nothing at all. */
export type Content =
  | {
      readonly kind: 'blob'
      readonly mediaType: string
      /** Where its digests are known before it is read. */
      readonly known?: Known
      open(): AsyncIterable<Uint8Array>
    }
  | {
      readonly kind: 'artifact'
      readonly source: Source
      readonly wanted: WantedManifest
      readonly name: string
    }
  | { readonly kind: 'none' }

/** What content consists of; opening it gives checked bytes. */
export interface Known {
  readonly pieces: readonly Descriptor[]
  /** Reads all of it, for nothing but the check. Problems: artifact.altered. */
  check(): Promise<void>
}

export interface ContentOptions extends SourceOptions {
  readonly signal: AbortSignal
  /** Opens another repository that an access leads to; closed with all others by the owner of this source. */
  openRepository(spec: RepositorySpec): Promise<ComponentRepository>
}

/** The type and the place of an access, for messages. */
export function describeAccess(access: Access): string {
  const keys = [
    'imageReference',
    'localReference',
    'ref',
    'reference',
    'url',
    'URL',
    'repoUrl',
    'repository',
    'helmRepository',
    'registry',
    'bucket',
    'bucketName',
    'path',
  ]
  const place = keys.map((key) => access[key]).find((value) => typeof value === 'string' && value !== '')
  return `${access.type}${typeof place === 'string' ? ` at ${shorten(place.replace(/\/\/[^/@]*@/, '//…@'), 200)}` : ''}`
}

/** An access that is being read. */
export interface Reader {
  readonly access: Access
  readonly version: StoredVersion
  readonly options: ContentOptions
}

/** A text that must be there, under the first of these names that is. Problems: ocm.access.invalid. */
export function text({ access, version }: Reader, ...keys: readonly string[]): string {
  const value = keys.map((key) => access[key]).find((one) => typeof one === 'string' && one !== '')
  if (typeof value === 'string') return value
  return fail('ocm.access.invalid', `${access.type} without "${keys[0]}"`, {
    where: { source: versionName(version.descriptor) },
  })
}

/** The media type that an access says. */
export function mediaTypeOf(access: Access): string {
  const { mediaType } = access
  return typeof mediaType === 'string' && mediaType !== '' ? mediaType : 'application/octet-stream'
}

/** Names without a host are Docker's. */
export function artifact(name: string, { options }: Reader): Content {
  const plain = name.replace(/^(?:oci|docker|https?):\/\//, '')
  const reference = parseReference(`docker://${plain}`, { defaultHost: 'docker.io' })
  if (reference.kind !== 'registry') return fail('ocm.access.invalid', shorten(name, 200))
  const source = openRegistry(reference, options)
  return { kind: 'artifact', source, wanted: wantedOf(reference), name: plain }
}
