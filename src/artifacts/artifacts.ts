/** The artifact store: from any reference to something one can look into, kept by digest, swept when unused. */
import type { Artifact, DocumentArtifact } from '../model/artifact.ts'
import { fail } from '../model/problem.ts'
import {
  type ArchivePlace,
  archiveFormat,
  digestAt,
  type OpenArchive,
  openArchive,
} from './archive/archive-artifact.ts'
import { packFolder } from './archive/pack-folder.ts'
import type { BuiltImage } from './build.ts'
import {
  type CollectionPack,
  type CollectionPublish,
  describeImage,
  packCollection,
  publishCollection,
} from './collection.ts'
import { fileBytes, readBounded } from './content/durable.ts'
import { type Sweep, type Swept, sweep } from './content/sweep.ts'
import { type ArtifactContext, type ArtifactStoreOptions, lazyContext } from './context.ts'
import { type Delivery, deliver } from './deliver.ts'
import { digestOf } from './digest.ts'
import { imagesIn, type OpenImageStore } from './images.ts'
import { flushed } from './layers/folder-cell.ts'
import { documentBytesMax } from './limits.ts'
import { listImages } from './listing/list-images.ts'
import type { ImagesPlace, ListedImage, ListingLogin } from './listing/place.ts'
import type { Descriptor } from './oci/manifest.ts'
import { type OpenComponent, openComponent } from './ocm/component-artifact.ts'
import { buildPackage, copyPackage, type PackageBuild, type PackageCopy } from './packages.ts'
import { type PathReference, parseReference, type UrlReference } from './reference.ts'
import { listTags } from './registry/registry-source.ts'
import { openSession } from './registry/session.ts'
import { openVisitSessions } from './registry/visit-sessions.ts'
import { webFile } from './registry/web-file.ts'
import { type FoundSignatures, findSignatures } from './signatures.ts'
import { openSource, type SourceOptions } from './sources.ts'
import type { Transferred } from './transfer.ts'

export interface ArtifactStore {
  readonly images: OpenImageStore
  /** Opens an image, an archive or a document; close() what has one. */
  open(reference: string, signal: AbortSignal): Promise<Artifact | OpenArchive | OpenComponent>
  /** Keeps a file (a pak, a thick bundle) in the store, so that its digest suffices later on. Answers the digest. */
  keep(reference: string, signal: AbortSignal): Promise<string>
  /** The digest of a tar on this machine, found without looking into it; undefined for anything else. */
  digestOfTar(reference: string): Promise<string | undefined>
  /** Whether content of that digest is kept. */
  has(digest: string): Promise<boolean>
  /** An archive that was kept. */
  archive(digest: string): Promise<OpenArchive | undefined>
  /** Puts what a job names where its engine wants it. */
  deliver(what: Delivery, to: string, signal: AbortSignal): Promise<void>
  copy(order: PackageCopy): Promise<Transferred>
  build(order: PackageBuild): Promise<BuiltImage>
  /** The images that a place holds, by name. Problems: registry.*, artifact.not-found, artifact.too-large. */
  list(place: ImagesPlace, login: ListingLogin, signal: AbortSignal): Promise<readonly ListedImage[]>
  /** The same store for many images of the same registries: connections and tokens are kept until it is left. */
  visit(): Visit
  /** All tags of a repository; none where there is no such one. */
  tags(repository: string, signal: AbortSignal): Promise<readonly string[]>
  /** The digest that a tag of a registry has now; undefined where only opening it tells. */
  digestNow(reference: string, signal: AbortSignal): Promise<string | undefined>
  /** What an image is, without moving it. */
  describe(reference: string, signal: AbortSignal): Promise<Descriptor>
  /** What signs the image of that digest where the reference is. */
  signatures(reference: string, digest: string, signal: AbortSignal): Promise<FoundSignatures>
  /** Copies images into one repository and puts an index with further documents on top. */
  publish(order: CollectionPublish): Promise<Transferred>
  /** Writes images and files into one archive. Answers its path. */
  pack(order: CollectionPack): Promise<string>
  /** Throws away what nothing in `keep` needs and was not used of late. */
  sweep(order: Sweep): Promise<Swept>
  /** Bytes of all content that is kept, packed. */
  size(): Promise<number>
  /** Waits until all that was unpacked has reached the disk. */
  close(): Promise<void>
}

/** An artifact store that is used for a while. */
export interface Visit {
  readonly artifacts: ArtifactStore
  leave(): Promise<void>
}

/** Opens the artifact store in a folder; the folder is made when it is first used. */
export function openArtifactStore(options: ArtifactStoreOptions): ArtifactStore {
  return storeIn(lazyContext(options), options)
}

