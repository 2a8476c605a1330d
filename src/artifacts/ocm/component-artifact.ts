/** A component version as contracts see it: documents and images among its resources, and what it references. */
import { rm } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { canonical } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { accessType, findElement, identityOf, type Resource } from '../../languages/ocm/index.ts'
import type { ComponentArtifact, ComponentResource } from '../../model/artifact.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import { collect } from '../archive/collect.ts'
import type { ContentStore } from '../content/content-store.ts'
import { asideOf, fileBytes } from '../content/durable.ts'
import type { ArtifactContext } from '../context.ts'
import { digestOf, isDigest, splitDigest } from '../digest.ts'
import { documentBytesMax } from '../limits.ts'
import { parseReference } from '../reference.ts'
import { type Content, describeAccess } from './access.ts'
import { openArtifactSet } from './artifact-set.ts'
import { contentOf } from './content.ts'
import { openCtfTarget } from './ctf-target.ts'
import { mismatch } from './digest-content.ts'
import { isArtifactSet } from './media-types.ts'
import { type StoredVersion, versionName } from './repository.ts'
import { closureOf } from './resolve.ts'
import { type OcmSession, openOcm, readReference } from './session.ts'
import { fetchContent, transferVersion } from './transfer-version.ts'

export interface OpenComponent extends ComponentArtifact {
  close(): Promise<void>
}

export interface ComponentWish {
  /** As the operator wrote it. */
  readonly reference: string
  readonly place: string
  readonly lookup: readonly string[]
  readonly signal: AbortSignal
  /** What an image is now that no digest is known of. */
  pin(reference: string): Promise<string>
}

/** Opens a component version and all it references. Problems: ocm.*, artifact.*, registry.*. */
export async function openComponent(
  wish: ComponentWish,
  { options, content }: ArtifactContext,
): Promise<OpenComponent> {
  const lookup = wish.lookup.map((text) => readReference(text).spec)
  const session = openOcm({ ...options, signal: wish.signal, lookup: () => lookup })
  try {
    const root = await session.version(wish.place)
    const closure = await closureOf(root, session.resolver, wish.signal)
    // The same versions, wherever they lie, are the same component.
    const digest = digestOf(
      canonical(
        closure.map(({ descriptor, manifest }) => `${versionName(descriptor)} ${manifest.digest}`).toSorted(),
      ),
    )
    const room: Room = { wish, session, content, scratchFolder: options.scratchFolder, root }
    return { ...artifactOf(root, digest, room), close: () => session.close() }
  } catch (error) {
    await session.close()
    throw error
  }
}

interface Room {
  readonly wish: ComponentWish
  readonly session: OcmSession
  readonly content: ContentStore
  readonly scratchFolder: string
  readonly root: StoredVersion
}

function artifactOf(version: StoredVersion, digest: string, room: Room): ComponentArtifact {
  const { descriptor, repository } = version
  const { spec } = repository
  const resources = descriptor.resources.map((resource) => shown(resource, descriptor.resources))
  const stored = (wanted: ComponentResource): Resource =>
    descriptor.resources[resources.indexOf(wanted)] ?? fail('ocm.resource.unknown', wanted.name)
  return {
    kind: 'component',
    reference: room.wish.reference,
    digest,
    name: descriptor.name,
    version: descriptor.version,
    resources,
    references: descriptor.references.map((one) => identityOf(descriptor.references, one)),
    ...(spec.kind === 'registry' ? { consumer: consumerOf(spec) } : {}),
    document: (wanted) => documentOf(stored(wanted), version, room),
    image: (wanted) => imageOf(stored(wanted), version, room),
    referenced: async (identity) => {
      const reference = findElement(descriptor.references, identity)
      if (reference === undefined) return undefined
      const target = await room.session.resolver.resolve(version, reference, room.wish.signal)
      return artifactOf(target, target.manifest.digest, room)
    },
    transport: () => transport(version, room),
  }
}

function shown(resource: Resource, all: readonly Resource[]): ComponentResource {
  const { name, version, type, extraIdentity } = resource
  return { name, version, type, extraIdentity, identity: identityOf(all, resource) }
}

