/** A repository of a registry, written to: blobs first, then what names them, all by exact bytes. */
import { present } from '../../kit/present.ts'
import { fail, toProblem } from '../../model/problem.ts'
import { documentBytesMax } from '../limits.ts'
import { type Descriptor, describe, type Manifest, parseManifest } from '../oci/manifest.ts'
import { acceptedManifests, isIndexType, isManifestType, ociIndex } from '../oci/media-types.ts'
import type { BlobContent, Target } from '../oci/place.ts'
import type { RegistryReference } from '../reference.ts'
import { fallbackTag, registrySource } from './registry-source.ts'
import { readText, refused, type Session } from './session.ts'
import type { Answer } from './transport.ts'
import { locationOf, sendChunks } from './upload-chunks.ts'

const uploadAttemptsMax = 4
/** What is larger is sent in chunks. */
const wholeBytesMax = 64 * 1024 * 1024

type Repository = Pick<RegistryReference, 'host' | 'repository'>

/** Makes a target of a repository; the session stays the caller's until close(). */
export function registryTarget(place: Repository, session: Session): Target {
  const name = `${place.host}/${place.repository}`
  return {
    name,
    has: async (descriptor, signal) => {
      const isManifest = isManifestType(descriptor.mediaType) || isIndexType(descriptor.mediaType)
      const answer = await session.send({
        method: 'HEAD',
        path: `${place.repository}/${isManifest ? 'manifests' : 'blobs'}/${descriptor.digest}`,
        headers: isManifest ? { accept: acceptedManifests } : {},
        scopes: [pushScope(place)],
        signal,
      })
      await answer.body.dump()
      return answer.status === 200
    },
    writeBlob: (descriptor, content, signal) => upload(place, session, { descriptor, content, signal }),
    writeManifest: async (manifest, tag, signal) => {
      const knowsSubjects = await putManifest(place, session, { manifest, tag, signal })
      if (manifest.subject === undefined || knowsSubjects) return
      await listReferrer(place, session, { manifest, subject: manifest.subject.digest, signal })
    },
    finish: async () => undefined,
    close: () => session.close(),
  }
}

interface Upload {
  readonly descriptor: Descriptor
  readonly content: BlobContent
  readonly signal: AbortSignal
}

/** An upload that has lost its place is begun anew; one that is refused in chunks, or keeps failing, is sent whole. */
async function upload(place: Repository, session: Session, order: Upload): Promise<void> {
  let inChunks = order.descriptor.size > wholeBytesMax
  for (let attempt = 1; ; attempt++) {
    inChunks &&= attempt < uploadAttemptsMax
    try {
      await uploadOnce(place, session, { ...order, inChunks })
      return
    } catch (error) {
      const { code } = toProblem(error)
      // Of a broken connection the registry may have taken more than it said; only the whole can accuse the content.
      if (inChunks && (code === 'registry.refused' || code === 'artifact.altered')) {
        inChunks = false
        continue
      }
      const mayPass = code === 'registry.failed' || code === 'registry.unreachable'
      if (!mayPass || attempt >= uploadAttemptsMax || order.signal.aborted) throw error
    }
  }
}

async function uploadOnce(
  place: Repository,
  session: Session,
  { descriptor, content, signal, inChunks }: Upload & { readonly inChunks: boolean },
): Promise<void> {
  const { digest, size } = descriptor
  const source = `${place.host}/${place.repository}`
  const scopes = [pushScope(place)]
  const started = await beginUpload(place, session, { descriptor, content, signal })
  if (started === 'mounted') return
  const url = new URL(
    inChunks ? await sendChunks(content.open(), started, { session, scopes, source, signal }) : started,
  )
  // The location carries the state of the upload in its query, which must stay.
  url.searchParams.set('digest', digest)
  const answer = await session.send({
    method: 'PUT',
    path: url,
    headers: { 'content-type': 'application/octet-stream', 'content-length': inChunks ? '0' : String(size) },
    ...(inChunks ? {} : { body: () => content.open() }),
    attemptsMax: 1,
    scopes,
    signal,
  })
  if (answer.status === 201 || answer.status === 204) {
    await answer.body.dump()
    return
  }
  const text = await readText(answer, documentBytesMax)
  if (text.includes('DIGEST_INVALID')) {
    fail('artifact.altered', `the registry found other bytes than ${digest}`, { where: { source } })
  }
  throw refused(answer, text, source)
}

