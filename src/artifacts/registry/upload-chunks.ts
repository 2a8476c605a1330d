/** Sends a large blob to a registry piece by piece, so that a broken connection costs the rest of one piece. */
import { fail, toProblem } from '../../model/problem.ts'
import { documentBytesMax } from '../limits.ts'
import { readText, refused, type Session } from './session.ts'
import type { Answer } from './transport.ts'

/** Held in memory while it is sent; above what object stores behind registries want at least. */
const chunkBytes = 16 * 1024 * 1024

/** Attempts in a row that may bring nothing new. */
const attemptsMax = 4

interface ChunkedUpload {
  readonly session: Session
  readonly scopes: readonly string[]
  /** The repository, for messages. */
  readonly source: string
  readonly signal: AbortSignal
}

/** Where an upload goes on: the URL that the registry gave last, and how many bytes it has. */
interface Place {
  readonly url: URL
  readonly at: number
}

/** Sends all bytes; answers the URL at which the upload is finished. Problems: registry.*, those of the bytes. */
export async function sendChunks(
  bytes: AsyncIterable<Uint8Array>,
  started: URL,
  upload: ChunkedUpload,
): Promise<URL> {
  let place: Place = { url: started, at: 0 }
  for await (const chunk of chunksOf(bytes)) place = await sendChunk(chunk, place, upload)
  return place.url
}

async function sendChunk(chunk: Uint8Array, start: Place, upload: ChunkedUpload): Promise<Place> {
  const end = start.at + chunk.byteLength
  let place = start
  for (let fruitless = 0; place.at < end; ) {
    const before = place.at
    try {
      place = await patch(chunk.subarray(before - start.at), place, upload)
    } catch (error) {
      const { code } = toProblem(error)
      const mayPass = code === 'registry.failed' || code === 'registry.unreachable'
      if (!mayPass || upload.signal.aborted || fruitless >= attemptsMax) throw error
      // Where the registry cannot tell, the upload is begun anew.
      const found = await askPlace(place, upload).catch(() => undefined)
      if (found === undefined || found.at < before || found.at > end) throw error
      place = found
    }
    fruitless = place.at > before ? 0 : fruitless + 1
  }
  return place
}

async function patch(rest: Uint8Array, { url, at }: Place, upload: ChunkedUpload): Promise<Place> {
  const end = at + rest.byteLength
  const answer = await upload.session.send({
    method: 'PATCH',
    path: url,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(rest.byteLength),
      'content-range': `${at}-${end - 1}`,
    },
    body: () => rest,
    attemptsMax: 1,
    scopes: upload.scopes,
    signal: upload.signal,
  })
  const text = await readText(answer, documentBytesMax)
  if (answer.status !== 202 && answer.status !== 204) throw refused(answer, text, upload.source)
  const has = bytesAt(answer) ?? end
  if (has <= at || has > end)
    fail('registry.answer-invalid', `an upload with ${has} bytes after ${end} were sent`, {
      where: { source: upload.source },
    })
  return { url: locationOf(answer) ?? url, at: has }
}

/** How far the registry says that the upload has come; undefined: it does not say. */
async function askPlace({ url }: Place, upload: ChunkedUpload): Promise<Place | undefined> {
  const { scopes, signal } = upload
  const answer = await upload.session.send({ method: 'GET', path: url, scopes, signal })
  await answer.body.dump()
  const at = bytesAt(answer)
  return answer.status !== 204 || at === undefined ? undefined : { url: locationOf(answer) ?? url, at }
}

/** `0-0` stands for one byte, and with many registries for none. */
function bytesAt({ headers }: Answer): number | undefined {
  const last = /^(?:bytes=)?0-(\d+)$/.exec(String(headers['range'] ?? ''))?.[1]
  return last === undefined || last === '0' ? undefined : Number(last) + 1
}

/** The URL of an upload as an answer gives it. */
export function locationOf({ headers, url: asked }: Answer): URL | undefined {
  const location = headers['location']
  const url = typeof location === 'string' ? URL.parse(location, asked.href) : null
  // Behind a proxy that ends TLS a registry may believe it is reached by plain HTTP.
  if (url !== null && url.host === asked.host) url.protocol = asked.protocol
  return url ?? undefined
}

/** All chunks share one buffer: a chunk counts until the next is asked for. */
async function* chunksOf(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes)
  let filled = 0
  for await (const piece of bytes) {
    for (let at = 0; at < piece.byteLength; ) {
      const part = piece.subarray(at, at + chunkBytes - filled)
      buffer.set(part, filled)
      at += part.byteLength
      filled += part.byteLength
      if (filled < chunkBytes) continue
      yield buffer
      filled = 0
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}