function consumerOf({
  host,
  scheme,
  subPath,
}: Extract<StoredVersion['repository']['spec'], { kind: 'registry' }>): Readonly<Record<string, string>> {
  const [, hostname = host, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  return {
    type: 'OCIRegistry',
    hostname,
    ...present({ port, scheme }),
    ...(subPath === '' ? {} : { pathprefix: subPath }),
  }
}

/** What a component may make its reader fetch: what lies with it, and blobs of registries. */
const documentAccesses = ['localBlob', 'localOciBlob', 'localFilesystemBlob', 'ociBlob']
const imageAccesses = [...documentAccesses, 'ociArtifact', 'relativeOciReference']

async function documentOf(
  resource: Resource,
  version: StoredVersion,
  { session }: Room,
): Promise<Uint8Array> {
  const { access, digest, name } = resource
  const where = { source: versionName(version.descriptor) }
  if (!documentAccesses.includes(accessType(access)))
    return fail('ocm.access.unsupported', `the document ${name}: ${describeAccess(access)}`, { where })
  const content = await contentOf(access, version, session.options)
  if (content.kind !== 'blob') return fail('ocm.access.invalid', `${name} is no document`, { where })
  const bytes = await collect(content.open(), documentBytesMax)
  const found =
    digest === undefined
      ? undefined
      : await mismatch(
          { kind: 'blob', mediaType: content.mediaType, open: () => once(bytes) },
          digest,
          session.options,
        )
  if (found !== undefined) return fail('ocm.digest.resource', `${name} is ${found.value}`, { where })
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? unzipped(bytes, name) : bytes
}

/** Some tools store documents compressed, and some readers fail on them. */
function unzipped(bytes: Uint8Array, name: string): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: documentBytesMax })
  } catch (cause) {
    throw new ProblemError({
      code: 'archive.limit',
      detail: `${name} cannot be unpacked to less than ${documentBytesMax} bytes`,
      cause,
    })
  }
}

async function imageOf(
  resource: Resource,
  version: StoredVersion,
  room: Room,
): Promise<{ readonly reference: string; readonly digest: string }> {
  const { access, digest: said, name } = resource
  const where = { source: versionName(version.descriptor) }
  if (!imageAccesses.includes(accessType(access)))
    return fail('ocm.access.unsupported', `the image ${name}: ${describeAccess(access)}`, { where })
  const content = await contentOf(access, version, room.session.options)
  const expected = said?.normalisationAlgorithm.startsWith('ociArt') ? `sha256:${said.value}` : undefined
  if (expected !== undefined && !isDigest(expected))
    return fail('ocm.digest.unsupported', expected, { where })
  if (content.kind === 'none') return fail('ocm.access.invalid', `${name} has no content`, { where })
  const isElsewhere = content.kind === 'artifact' && content.source !== version.source
  if (!isElsewhere) return await keptImage(content, { name, expected, version }, room)
  const reference = `docker://${content.name}`
  const parsed = parseReference(reference, { defaultHost: 'docker.io' })
  const named = parsed.kind === 'registry' ? parsed.digest : undefined
  if (expected !== undefined && named !== undefined && named !== expected)
    return fail('ocm.digest.resource', `${name}: ${content.name} is not ${expected}`, { where })
  const digest = expected ?? named ?? (await room.wish.pin(reference))
  return { digest, reference: `${reference.replace(/@[a-z0-9]+:[0-9a-f]+$/, '')}@${digest}` }
}

interface KeptWish {
  readonly name: string
  readonly expected: string | undefined
  readonly version: StoredVersion
}

/** An image that lies with the component is kept as the layout that it is packed as. */
async function keptImage(
  content: Exclude<Content, { kind: 'none' }>,
  { name, expected, version }: KeptWish,
  room: Room,
) {
  const { session, content: store, scratchFolder, wish } = room
  const where = { source: versionName(version.descriptor) }
  if (content.kind === 'blob' && !isArtifactSet(content.mediaType))
    return fail('ocm.access.invalid', `${name} is no image but ${content.mediaType}`, { where })
  const aside: { close(): Promise<void> }[] = []
  try {
    const [piece, second] = content.kind === 'blob' ? (content.known?.pieces ?? []) : []
    const isWhole = piece !== undefined && second === undefined
    if (!isWhole || !(await store.has(piece.digest))) {
      const { open, blob } = await fetchContent(
        content,
        { options: session.options, progress: () => undefined },
        aside,
      )
      await store.keepStream(open(), blob.size)
      return await described(blob.digest)
    }
    return await described(piece.digest)
  } finally {
    for (const file of aside) await file.close()
  }

  async function described(blob: string) {
    const set = await openArtifactSet(store.pathOf(blob), scratchFolder, wish.signal)
    await set.source.close()
    const { digest } = set.main
    if (expected !== undefined && expected !== digest)
      return fail('ocm.digest.resource', `${name} is ${digest}, not ${expected}`, { where })
    return { digest, reference: `kept:${blob}@${digest}` }
  }
}

async function transport(root: StoredVersion, { session, content, scratchFolder }: Room): Promise<string> {
  const path = asideOf(`${scratchFolder}/${splitDigest(root.manifest.digest).hex.slice(0, 16)}`)
  const target = await openCtfTarget(
    { kind: 'file', path, format: 'tgz', archive: false },
    { scratchFolder, signal: session.options.signal, progress: () => undefined },
  )
  try {
    await transferVersion({
      root,
      resolver: session.resolver,
      target: { ...target },
      existing: undefined,
      recursive: true,
      byValue: false,
      keepGlobalAccess: true,
      overwrite: false,
      options: session.options,
      progress: () => undefined,
    })
    return await content.keepStream(fileBytes(path), Number.MAX_SAFE_INTEGER)
  } finally {
    await target.close()
    await rm(path, { force: true })
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
