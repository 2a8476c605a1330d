/** Serves the API over TLS: a token tells the run, bodies and rates are bounded, watches are streams. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Clock } from '../../kit/clock.ts'
import type { JsonObject } from '../../kit/json.ts'
import { type Allowances, openAllowances, type Reading } from './allowances.ts'
import { type ApiRequest, answer, targetOf, tooManyRequirements } from './api.ts'
import { forward, type Way, wayOf } from './forward.ts'
import { selectorOf } from './selectors.ts'
import type { Session } from './session.ts'
import type { SessionFiles } from './session-files.ts'
import { type Answer, refusal } from './status.ts'

export interface ApiServer {
  readonly port: number
  close(): Promise<void>
}

const bodyBytesMax = 3 * 1024 * 1024
const watchesMax = 20
const watchSecondsMax = 1800
/** An answer of which so long nothing was read is broken off. */
const stalledMs = 60_000
/** Connections of which so long nothing came that could be answered are closed. */
const silentMs = 10_000
/** A container and its clients have a few; of an address of this host come those of many. */
const connectionsMax = { all: 4096, ofOne: 512 }

/** Starts serving; port 0 takes any that is free. */
export async function serveApi(
  files: SessionFiles,
  clock: Clock,
  at: { host: string; port: number },
): Promise<ApiServer> {
  const { certificate, key } = files.identity()
  const allowances = openAllowances(clock)
  const server: Server = createServer(
    {
      ...{ cert: certificate, key, minVersion: 'TLSv1.2', handshakeTimeout: silentMs },
      ...{ requestTimeout: 60_000, headersTimeout: silentMs, connectionsCheckingInterval: silentMs / 2 },
    },
    (request, response) => {
      // Whatever a bundle sends, it must not end the broker.
      serve({ files, clock, allowances }, request, response).catch(() =>
        send(response, refusal('InternalError', 'the request could not be served')),
      )
    },
  )
  // What a client breaks off is no fault of ours.
  for (const event of ['clientError', 'tlsClientError'] as const)
    server.on(event, (_error, socket) => socket.destroy())
  boundConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at.port, at.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** So that no container takes the files away that this process may have open. */
function boundConnections(server: Server): void {
  server.maxConnections = connectionsMax.all
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: from = '' } = socket
    if (from.startsWith('127.')) return
    const count = (open.get(from) ?? 0) + 1
    open.set(from, count)
    socket.once('close', () => {
      const left = (open.get(from) ?? 1) - 1
      if (left === 0) open.delete(from)
      else open.set(from, left)
    })
    if (count > connectionsMax.ofOne) socket.destroy()
  })
}

interface Serving {
  readonly files: SessionFiles
  readonly clock: Clock
  readonly allowances: Allowances
}

async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { files, allowances } = serving
  response.on('error', () => response.destroy())
  const session = sessionOf(files, request)
  if (session === undefined) {
    unread(request, response)
    send(response, refusal('Unauthorized', 'Unauthorized'))
    return
  }
  if (!allowances.mayAsk(session.run)) {
    unread(request, response)
    putOff(response, 'the action asks too often; please try again')
    return
  }
  const reading = allowances.reading(session.run)
  try {
    const body = await bodyOf(request, reading)
    if (typeof body === 'string') serveWhole(serving, session, { request, body }, response)
    else if (body.kind === 'too-large')
      send(response, refusal('RequestEntityTooLarge', 'the body is too large'))
    else putOff(response, 'the action sends too much at once; please try again')
  } finally {
    reading.end()
  }
}

/** What has come with a request that is not read on is not waited for. */
function unread({ headers }: IncomingMessage, response: ServerResponse): void {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = headers
  if (encoding !== undefined || length !== '0') response.setHeader('Connection', 'close')
}

