/** Where a bundle is and where its images are: a document alone, an archive with or without images, an index in a registry. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { ArchiveArtifact, Artifact, ImageArtifact } from '../../model/artifact.ts'
import type { Problem } from '../../model/problem.ts'
import { sameImage, sameImageElsewhere } from './image-name.ts'
import { formatImageName, readImageName } from './images.ts'
import { type BundleImage, bundleImagesOf, configBlobIn, readBundleIndex, relocationOf } from './oci-form.ts'
import { signedText } from './signed.ts'

/** Every image of the bundle as it is spelt there, to the place to use instead. */
export type Relocation = Readonly<Record<string, string>>

/** In the words of the artifact store. */
export interface ImagePlace {
  readonly reference: string
  /** Absent where only looking there can tell. */
  readonly digest?: string
}

export interface BundleSource {
  /** The bundle.json as it was written. */
  readonly bytes: Uint8Array
  /** Empty: nothing was moved. */
  readonly relocation: Relocation
  /** Whether the images are in the archive. */
  readonly thick: boolean
  placeOf(image: BundleImage): ImagePlace
  readonly problems: readonly Problem[]
}

export const archivePlaces = {
  bundle: 'bundle.json',
  /** Of old tools; read first where it is there. */
  signed: 'bundle.cnab',
  relocation: 'relocation-mapping.json',
  layout: 'artifacts/layout',
} as const

/** Finds the bundle in whatever it came in; undefined: there is none in it. */
export async function findBundle(artifact: Artifact): Promise<BundleSource | undefined> {
  switch (artifact.kind) {
    case 'document':
      return elsewhere(artifact.bytes, {}, false)
    case 'archive':
      return await inArchive(artifact)
    case 'image':
      return await inRegistry(artifact)
    default:
      return undefined
  }
}

/** The same with places that the caller finds. */
export function relocated(source: BundleSource, relocation: Relocation): BundleSource {
  const merged = { ...source.relocation, ...relocation }
  return {
    ...source,
    relocation: merged,
    placeOf: (image) =>
      Object.hasOwn(relocation, image.image) ? placeInRegistry(image, merged) : source.placeOf(image),
  }
}

function elsewhere(bytes: Uint8Array, relocation: Relocation, thick: boolean): BundleSource {
  return {
    bytes,
    relocation,
    thick,
    placeOf: (image) => placeInRegistry(image, relocation),
    problems: [],
  }
}

/** References that are no names of images; a host may be called "oci", too, but has a port then. */
const transports = /^(?:docker:\/\/|(?:oci|oci-archive|docker-archive|kept):(?!\d+\/))/

/** Whether a place is told with its transport, as one on this machine is. */
export function isTransport(place: string): boolean {
  return transports.test(place)
}

/** By digest where the bundle knows one: a tag may have moved on. */
function placeInRegistry({ image, contentDigest }: BundleImage, relocation: Relocation): ImagePlace {
  const moved = Object.hasOwn(relocation, image) ? relocation[image] : undefined
  // A place on this machine, for authors that pack or publish what they have just built.
  if (moved !== undefined && isTransport(moved)) return { reference: moved }
  const name = readImageName(moved ?? image)
  if (name === undefined) return { reference: `docker://${moved ?? image}` }
  const digest = name.digest ?? contentDigest
  const reference = formatImageName(digest === undefined ? name : { ...name, digest })
  return { reference, ...present({ digest }) }
}

async function inArchive(archive: ArchiveArtifact): Promise<BundleSource | undefined> {
  const signed = await archive.file(archivePlaces.signed)
  const bytes = signed === undefined ? await archive.file(archivePlaces.bundle) : signedText(signed)
  if (bytes === undefined) return undefined
  const map = relocationIn(await archive.file(archivePlaces.relocation))
  const thick = archive.entries.some(({ path }) => path.startsWith('artifacts/'))
  const plain = { ...elsewhere(bytes, map.relocation, thick), problems: map.problems }
  const index = documentOf(await archive.file(`${archivePlaces.layout}/index.json`))
  if (index === undefined) return plain
  const blobs = new Set(archive.entries.map(({ path }) => path))
  const has = (digest: string): boolean =>
    blobs.has(`${archivePlaces.layout}/blobs/${digest.replace(':', '/')}`)
  const listed = entriesOf(index)
  return {
    ...plain,
    placeOf: (image) => {
      const digest = digestInLayout(image, { listed, has, relocation: map.relocation })
      if (digest === undefined) return plain.placeOf(image)
      return { reference: `kept:${archive.digest}@${digest}`, digest }
    },
    problems: [...map.problems, ...mismatches(bytes, { listed, has, relocation: map.relocation })],
  }
}

interface Layout {
  readonly listed: readonly { readonly name: string; readonly digest: string; readonly size: number }[]
  has(digest: string): boolean
  readonly relocation: Relocation
}

/** What the bundle demands, else what bears the name: as it is spelt, elsewhere, or where the image was moved to. */
function digestInLayout(image: BundleImage, layout: Layout): string | undefined {
  const { contentDigest } = image
  if (contentDigest !== undefined && layout.has(contentDigest)) return contentDigest
  return named(image, layout)
}

