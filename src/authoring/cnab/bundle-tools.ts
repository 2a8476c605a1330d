/** Bundles on their way: opened wherever they are, published to registries, packed into archives, copied and relocated. */
import { resolve } from 'node:path'
import type { ArtifactStore } from '../../artifacts/index.ts'
import {
  archivePlaces,
  type BundleImage,
  type BundleSource,
  bundleImagesOf,
  bundleIndexOf,
  configBlobOf,
  configManifestsOf,
  findBundle,
  flattenedName,
  type OciEntry,
  type Relocation,
  relocated,
  withImageFacts,
} from '../../contracts/cnab/index.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { fail, failAll, toProblem } from '../../model/problem.ts'

export interface BundleWish {
  readonly reference: string
  /** Where images are instead of where the bundle says; any reference the store understands. */
  readonly relocation?: Relocation
  readonly signal: AbortSignal
  progress(text: string): void
}

export interface OpenBundle {
  /** Of what the reference names: a document, an archive, an index. */
  readonly digest: string
  readonly source: BundleSource
  readonly document: JsonObject
}

/** Opens a bundle, whatever it came in. Problems: cnab.bundle.not-a-bundle, cnab.image.digest, those of opening. */
export async function openBundle(artifacts: ArtifactStore, wish: BundleWish): Promise<OpenBundle> {
  const artifact = await artifacts.open(wish.reference, wish.signal)
  try {
    const found = await findBundle(artifact)
    const document = found && documentOf(found.bytes)
    if (found === undefined || document === undefined)
      return fail('cnab.bundle.not-a-bundle', undefined, { where: { source: wish.reference } })
    failAll(found.problems)
    // Images are named by the digest of their archive, so that its file may go.
    if (found.thick) await artifacts.keep(wish.reference, wish.signal)
    const source = wish.relocation === undefined ? found : relocated(found, wish.relocation)
    return { digest: artifact.digest, source, document }
  } finally {
    if ('close' in artifact) await artifact.close()
  }
}

