/** How a bundle lies in a registry: an index that lists a config manifest, the invocation image and the other images. */
import { digestOf } from '../../kit/hash.ts'
import { canonical, isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'

/** A place in a registry, by digest. */
export interface OciEntry {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/** A document as bytes, with the type a registry is told. */
export interface OciDocument {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

export const configType = 'application/vnd.cnab.config.v1+json'
/** As the text of the specification says; nothing is known to write it. */
const configTypeOfText = 'application/vnd.cnab.bundle.config.v1+json'
const ociImageConfig = 'application/vnd.oci.image.config.v1+json'
const dockerImageConfig = 'application/vnd.docker.container.image.v1+json'
const ociManifest = 'application/vnd.oci.image.manifest.v1+json'
const ociIndex = 'application/vnd.oci.image.index.v1+json'
const dockerManifest = 'application/vnd.docker.distribution.manifest.v2+json'
const dockerList = 'application/vnd.docker.distribution.manifest.list.v2+json'

const imageTypes: readonly string[] = [ociManifest, ociIndex, dockerManifest, dockerList]
const configTypes: readonly string[] = [configType, configTypeOfText, ociImageConfig, dockerImageConfig]

const typeKey = 'io.cnab.manifest.type'
const componentKey = 'io.cnab.component.name'
const artifactTypeKey = 'org.opencontainers.artifactType'
const bundleArtifactType = 'application/vnd.cnab.manifest.v1'

/** One image of a bundle, with the pointer to where bundle.json names it. */
export interface BundleImage {
  readonly pointer: string
  /** Its key in `images`; absent: an invocation image. */
  readonly component?: string
  readonly image: string
  readonly contentDigest?: string
  readonly size?: number
  readonly mediaType?: string
  readonly imageType?: string
}

/** All images a bundle names: invocation images as listed, then the others sorted by name. */
export function bundleImagesOf(bundle: JsonObject): readonly BundleImage[] {
  const invocation = Array.isArray(bundle['invocationImages']) ? bundle['invocationImages'] : []
  const images = isObject(bundle['images']) ? bundle['images'] : {}
  return [
    ...invocation.flatMap((value, i) => imageOf(value, `/invocationImages/${i}`)),
    ...Object.keys(images)
      .sort()
      .flatMap((name) =>
        imageOf(images[name], `/images/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, name),
      ),
  ]
}

function imageOf(value: unknown, pointer: string, component?: string): readonly BundleImage[] {
  if (!isObject(value) || typeof value['image'] !== 'string') return []
  const { contentDigest, size, mediaType, imageType } = value
  return [
    {
      pointer,
      ...present({ component }),
      image: value['image'],
      ...(typeof contentDigest === 'string' && contentDigest !== '' ? { contentDigest } : {}),
      ...(typeof size === 'number' ? { size } : {}),
      ...(typeof mediaType === 'string' && mediaType !== '' ? { mediaType } : {}),
      ...(typeof imageType === 'string' && imageType !== '' ? { imageType } : {}),
    },
  ]
}

/** The bundle with what is known of its images written into it: digest, size and media type of what was pushed. */
export function withImageFacts(bundle: JsonObject, facts: (image: BundleImage) => OciEntry): JsonObject {
  const all = bundleImagesOf(bundle)
  const fixed = (value: Json, image: BundleImage | undefined): Json => {
    if (image === undefined || !isObject(value)) return value
    const { digest, size, mediaType } = facts(image)
    return { ...(value as JsonObject), contentDigest: digest, size, mediaType }
  }
  const { invocationImages, images } = bundle
  return {
    ...bundle,
    ...(Array.isArray(invocationImages)
      ? {
          invocationImages: invocationImages.map((value, i) =>
            fixed(
              value,
              all.find(({ pointer }) => pointer === `/invocationImages/${i}`),
            ),
          ),
        }
      : {}),
    ...(isObject(images)
      ? {
          images: Object.fromEntries(
            Object.entries(images).map(([name, value]) => [
              name,
              fixed(
                value as Json,
                all.find(({ component }) => component === name),
              ),
            ]),
          ),
        }
      : {}),
  }
}

/** The canonical text of a bundle as it is pushed. */
export function configBlobOf(bundle: JsonObject): Uint8Array {
  return Buffer.from(canonical(bundle))
}

/** The config manifest in its three forms, first to be tried first: registries differ in what they take. */
export function configManifestsOf(blob: Uint8Array): readonly OciDocument[] {
  const place = { digest: digestOf(blob), size: blob.byteLength }
  const asOci = (mediaType: string): OciDocument => ({
    mediaType: ociManifest,
    bytes: Buffer.from(JSON.stringify({ schemaVersion: 2, config: { mediaType, ...place }, layers: null })),
  })
  const asDocker = { mediaType: dockerImageConfig, size: place.size, digest: place.digest }
  return [
    asOci(configType),
    asOci(ociImageConfig),
    {
      mediaType: dockerManifest,
      bytes: Buffer.from(
        JSON.stringify(
          { schemaVersion: 2, mediaType: dockerManifest, config: asDocker, layers: [asDocker] },
          null,
          3,
        ),
      ),
    },
  ]
}

export type IndexMade =
  | { readonly kind: 'index'; readonly documents: readonly [OciDocument, OciDocument] }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

export interface IndexOrder {
  readonly bundle: JsonObject
  /** Original reference to `repository@digest`, for every image. */
  readonly relocation: Readonly<Record<string, string>>
  /** `host/path` that the index is pushed to, without tag. */
  readonly repository: string
  readonly configManifest: OciEntry
}

/** The index of a bundle whose images are in its repository: as OCI writes it, and as a Docker manifest list. */
export function bundleIndexOf(order: IndexOrder): IndexMade {
  const { bundle, configManifest } = order
  const all = bundleImagesOf(bundle)
  const made = all.map((image) => entryOf(image, order))
  const invocations = all.filter(({ component }) => component === undefined)
  const problems = [
    ...(invocations.length === 1
      ? []
      : [problem('/invocationImages', 'only one invocation image supported')]),
    ...made.flatMap((one) => ('code' in one ? [one] : [])),
  ]
  const [first, ...rest] = problems
  if (first) return { kind: 'refused', problems: [first, ...rest] }
  const manifests = [
    annotated(configManifest, { [typeKey]: 'config' }),
    ...made.flatMap((one) => ('code' in one ? [] : [one])),
  ]
  const body = { manifests, annotations: indexAnnotations(bundle) }
  return {
    kind: 'index',
    documents: [
      { mediaType: ociIndex, bytes: Buffer.from(goText({ schemaVersion: 2, ...body })) },
      {
        mediaType: dockerList,
        bytes: Buffer.from(goText({ schemaVersion: 2, mediaType: dockerList, ...body })),
      },
    ],
  }
}

type Entry = OciEntry & { readonly annotations: Readonly<Record<string, string>> }

function entryOf(image: BundleImage, { relocation, repository }: IndexOrder): Entry | Problem {
  const { pointer, component, size = 0 } = image
  const place = relocation[image.image]
  const at = place?.lastIndexOf('@') ?? -1
  if (place === undefined || at < 0)
    return problem(pointer, `image "${place ?? image.image}" is not a digested reference`)
  if (place.slice(0, at) !== repository)
    return problem(pointer, `image "${place}" is not in the same repository as "${repository}"`)
  if (size <= 0) return problem(pointer, `image "${image.image}" size is not set`)
  const mediaType = image.mediaType ?? (image.imageType === 'docker' ? dockerManifest : ociManifest)
  if (!imageTypes.includes(mediaType)) return problem(pointer, `unsupported media type "${mediaType}"`)
  return annotated(
    { mediaType, digest: place.slice(at + 1), size },
    component === undefined
      ? { [typeKey]: 'invocation' }
      : { [componentKey]: component, [typeKey]: 'component' },
  )
}

function annotated({ mediaType, digest, size }: OciEntry, annotations: Entry['annotations']): Entry {
  return { mediaType, digest, size, annotations }
}

function indexAnnotations(bundle: JsonObject): Readonly<Record<string, string>> {
  const text = (key: string): string => (typeof bundle[key] === 'string' ? bundle[key] : '')
  const keywords = bundle['keywords']
  const maintainers = bundle['maintainers']
  return {
    ...(isFilled(keywords) ? { 'io.cnab.keywords': goText(keywords) } : {}),
    'io.cnab.runtime_version': text('schemaVersion'),
    [artifactTypeKey]: bundleArtifactType,
    ...(isFilled(maintainers)
      ? { 'org.opencontainers.image.authors': goText(maintainers.map(maintainerOf)) }
      : {}),
    'org.opencontainers.image.description': text('description'),
    'org.opencontainers.image.title': text('name'),
    'org.opencontainers.image.version': text('version'),
  }
}

function isFilled(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0
}

/** In the order in which other tools write them. */
function maintainerOf(value: Json): Json {
  if (!isObject(value)) return value
  const { name = '', email = '', url = '' } = value as JsonObject
  return { name, email, url }
}

/** JSON as other tools of the ecosystem write it, which escape what could be mark-up. */
function goText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function problem(pointer: string, detail: string): Problem {
  return { code: 'cnab.index.invalid', detail, where: { pointer } }
}

export interface IndexRead {
  readonly config?: OciEntry
  readonly invocation: readonly OciEntry[]
  readonly components: Readonly<Record<string, OciEntry>>
  readonly problems: readonly Problem[]
}

/** Whether an index is that of a bundle, by what it says of itself or of what it lists. */
export function isBundleIndex(index: JsonObject): boolean {
  const { annotations, artifactType } = index
  if (artifactType === bundleArtifactType) return true
  if (isObject(annotations) && annotations[artifactTypeKey] === bundleArtifactType) return true
  return entriesIn(index).some(({ annotations: notes }) => notes[typeKey] === 'config')
}

/** Which entries of an index are what. All problems at once: a bundle that is not understood wholly is not one. */
export function readBundleIndex(index: JsonObject): IndexRead {
  const invocation: OciEntry[] = []
  const components: Record<string, OciEntry> = {}
  const problems: Problem[] = []
  let config: OciEntry | undefined
  for (const [i, { annotations, ...entry }] of entriesIn(index).entries()) {
    const pointer = `/manifests/${i}`
    if (!imageTypes.includes(entry.mediaType)) {
      problems.push(problem(pointer, `unsupported media type "${entry.mediaType}"`))
      continue
    }
    const name = annotations[componentKey]
    switch (annotations[typeKey]) {
      case 'config':
        config ??= entry
        break
      case 'invocation':
        invocation.push(entry)
        break
      case 'component':
        if (name === undefined) problems.push(problem(pointer, `the annotation ${componentKey} is missing`))
        else components[name] = entry
        break
      case undefined:
        problems.push(problem(pointer, `the annotation ${typeKey} is missing`))
        break
      default:
        problems.push(problem(pointer, `${typeKey} is "${annotations[typeKey]}"`))
    }
  }
  if (config === undefined) problems.push(problem('/manifests', 'bundle config not found'))
  return { ...present({ config }), invocation, components, problems }
}

function entriesIn(index: JsonObject): readonly Entry[] {
  const list = index['manifests']
  if (!Array.isArray(list)) return []
  return list.flatMap((value): readonly Entry[] => {
    if (!isObject(value)) return []
    const { mediaType, digest, size, annotations } = value
    const notes = isObject(annotations) ? Object.entries(annotations) : []
    return [
      {
        mediaType: String(mediaType ?? ''),
        digest: String(digest ?? ''),
        size: Number(size ?? 0),
        annotations: Object.fromEntries(notes.map(([key, text]) => [key, String(text)])),
      },
    ]
  })
}

/** Where in a config manifest the bundle itself is. */
export function configBlobIn(manifest: JsonObject): OciEntry | undefined {
  const { config } = manifest
  if (!isObject(config)) return undefined
  const { mediaType, digest, size } = config
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || typeof size !== 'number')
    return undefined
  return configTypes.includes(mediaType) ? { mediaType, digest, size } : undefined
}

export interface RelocationRead {
  readonly relocation: Readonly<Record<string, string>>
  readonly problems: readonly Problem[]
}

/** The relocation map that a pulled index means: every image of the bundle is in the bundle's own repository. */
export function relocationOf(bundle: JsonObject, index: IndexRead, repository: string): RelocationRead {
  const all = bundleImagesOf(bundle)
  const map = new Map<string, string>()
  const problems: Problem[] = [...index.problems]
  const [invocation] = index.invocation
  const [first] = all
  if (invocation && first?.component === undefined && first !== undefined)
    map.set(first.image, `${repository}@${invocation.digest}`)
  else if (invocation) problems.push(problem('/invocationImages', 'the bundle names no invocation image'))
  for (const [name, { digest }] of Object.entries(index.components)) {
    const named = all.find(({ component }) => component === name)
    if (named === undefined)
      problems.push(problem('/images', `the index lists "${name}", which the bundle does not name`))
    else map.set(named.image, `${repository}@${digest}`)
  }
  return { relocation: Object.fromEntries(map), problems }
}