/** Serves a request whose body is known. */
function serveWhole(
  { files, clock, allowances }: Serving,
  session: Session,
  { request, body }: { readonly request: IncomingMessage; readonly body: string },
  response: ServerResponse,
): void {
  allowances.moved(session.run, body.length)
  // Written behind the host, so that no path is taken for another host.
  const url = URL.parse(`https://kubernetes.default${request.url ?? '/'}`)
  if (url === null) {
    send(response, refusal('BadRequest', 'the path cannot be read'))
    return
  }
  const asked: ApiRequest = {
    method: request.method ?? 'GET',
    path: url.pathname.replace(/\/+$/, '') || '/',
    query: url.searchParams,
    mediaType: (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    accept: request.headers.accept ?? '',
    body,
    now: clock.now(),
    newId: randomUUID,
  }
  // Not before: of many requests at once the first answers may already be too much.
  if (allowances.isUnread(session.run)) {
    putOff(response, 'earlier answers have not been read; please read them first')
    return
  }
  allowances.answering(session.run, response)
  const way = wayOf(session, asked)
  if (way.kind !== 'own') {
    passOn(session, way, { ...asked, url: `${asked.path}${url.search}`, headers: request.headers }, response)
    return
  }
  if (asked.method === 'GET' && isWatch(asked)) {
    watch(session, asked, { response, allowances })
    return
  }
  const missed = session.missed
  const { answer: told, changed } = answer(session, asked)
  if (changed || session.missed !== missed) allowances.kept(session.run, files.save(session))
  response.setTimeout(stalledMs, () => response.destroy())
  allowances.moved(session.run, send(response, told))
}

function putOff(response: ServerResponse, why: string): void {
  response.setHeader('Retry-After', '1')
  send(response, refusal('TooManyRequests', why))
}

function passOn(
  session: Session,
  way: Exclude<Way, { readonly kind: 'own' }>,
  asked: ApiRequest & { readonly url: string; readonly headers: IncomingMessage['headers'] },
  response: ServerResponse,
): void {
  if (way.kind === 'refused') {
    send(response, way.answer)
    return
  }
  if (session.forwarded >= watchesMax) {
    send(response, refusal('TooManyRequests', 'too many calls are on their way to the cluster'))
    return
  }
  session.forwarded += 1
  response.once('close', () => {
    session.forwarded -= 1
  })
  const { 'content-type': type, accept, 'user-agent': agent } = asked.headers
  const headers = { 'content-type': type, accept, 'user-agent': agent }
  forward(way.cluster, { ...asked, headers }, response)
}

function sessionOf(files: SessionFiles, request: IncomingMessage): Session | undefined {
  const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  return token === undefined ? undefined : files.byToken(token)
}

/** The body, or why it is not read to its end: it is longer than allowed, or with others of its run more than may wait. */
async function bodyOf(
  request: IncomingMessage,
  reading: Reading,
): Promise<string | { readonly kind: 'too-large' | 'too-much' }> {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > bodyBytesMax) return { kind: 'too-large' }
      if (!reading.take(piece.length)) return { kind: 'too-much' }
      pieces.push(piece)
    }
  } catch {
    // The client has closed the connection; the answer is dropped.
    return { kind: 'too-large' }
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Tells how many bytes were sent. */
function send(response: ServerResponse, { code, body }: Answer): number {
  if (response.destroyed) return 0
  const [type, bytes] = encoded(body)
  response.writeHead(code, { 'content-type': type })
  response.end(bytes)
  return bytes.length
}

function encoded(body: Answer['body']): readonly [type: string, bytes: Uint8Array] {
  if (typeof body === 'string') return ['text/plain', Buffer.from(body)]
  if (body instanceof Uint8Array) return ['application/com.github.proto-openapi.spec.v2.v1.0+protobuf', body]
  return ['application/json', Buffer.from(JSON.stringify(body))]
}

function isWatch({ query }: ApiRequest): boolean {
  return ['true', '1'].includes(query.get('watch') ?? '')
}

/** What is there first, then every change, until the client goes, reads no more, or its time is over. */
function watch(
  session: Session,
  request: ApiRequest,
  { response, allowances }: { readonly response: ServerResponse; readonly allowances: Allowances },
): void {
  const target = targetOf(session, request.path)
  if ('code' in target) {
    send(response, target)
    return
  }
  const selects = selectorOf(request.query)
  if (selects === undefined) {
    send(response, tooManyRequirements)
    return
  }
  if (session.watching >= watchesMax) {
    send(response, refusal('TooManyRequests', 'there are too many watches'))
    return
  }
  const asked = Number(request.query.get('timeoutSeconds') ?? watchSecondsMax)
  const seconds = Number.isFinite(asked) ? Math.min(Math.max(asked, 1), watchSecondsMax) : watchSecondsMax
  const fits = (change: { readonly object: JsonObject }) =>
    selects(change.object) &&
    (target.name === undefined ||
      (change.object['metadata'] as { readonly name?: string }).name === target.name)
  response.writeHead(200, { 'content-type': 'application/json' })
  // Nothing may happen for long, and clients wait for a beginning.
  response.flushHeaders()
  const tell = (type: string, object: unknown): void => {
    if (response.destroyed) return
    // Clients begin a watch that has ended anew, from the version they have seen.
    if (allowances.isUnread(session.run)) {
      response.destroy()
      return
    }
    const line = Buffer.from(`${JSON.stringify({ type, object })}\n`)
    response.write(line)
    allowances.moved(session.run, line.length)
  }
  // A list that was read before names its version: what is older was in it.
  const since = Number(request.query.get('resourceVersion') ?? 0)
  for (const found of session.objects.list(target.resource, target.namespace)) {
    const { resourceVersion } = found.object['metadata'] as { readonly resourceVersion?: string }
    if (fits(found) && Number(resourceVersion) > since) tell('ADDED', found.object)
  }
  const stop = session.watch((change) => {
    const isHere = change.key.resource === target.resource && change.key.namespace === target.namespace
    if (isHere && fits(change)) tell(change.type, change.object)
  })
  const time = setTimeout(() => response.end(), seconds * 1000)
  time.unref()
  response.on('close', () => {
    clearTimeout(time)
    stop()
  })
}
