/** A repository of a registry, read. */
import { fail } from '../../model/problem.ts'
import { checkBytes, isDigest } from '../digest.ts'
import { documentBytesMax } from '../limits.ts'
import { type Descriptor, type Manifest, parseManifest } from '../oci/manifest.ts'
import { acceptedManifests, ociIndex } from '../oci/media-types.ts'
import type { Source, Stretch, WantedManifest } from '../oci/place.ts'
import type { RegistryReference } from '../reference.ts'
import { readBytes, readText, refused, type Session } from './session.ts'
import type { Answer } from './transport.ts'

/** Makes a source of a repository; the session stays the caller's until close(). */
export function registrySource(
  { host, repository }: Pick<RegistryReference, 'host' | 'repository'>,
  session: Session,
): Source {
  const scopes = [`repository:${repository}:pull`]
  const name = `${host}/${repository}`
  const manifest = (wanted: WantedManifest, signal: AbortSignal): Promise<Manifest | undefined> =>
    readManifest(session, { repository, name, scopes, wanted }, signal)
  return {
    name,
    repository: { host, repository },
    manifest,
    digestNow: async (tag, signal) => {
      const path = `${repository}/manifests/${tag}`
      const headers = { accept: acceptedManifests }
      const answer = await session.send({ method: 'HEAD', path, headers, scopes, signal })
      await answer.body.dump()
      const digest = answer.headers['docker-content-digest']
      return answer.status === 200 && typeof digest === 'string' && isDigest(digest) ? digest : undefined
    },
    blob: async (wanted, from, signal): Promise<Stretch> => {
      const ask = (start: number): Promise<Answer> =>
        session.send({
          method: 'GET',
          path: `${repository}/blobs/${wanted.digest}`,
          headers: start > 0 ? { range: `bytes=${start}-` } : {},
          scopes,
          signal,
        })
      let answer = await ask(from)
      if (answer.status === 416) {
        await answer.body.dump()
        answer = await ask(0)
      }
      if (answer.status === 206) return { from: startOf(answer, name), bytes: answer.body }
      if (answer.status === 200) return { from: 0, bytes: answer.body }
      const text = await readText(answer, documentBytesMax)
      if (answer.status === 404)
        return fail('artifact.not-found', `the blob ${wanted.digest}`, { where: { source: name } })
      throw refused(answer, text, name)
    },
    sizeOf: async (digest, signal) => {
      const path = `${repository}/blobs/${digest}`
      const answer = await session.send({ method: 'HEAD', path, scopes, signal })
      await answer.body.dump()
      const size = Number(answer.headers['content-length'])
      if (answer.status === 200 && Number.isSafeInteger(size)) return size
      return fail('artifact.not-found', `the blob ${digest}`, { where: { source: name } })
    },
    referrers: async (digest, signal) => {
      const answer = await session.send({
        method: 'GET',
        path: `${repository}/referrers/${digest}`,
        scopes,
        signal,
      })
      if (answer.status === 200)
        return indexed(parseManifest(await readBytes(answer, documentBytesMax), ociIndex, name))
      await answer.body.dump()
      const fallback = await manifest({ name: fallbackTag(digest) }, signal)
      return fallback === undefined ? [] : indexed(fallback)
    },
    close: () => session.close(),
  }
}

/** Where referrers are listed on registries without the referrers API. */
export function fallbackTag(digest: string): string {
  return digest.replace(':', '-').slice(0, 128)
}

/** All tags of a repository, page by page. */
export async function listTags(
  { host, repository }: Pick<RegistryReference, 'host' | 'repository'>,
  session: Session,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const tags: string[] = []
  let path: string | URL | undefined = `${repository}/tags/list?n=1000`
  for (let page = 0; path !== undefined && page < 1000; page++) {
    const answer: Answer = await session.send({
      method: 'GET',
      path,
      scopes: [`repository:${repository}:pull`],
      signal,
    })
    const text = await readText(answer, documentBytesMax)
    if (answer.status === 404) return tags
    if (answer.status !== 200) throw refused(answer, text, host)
    tags.push(...tagsOf(text, host))
    path = nextPage(answer)
  }
  return tags
}

interface ManifestWish {
  readonly repository: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly wanted: WantedManifest
}

async function readManifest(
  session: Session,
  { repository, name, scopes, wanted }: ManifestWish,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  const which = wanted.digest ?? wanted.name ?? 'latest'
  const answer = await session.send({
    method: 'GET',
    path: `${repository}/manifests/${which}`,
    headers: { accept: acceptedManifests },
    scopes,
    signal,
  })
  const bytes = await readBytes(answer, documentBytesMax)
  if (answer.status === 404) return undefined
  const source = `${name}${wanted.digest === undefined ? ':' : '@'}${which}`
  if (answer.status !== 200) throw refused(answer, new TextDecoder().decode(bytes), source)
  const said = answer.headers['content-type']
  const digest = wanted.digest ?? answer.headers['docker-content-digest']
  const manifest = parseManifest(bytes, typeof said === 'string' ? said : undefined, source)
  // Signatures that stand inside are not part of what the digest is of.
  if (typeof digest === 'string') checkBytes(manifest.bytes, digest, source)
  return manifest
}

function startOf({ headers }: Answer, source: string): number {
  const start = /^bytes (\d+)-/.exec(String(headers['content-range'] ?? ''))?.[1]
  return start === undefined
    ? fail('registry.answer-invalid', 'a part of a blob without its place', { where: { source } })
    : Number(start)
}

function indexed(manifest: Manifest): readonly Descriptor[] {
  return manifest.kind === 'index' ? manifest.manifests : []
}

function tagsOf(text: string, source: string): readonly string[] {
  try {
    const { tags } = JSON.parse(text) as { tags?: unknown }
    return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
  } catch (cause) {
    return fail('registry.answer-invalid', 'the list of tags is no JSON', { where: { source }, cause })
  }
}

/** The URL of the page that follows, where the answer names one of the same registry. */
export function nextPage({ headers, url }: Answer): URL | undefined {
  const found = /<([^>]+)>\s*;\s*rel="?next"?/.exec(String(headers['link'] ?? ''))?.[1]
  const next = found === undefined ? null : URL.parse(found, url.href)
  return next !== null && next.origin === url.origin ? next : undefined
}