async function beginUpload(
  place: Repository,
  session: Session,
  { descriptor, content, signal }: Upload,
): Promise<'mounted' | URL> {
  const { mountFrom } = content
  const mount =
    mountFrom !== undefined && mountFrom.host === place.host && mountFrom.repository !== place.repository
  const query = mount
    ? `?${new URLSearchParams({ mount: descriptor.digest, from: mountFrom.repository })}`
    : ''
  const answer = await session.send({
    method: 'POST',
    path: `${place.repository}/blobs/uploads/${query}`,
    headers: { 'content-length': '0' },
    scopes: mount ? [pushScope(place), `repository:${mountFrom.repository}:pull`] : [pushScope(place)],
    signal,
  })
  if (answer.status === 201) {
    await answer.body.dump()
    return 'mounted'
  }
  const text = await readText(answer, documentBytesMax)
  const source = `${place.host}/${place.repository}`
  if (answer.status !== 202) throw refused(answer, text, source)
  return (
    locationOf(answer) ??
    fail('registry.answer-invalid', 'an upload without a location', { where: { source } })
  )
}

interface ManifestPut {
  readonly manifest: Manifest
  readonly tag: string | undefined
  readonly signal: AbortSignal
}

/** Puts a manifest and tells whether the registry keeps lists of referrers by itself. */
async function putManifest(
  place: Repository,
  session: Session,
  { manifest, tag, signal }: ManifestPut,
): Promise<boolean> {
  const source = `${place.host}/${place.repository}`
  const answer: Answer = await session.send({
    method: 'PUT',
    path: `${place.repository}/manifests/${tag ?? manifest.digest}`,
    headers: { 'content-type': manifest.mediaType },
    body: () => manifest.bytes,
    scopes: [pushScope(place)],
    signal,
  })
  const text = await readText(answer, documentBytesMax)
  if (answer.status !== 201 && answer.status !== 200) throw refused(answer, text, source)
  const said = answer.headers['docker-content-digest']
  if (typeof said === 'string' && said.startsWith('sha256:') && said !== manifest.digest) {
    fail('artifact.altered', `the registry stored the manifest as ${said}, sent was ${manifest.digest}`, {
      where: { source },
    })
  }
  return answer.headers['oci-subject'] !== undefined
}

/** On registries without the referrers API the client keeps the list, under a tag made of the subject's digest. */
async function listReferrer(
  place: Repository,
  session: Session,
  {
    manifest,
    subject,
    signal,
  }: { readonly manifest: Manifest; readonly subject: string; readonly signal: AbortSignal },
): Promise<void> {
  const tag = fallbackTag(subject)
  const before = await registrySource(place, session).manifest({ name: tag }, signal)
  const listed = before?.kind === 'index' ? before.manifests : []
  if (listed.some(({ digest }) => digest === manifest.digest)) return
  const config = manifest.kind === 'manifest' ? manifest.config.mediaType : undefined
  const artifactType = manifest.artifactType ?? config
  const entry = {
    ...describe(manifest),
    ...present({ artifactType }),
    ...(Object.keys(manifest.annotations).length === 0 ? {} : { annotations: manifest.annotations }),
  }
  const bytes = Buffer.from(
    JSON.stringify({ schemaVersion: 2, mediaType: ociIndex, manifests: [...listed, entry] }),
  )
  await putManifest(place, session, { manifest: parseManifest(bytes, ociIndex, tag), tag, signal })
}

function pushScope({ repository }: Repository): string {
  return `repository:${repository}:pull,push`
}