function named({ image }: BundleImage, { listed, relocation }: Layout): string | undefined {
  const moved = Object.hasOwn(relocation, image) ? relocation[image] : undefined
  const names = moved === undefined ? [image] : [moved, image]
  for (const same of [(a: string, b: string) => a === b, sameImage, sameImageElsewhere]) {
    for (const name of names) {
      const found = listed.find((entry) => same(entry.name, name))
      if (found) return found.digest
    }
  }
  return undefined
}

function mismatches(bytes: Uint8Array, layout: Layout): readonly Problem[] {
  return bundleImagesOf(documentOf(bytes) ?? {}).flatMap((image): readonly Problem[] => {
    const { contentDigest, pointer, size } = image
    const where = { source: archivePlaces.bundle, pointer }
    const demanded = layout.listed.find(({ digest }) => digest === contentDigest)
    if (demanded !== undefined && size !== undefined && demanded.size !== size) {
      const detail = `image ${image.image} has ${demanded.size} bytes but the size should be ${size} according to the bundle manifest`
      return [{ code: 'cnab.image.digest', detail, where }]
    }
    if (contentDigest === undefined || layout.has(contentDigest)) return []
    const found = named(image, layout)
    if (found === undefined) return []
    const detail = `content digest mismatch: image ${image.image} has digest ${found} but the digest should be ${contentDigest} according to the bundle manifest`
    return [{ code: 'cnab.image.digest', detail, where }]
  })
}

function entriesOf(index: JsonObject): Layout['listed'] {
  const { manifests } = index
  if (!Array.isArray(manifests)) return []
  return manifests.flatMap((entry) => {
    if (!isObject(entry)) return []
    const { digest, size, annotations } = entry
    const name = isObject(annotations) ? annotations['org.opencontainers.image.ref.name'] : undefined
    return typeof digest === 'string' && typeof name === 'string'
      ? [{ name, digest, size: Number(size) }]
      : []
  })
}

/** Reads a relocation map. */
export function relocationIn(bytes: Uint8Array | undefined): {
  readonly relocation: Relocation
  readonly problems: readonly Problem[]
} {
  if (bytes === undefined) return { relocation: {}, problems: [] }
  const map = documentOf(bytes)
  const pairs = Object.entries(map ?? {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  const isMap = map !== undefined && pairs.length === Object.keys(map).length
  const problem: Problem = {
    code: 'cnab.bundle.invalid',
    detail: 'it is no map of references',
    where: { source: archivePlaces.relocation },
  }
  return { relocation: Object.fromEntries(pairs), problems: isMap ? [] : [problem] }
}

async function inRegistry(artifact: ImageArtifact): Promise<BundleSource | undefined> {
  const index = readBundleIndex(artifact.manifest)
  if (index.config === undefined) return undefined
  const manifest = documentOf(await artifact.blob(index.config.digest))
  const blob = manifest === undefined ? undefined : configBlobIn(manifest)
  const bytes = blob === undefined ? undefined : await artifact.blob(blob.digest)
  if (bytes === undefined) return undefined
  const home = homeOf(artifact.reference)
  const repository = home.replace(/^docker:\/\//, '')
  const { relocation, problems } = relocationOf(documentOf(bytes) ?? {}, index, repository)
  const entryOf = ({ component }: BundleImage) =>
    component === undefined ? index.invocation[0] : index.components[component]
  return {
    bytes,
    // Outside a registry there is no name that a run tool could do anything with.
    relocation: home.startsWith('docker://') ? relocation : {},
    thick: false,
    placeOf: (image) => {
      const digest = entryOf(image)?.digest
      return digest === undefined
        ? placeInRegistry(image, relocation)
        : { reference: `${home}@${digest}`, digest }
    },
    problems: [...problems, ...strangers(bytes, entryOf)],
  }
}

/** The reference without tag and digest. */
function homeOf(reference: string): string {
  const plain = reference.replace(/@[a-z0-9]+:[0-9a-f]+$/, '')
  if (plain.startsWith('docker://')) return plain.replace(/:[\w][\w.-]*$/, '')
  return plain.replace(/^(oci(?:-archive)?:[^:]+):.*$/, '$1')
}

/** The index and the bundle must mean the same images. */
function strangers(
  bytes: Uint8Array,
  entryOf: (image: BundleImage) => { readonly digest: string } | undefined,
): readonly Problem[] {
  return bundleImagesOf(documentOf(bytes) ?? {}).flatMap((image): readonly Problem[] => {
    const { contentDigest, pointer, component } = image
    const entry = component === undefined && pointer !== '/invocationImages/0' ? undefined : entryOf(image)
    if (contentDigest === undefined || entry === undefined || entry.digest === contentDigest) return []
    const detail = `image ${image.image}: the index lists ${entry.digest}, the bundle demands ${contentDigest}`
    return [{ code: 'cnab.image.digest', detail, where: { source: archivePlaces.bundle, pointer } }]
  })
}

function documentOf(bytes: Uint8Array | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? new Uint8Array()),
    )
    return isObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
