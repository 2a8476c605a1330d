/** Component archives of earlier years: one version, its descriptor beside its blobs; read as if it lay in a repository. */
import { createHash } from 'node:crypto'
import { present } from '../../kit/present.ts'
import {
  type Access,
  accessType,
  type ComponentDescriptor,
  type RepositorySpec,
} from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { isDigest } from '../digest.ts'
import type { LayoutFiles } from '../oci/layout.ts'
import type { Descriptor } from '../oci/manifest.ts'
import type { Source } from '../oci/place.ts'
import { type LocalLayer, manifestOf } from './manifest-of.ts'
import { descriptorOf } from './read-version.ts'
import type { ComponentRepository, StoredVersion } from './repository.ts'

const descriptorFile = 'component-descriptor.yaml'

/** Whether these are the files of a component archive. */
export async function isComponentArchive(files: LayoutFiles): Promise<boolean> {
  return (await files.read(descriptorFile)) !== undefined
}

/** Opens one. Problems: ocm.repository.invalid, ocm.descriptor.invalid. */
export async function openComponentArchive(
  files: LayoutFiles,
  spec: RepositorySpec,
): Promise<ComponentRepository> {
  const bytes = await files.read(descriptorFile)
  if (bytes === undefined)
    return fail('ocm.repository.invalid', `${descriptorFile} is missing`, { where: { source: files.name } })
  const descriptor = descriptorOf(bytes, files.name)
  let made: Promise<StoredVersion> | undefined
  const repository: ComponentRepository = {
    name: files.name,
    spec,
    find: async (component, version) => {
      if (component !== descriptor.name || version !== descriptor.version) return undefined
      made ??= storedVersion(files, descriptor, repository)
      return await made
    },
    versions: (component) => Promise.resolve(component === descriptor.name ? [descriptor.version] : []),
    components: () => [descriptor.name],
    close: () => files.close(),
  }
  return repository
}

interface Found {
  readonly blob: Descriptor
  readonly path: string
}

async function storedVersion(
  files: LayoutFiles,
  given: ComponentDescriptor,
  repository: ComponentRepository,
): Promise<StoredVersion> {
  const found = new Map<string, Found>()
  const layers: LocalLayer[] = []
  const bring = async <
    T extends ComponentDescriptor['resources'][number] | ComponentDescriptor['sources'][number],
  >(
    element: T,
    kind: 'resource' | 'source',
  ): Promise<T> => {
    const name = fileOf(element.access)
    if (name === undefined) return element
    const { blob, path } = found.get(name) ?? (await measure(files, name, element.access))
    found.set(name, { blob, path })
    const { globalAccess } = element.access
    const access: Access = {
      type: 'localBlob',
      localReference: blob.digest,
      mediaType: blob.mediaType,
      ...present({ globalAccess }),
    }
    const changed = { ...element, access }
    layers.push({ blob, of: [{ kind, element: changed }] })
    return changed
  }
  const resources = []
  for (const resource of given.resources) resources.push(await bring(resource, 'resource'))
  const sources = []
  for (const source of given.sources) sources.push(await bring(source, 'source'))
  const descriptor = { ...given, resources, sources }
  const { manifest, documents } = manifestOf(descriptor, merged(layers))
  return { descriptor, manifest, repository, source: archiveSource(files, { manifest, documents, found }) }
}

/** A blob that several elements share is one layer. */
function merged(layers: readonly LocalLayer[]): readonly LocalLayer[] {
  const byDigest = new Map<string, LocalLayer>()
  for (const layer of layers) {
    const before = byDigest.get(layer.blob.digest)
    byDigest.set(
      layer.blob.digest,
      before === undefined ? layer : { ...before, of: [...before.of, ...layer.of] },
    )
  }
  return [...byDigest.values()]
}

/** The file of a local access; undefined for content that is elsewhere. */
function fileOf(access: Access): string | undefined {
  const kind = accessType(access)
  const name =
    kind === 'localFilesystemBlob'
      ? (access['fileName'] ?? access['filename'] ?? access['localReference'])
      : access['localReference']
  if (kind !== 'localBlob' && kind !== 'localFilesystemBlob') return undefined
  return typeof name === 'string' && name !== ''
    ? name
    : fail('ocm.access.invalid', `${access.type} names no file`)
}

async function measure(files: LayoutFiles, name: string, access: Access): Promise<Found> {
  const plain = isDigest(name) ? name.replace(':', '.') : name
  const where = { source: files.name }
  if (
    plain.startsWith('/') ||
    plain.includes('\0') ||
    plain.split('/').some((step) => step === '..' || step === '')
  )
    return fail('archive.path-unsafe', `the blob ${JSON.stringify(plain)}`, { where })
  const path = `blobs/${plain}`
  const bytes = await files.stream(path, 0)
  if (bytes === undefined) return fail('artifact.not-found', path, { where })
  const hash = createHash('sha256')
  let size = 0
  for await (const piece of bytes) {
    hash.update(piece)
    size += piece.byteLength
  }
  const digest = `sha256:${hash.digest('hex')}`
  const named = /^sha256[.:]([0-9a-f]{64})$/.exec(name)?.[1]
  if (named !== undefined && `sha256:${named}` !== digest)
    return fail('artifact.altered', `expected sha256:${named}, found ${digest}`, {
      where: { source: `${files.name}/${path}` },
    })
  const { mediaType } = access
  return {
    path,
    blob: {
      digest,
      size,
      mediaType: typeof mediaType === 'string' && mediaType !== '' ? mediaType : 'application/octet-stream',
    },
  }
}

interface Parts {
  readonly manifest: StoredVersion['manifest']
  readonly documents: ReadonlyMap<string, Uint8Array>
  readonly found: ReadonlyMap<string, Found>
}

function archiveSource(files: LayoutFiles, { manifest, documents, found }: Parts): Source {
  const paths = new Map([...found.values()].map(({ blob, path }) => [blob.digest, path]))
  return {
    name: files.name,
    manifest: ({ digest }) =>
      Promise.resolve(digest === undefined || digest === manifest.digest ? manifest : undefined),
    blob: async ({ digest }, from) => {
      const document = documents.get(digest)
      if (document !== undefined) return { from, bytes: once(document.subarray(from)) }
      const path = paths.get(digest)
      const bytes = path === undefined ? undefined : await files.stream(path, from)
      if (bytes !== undefined) return { from, bytes }
      return fail('artifact.not-found', `the blob ${digest}`, { where: { source: files.name } })
    },
    referrers: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