function storeIn(rooms: () => Promise<ArtifactContext>, options: ArtifactStoreOptions): ArtifactStore {
  const images = imagesIn(rooms)
  const open: ArtifactStore['open'] = async (text, signal) => {
    const reference = parseReference(text, options.registries)
    if (reference.kind === 'path') return await openPath(reference.path, text, await rooms())
    if (reference.kind === 'component') {
      const { place, lookup } = reference
      const pin = async (image: string) => (await images.open(image, signal)).digest
      return await openComponent({ reference: text, place, lookup, signal, pin }, await rooms())
    }
    if (reference.kind !== 'url') return await images.open(text, signal)
    const there = await rooms()
    const digest = await keepFile(reference, there, signal)
    return await openPath(there.content.pathOf(digest), text, there)
  }
  const archive = async (digest: string): Promise<OpenArchive | undefined> => {
    const there = await rooms()
    if (!(await there.content.has(digest))) return undefined
    return await openArchive({
      ...archiveIn(there),
      path: there.content.pathOf(digest),
      reference: digest,
      digest,
    })
  }
  return {
    images,
    open,
    keep: async (text, signal) => {
      const reference = parseReference(text, options.registries)
      if (reference.kind === 'path' || reference.kind === 'url')
        return await keepFile(reference, await rooms(), signal)
      return fail('artifact.kind', 'only files and URLs are kept this way', { where: { source: text } })
    },
    digestOfTar: async (text) => {
      const reference = parseReference(text, options.registries)
      if (reference.kind !== 'path' || (await archiveFormat(reference.path)) !== 'tar') return undefined
      return await digestAt('tar', reference.path)
    },
    has: async (digest) => await (await rooms()).content.has(digest),
    archive,
    deliver: async (what, to, signal) =>
      await deliver(what, to, { rooms: await rooms(), open, archive }, signal),
    copy: async (order) => await copyPackage(order, waysIn(await rooms())),
    build: async (order) => await buildPackage(order, waysIn(await rooms())),
    list: async (place, login, signal) =>
      await listImages({ place, login, settings: options.registries ?? {}, signal }),
    visit: () => visitIn(rooms, options),
    tags: async (repository, signal) => {
      const place = parseReference(repository, options.registries)
      if (place.kind !== 'registry')
        return fail('artifact.kind', 'only registries have tags', { where: { source: repository } })
      const session = openSession(place.host, place.repository, options.registries ?? {})
      return await listTags(place, session, signal).finally(() => session.close())
    },
    digestNow: async (text, signal) => await digestNow(text, (await rooms()).options, signal),
    describe: async (reference, signal) => await describeImage(reference, await rooms(), signal),
    signatures: async (reference, digest, signal) =>
      await findSignatures({ reference, digest, signal }, await rooms()),
    publish: async (order) => await publishCollection(order, await rooms()),
    pack: async (order) => await packCollection(order, await rooms()),
    sweep: async (order) => await sweep(order, await rooms()),
    size: async () => await (await rooms()).content.size(),
    close: flushed,
  }
}

/** The ways to what is to be copied or built on, past what is here already. */
function waysIn({ options, content }: ArtifactContext): SourceOptions & Pick<ArtifactContext, 'content'> {
  return { ...options, content }
}

async function digestNow(
  text: string,
  options: ArtifactContext['options'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const reference = parseReference(text, options.registries)
  if (reference.kind !== 'registry') return undefined
  if (reference.digest !== undefined) return reference.digest
  const source = await openSource(reference, options)
  return await source.digestNow?.(reference.tag ?? 'latest', signal).finally(() => source.close())
}

function visitIn(rooms: () => Promise<ArtifactContext>, options: ArtifactStoreOptions): Visit {
  const sessions = openVisitSessions()
  const shared = async (): Promise<ArtifactContext> => {
    const there = await rooms()
    return { ...there, options: { ...there.options, sessions } }
  }
  return { artifacts: storeIn(shared, options), leave: () => sessions.close() }
}

async function openPath(
  path: string,
  reference: string,
  rooms: ArtifactContext,
): Promise<OpenArchive | DocumentArtifact> {
  if ((await archiveFormat(path)) !== undefined)
    return await openArchive({ ...archiveIn(rooms), path, reference })
  const bytes = await readBounded(path, documentBytesMax)
  if (bytes === undefined) return fail('artifact.not-found', undefined, { where: { source: reference } })
  return { kind: 'document', reference, digest: digestOf(bytes), bytes }
}

async function keepFile(
  reference: PathReference | UrlReference,
  rooms: ArtifactContext,
  signal: AbortSignal,
): Promise<string> {
  const { content, options, archiveLimits } = rooms
  const bytesMax = archiveLimits.archiveBytesMax
  if (reference.kind === 'url')
    return await content.keepStream(webFile(reference.url, options.registries, signal), bytesMax)
  // A folder is kept as its tar, whose digest is that of the folder.
  const isFolder = (await archiveFormat(reference.path)) === 'folder'
  const bytes = isFolder ? packFolder(reference.path, { mtime: 0 }) : fileBytes(reference.path)
  return await content.keepStream(bytes, bytesMax)
}

function archiveIn({
  options,
  archiveLimits,
}: ArtifactContext): Pick<ArchivePlace, 'scratchFolder' | 'limits'> {
  return { scratchFolder: options.scratchFolder, limits: archiveLimits }
}