function documentOf(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    return isObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

export interface PublishWish extends BundleWish {
  /** A repository; without a tag the version of the bundle becomes one. */
  readonly to: string
  /** Replace what the tag names. */
  readonly force: boolean
}

export interface Published {
  readonly reference: string
  readonly digest: string
}

/** Pushes the images into the bundle's repository, and the bundle on top. Problems: cnab.tag.taken, cnab.index.invalid, registry.*. */
export async function publishBundle(artifacts: ArtifactStore, wish: PublishWish): Promise<Published> {
  const { source, document } = await openBundle(artifacts, wish)
  const to = taggedFor(wish.to, document)
  if (!wish.force) await refuseTaken(artifacts, to, wish.signal)
  const images = bundleImagesOf(document)
  const { signal, progress } = wish
  const { digest } = await artifacts.publish({
    to,
    images: images.map((image) => source.placeOf(image).reference),
    documents: (placed) => documentsFor(document, { images, placed, repository: repositoryOf(to) }),
    signal,
    progress,
  })
  return { reference: to, digest }
}

interface Placed {
  readonly images: readonly BundleImage[]
  readonly placed: readonly OciEntry[]
  readonly repository: string
}

function documentsFor(document: JsonObject, at: Placed): Parameters<Documents>[0] {
  const { images, placed, repository } = at
  const bundle = withFacts(document, images, placed)
  const blob = configBlobOf(bundle)
  const relocation = Object.fromEntries(
    images.map(({ image }, i) => [image, `${repository}@${placed[i]?.digest ?? ''}`]),
  )
  return {
    blob,
    manifests: configManifestsOf(blob),
    index: (configManifest) => {
      const made = bundleIndexOf({ bundle, relocation, repository, configManifest })
      if (made.kind === 'refused') failAll(made.problems)
      return made.documents
    },
  }
}

type Documents = (documents: ReturnType<Parameters<ArtifactStore['publish']>[0]['documents']>) => void

/** Problems: cnab.image.digest, where the bundle demands another image than was found. */
function withFacts(
  document: JsonObject,
  images: readonly BundleImage[],
  placed: readonly OciEntry[],
): JsonObject {
  return withImageFacts(document, (image) => {
    const found = placed[images.findIndex(({ pointer }) => pointer === image.pointer)]
    if (found === undefined) return fail('cnab.image.digest', image.image)
    const { contentDigest } = image
    if (contentDigest === undefined || contentDigest === found.digest) return found
    const detail = `content digest mismatch: image ${image.image} has digest ${found.digest} but the digest should be ${contentDigest} according to the bundle manifest`
    return fail('cnab.image.digest', detail, { where: { pointer: image.pointer } })
  })
}

/** Tools of the ecosystem put a "v" before versions. */
function taggedFor(to: string, document: JsonObject): string {
  const whole = to.startsWith('docker://') ? to : `docker://${to}`
  if (/:[\w][\w.-]*$/.test(whole.slice(whole.lastIndexOf('/')))) return whole
  return `${whole}:v${String(document['version'] ?? '')
    .replace(/^v/, '')
    .replaceAll('+', '_')}`
}

function repositoryOf(reference: string): string {
  return reference.replace(/^docker:\/\//, '').replace(/:[\w][\w.-]*$/, '')
}

async function refuseTaken(artifacts: ArtifactStore, to: string, signal: AbortSignal): Promise<void> {
  const there = await artifacts.describe(to, signal).catch((error: unknown) => {
    if (toProblem(error).code === 'artifact.not-found') return undefined
    throw error
  })
  if (there !== undefined) fail('cnab.tag.taken', to)
}

export interface ArchiveWish extends BundleWish {
  /** Absent: named after the bundle, in this folder. */
  readonly to?: string
  /** Without images. */
  readonly thin: boolean
  readonly compression: NonNullable<Parameters<ArtifactStore['pack']>[0]['compression']>
}

/** Packs a bundle with its images. Problems: those of opening and of reading the images. */
export async function archiveBundle(artifacts: ArtifactStore, wish: ArchiveWish): Promise<string> {
  const { source, document } = await openBundle(artifacts, wish)
  const images = bundleImagesOf(document)
  const { signal, progress, thin, compression } = wish
  const files: Record<string, Uint8Array> = { [archivePlaces.bundle]: source.bytes }
  // Places on this machine mean nothing on the one where it is unpacked.
  const moved = Object.entries(source.relocation).filter(([, place]) => !isOnThisMachine(place))
  // Tools of the ecosystem refuse an archive without the map, and look images up by either name.
  files[archivePlaces.relocation] = Buffer.from(JSON.stringify(Object.fromEntries(moved)))
  if (!thin) {
    const placed: OciEntry[] = []
    for (const image of images) placed.push(await artifacts.describe(source.placeOf(image).reference, signal))
    const bundle = withFacts(document, images, placed)
    // What says everything already stays as it was written.
    if (images.some(({ contentDigest }) => contentDigest === undefined))
      files[archivePlaces.bundle] = configBlobOf(bundle)
  }
  const names = new Map(moved)
  return await artifacts.pack({
    to: resolve(wish.to ?? `${String(document['name'])}-${String(document['version'])}.tgz`),
    files,
    images: thin
      ? []
      : images.flatMap((image) => {
          const from = source.placeOf(image).reference
          return [...new Set([image.image, names.get(image.image) ?? image.image])].map((name) => ({
            from,
            name,
          }))
        }),
    compression,
    signal,
    progress,
  })
}

function isOnThisMachine(place: string): boolean {
  return /^(?:oci|oci-archive|docker-archive|kept):/.test(place)
}

export interface CopyWish {
  readonly from: string
  /** A whole reference; without a tag a registry or a folder of one. */
  readonly to: string
  readonly force: boolean
  readonly signal: AbortSignal
  progress(text: string): void
}

/** Copies a published bundle with everything it has, bytes as they are. Problems: cnab.bundle.not-a-bundle, cnab.tag.taken, registry.*. */
export async function copyBundle(artifacts: ArtifactStore, wish: CopyWish): Promise<Published> {
  const to = destinationOf(wish)
  await openBundle(artifacts, { ...wish, reference: wish.from })
  if (!wish.force) await refuseTaken(artifacts, to, wish.signal)
  const { signal, progress } = wish
  const { digest } = await artifacts.copy({ from: wish.from, to, referrers: true, signal, progress })
  return { reference: to, digest }
}

function destinationOf({ from, to }: CopyWish): string {
  const whole = to.startsWith('docker://') ? to : `docker://${to}`
  if (
    /[^/]:[\w][\w.-]*$/.test(whole.slice(whole.indexOf('/', 'docker://'.length) + 1)) &&
    whole.includes('/', 9)
  )
    return whole
  const [, name, tag] = /([^/:@]+)(?::([\w][\w.-]*))?(?:@[^@]*)?$/.exec(from) ?? []
  if (tag === undefined)
    return fail('usage.invalid', 'a source that is named by digest needs a destination with a tag')
  return `${whole.replace(/\/$/, '')}/${name}:${tag}`
}

export interface RelocateWish extends BundleWish {
  /** `host/folder`. */
  readonly prefix: string
}

/** Copies every image below a prefix and answers the relocation map. Problems: cnab.index.invalid, registry.*. */
export async function relocateBundle(artifacts: ArtifactStore, wish: RelocateWish): Promise<Relocation> {
  const { source, document } = await openBundle(artifacts, wish)
  const prefix = wish.prefix.replace(/^docker:\/\//, '').replace(/\/$/, '')
  const { signal, progress } = wish
  const relocation: Record<string, string> = {}
  for (const image of bundleImagesOf(document)) {
    const name = flattenedName(prefix, image.image)
    if (name === undefined) return fail('reference.invalid', image.image)
    const [place] = name.split('@')
    const { digest } = await artifacts.copy({
      from: source.placeOf(image).reference,
      to: `docker://${place}`,
      signal,
      progress,
    })
    relocation[image.image] = name.includes('@') ? `${place}@${digest}` : name
  }
  return relocation
}
