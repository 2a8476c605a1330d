/** Listens: OSB paths are served by hand, everything else by the operator's side; drains when asked. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type Clock, systemChance } from '../kit/clock.ts'
import { fail } from '../model/problem.ts'
import { send } from './answer.ts'
import {
  type ConnectionLimits,
  type Connections,
  closeSoon,
  isAnswering,
  makeConnections,
} from './connections.ts'
import { echoing } from './osb/headers.ts'

export interface ServedTls {
  readonly cert: string
  readonly key: string
  /** Whose certificates of clients are taken, and whether every client must have one. */
  readonly clients?: { readonly ca: string; readonly required: boolean }
}

export interface ServerOptions {
  /** `host:port`; port 0 takes a free one. */
  readonly listen: string
  readonly tls?: ServedTls
  readonly requestTimeoutMs: number
  readonly headersTimeoutMs: number
  readonly keepAliveMs: number
  readonly clock: Pick<Clock, 'monotonic'>
  /** As they are at the moment. */
  connectionLimits(): ConnectionLimits
  /** Whether a connection from there may speak for others. */
  trusts(address: string | undefined): boolean
  /** What stands before every path where platforms know the broker, as in `/broker`; empty: nothing. */
  readonly pathPrefix: string
}

export interface Listening {
  /** `http://127.0.0.1:8080` */
  readonly url: string
  /** Takes a renewed certificate. */
  renew(tls: ServedTls): void
  /** Takes no new connection, lets requests in flight end, then closes. */
  close(withinMs: number): Promise<void>
}

export interface Sides {
  osb(request: IncomingMessage, response: ServerResponse): void
  other(request: IncomingMessage, response: ServerResponse): void
}

/** How often connections are looked at: what is promised in seconds is kept within one. */
const checkEveryMs = 1000

/** Opens the listener. */
export async function listen(options: ServerOptions, sides: Sides): Promise<Listening> {
  const { clock, keepAliveMs, trusts } = options
  const connections = makeConnections({ clock, keepAliveMs, trusts, limits: options.connectionLimits })
  const { server, renew } = makeServer(options, (request, response) => {
    if (!connections.begins(request, response)) return
    const wrong = envelopeFault(request)
    if (wrong !== undefined) {
      refuse(request, response, { status: 400, description: wrong })
      return
    }
    const url = targetOf(request.url ?? '', options.pathPrefix)
    request.url = url
    if (url.startsWith('/v2/') || url === '/v2') sides.osb(request, response)
    else sides.other(request, response)
  })
  watchConnections(server, connections, options)
  server.on('checkExpectation', (request, response) =>
    refuse(request, response, { status: 417, description: 'Only 100-continue can be expected' }),
  )
  // Of what a tunnel would lead to nothing is served here, by no method.
  server.on('connect', (_request, socket) =>
    answerRaw(socket as Socket, '405 Method Not Allowed', {
      text: 'This is no proxy',
      headers: ['Allow: '],
    }),
  )
  const { host, port } = addressOf(options.listen)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  }).catch((error: Error) =>
    fail('settings.invalid', `http.listen ${options.listen}: ${error.message}`, { cause: error }),
  )
  const scheme = options.tls ? 'https' : 'http'
  return {
    url: `${scheme}://${shownHost(host)}:${(server.address() as AddressInfo).port}`,
    renew,
    close: (withinMs) => close(server, connections, withinMs),
  }
}

/** Slow, half-open and hoarded connections are ended. */
function watchConnections(server: Server, connections: Connections, options: ServerOptions): void {
  server.requestTimeout = options.requestTimeoutMs
  server.headersTimeout = options.headersTimeoutMs
  server.keepAliveTimeout = options.keepAliveMs
  server.on('connection', connections.opened)
  server.on('secureConnection', connections.secured)
  server.on('clientError', (error, socket) => refuseMalformed(codeOf(error), socket as Socket))
  const timer = setInterval(
    () => connections.check((socket) => refuseMalformed('ERR_HTTP_REQUEST_TIMEOUT', socket)),
    checkEveryMs,
  )
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

function makeServer(
  options: ServerOptions,
  listener: RequestListener,
): { server: Server; renew: Listening['renew'] } {
  const limits = {
    maxHeaderSize: 16 * 1024,
    // The check for a host header is ours: the library's refusal has no body.
    requireHostHeader: false,
    connectionsCheckingInterval: checkEveryMs,
    // A peer that vanished without a word is found out.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    optimizeEmptyRequests: true,
  }
  if (!options.tls) {
    const server = createServer(limits, listener)
    // Whether a body is wanted is known when its sender is admitted.
    server.on('checkContinue', listener)
    return { server, renew: () => undefined }
  }
  const encrypted: RequestListener = (request, response) => {
    // A year: a client that has seen the broker encrypted does not come back in the clear.
    response.setHeader('Strict-Transport-Security', 'max-age=31536000')
    listener(request, response)
  }
  const server = createTlsServer(
    {
      ...limits,
      ...contextOf(options.tls),
      ...(options.tls.clients ? { requestCert: true, rejectUnauthorized: options.tls.clients.required } : {}),
      minVersion: 'TLSv1.2',
      ciphers,
      handshakeTimeout: options.headersTimeoutMs,
    },
    encrypted,
  )
  server.on('checkContinue', encrypted)
  const renew = (tls: ServedTls): void => {
    server.setSecureContext(contextOf(tls))
    // A client whose certificate another authority vouched for has to show it anew.
    if (tls.clients) server.setTicketKeys(Buffer.from(systemChance.bytes(48)))
  }
  return { server, renew }
}

function contextOf({ cert, key, clients }: ServedTls) {
  return { cert, key, ...(clients ? { ca: clients.ca } : {}) }
}

/** Keys that are forgotten after the connection, and sealed records: nothing of TLS 1.2 besides is taken. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':')

/** What is not HTTP, or comes too slowly, gets an answer, too, as long as the connection is open. */
function refuseMalformed(code: string, socket: Socket): void {
  if (!socket.writable || code === 'ECONNRESET' || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const [status, text] = clientErrors[code] ?? ['400 Bad Request', 'The request is malformed']
  answerRaw(socket, status, { text })
}

function codeOf({ code = '' }: NodeJS.ErrnoException): string {
  return code
}

/** An answer on a connection that has left HTTP. */
function answerRaw(
  socket: Socket,
  status: string,
  { text, headers = [] }: { readonly text: string; readonly headers?: readonly string[] },
): void {
  const body = JSON.stringify({ description: text })
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    ...headers,
    'Connection: close',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  closeSoon(socket)
}

function refuse(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { status, description }: { readonly status: number; readonly description: string },
): void {
  response.setHeader('Connection', 'close')
  send(response, echoing(headers, { status, body: { description } }))
}

/** What is wrong with a request before its path is looked at. */
function envelopeFault({
  httpVersionMajor,
  httpVersion,
  headers,
  rawHeaders,
  url = '',
}: IncomingMessage): string | undefined {
  if (httpVersionMajor !== 1) return 'Only HTTP/1.1 and HTTP/1.0 are served'
  // PostgreSQL keeps no NUL, and no name needs one.
  if (url.includes('%00')) return 'The address holds a NUL character'
  if (headers.host === undefined) return httpVersion === '1.1' ? 'The header Host is missing' : undefined
  if (hosts(rawHeaders) > 1) return 'The header Host is there more than once'
  return hostForm.test(headers.host) ? undefined : 'The header Host is no address'
}

/** RFC 9110, 7.2: a name, an IPv4 or a bracketed IPv6 address, and maybe a port; empty where there is no authority. */
const hostForm = /^(?:\[[\w:.%~-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/

/** Of several the library keeps the first, and a proxy in front may have gone by another. */
function hosts(rawHeaders: readonly string[]): number {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') found += 1
  }
  return found
}

/**
 * The path and query that a request means: without the address in front (RFC 9112, 3.2.2), without the prefix,
 * and with one slash at its beginning, for platforms put a path behind a base URL that may end with one.
 */
export function targetOf(url: string, prefix: string): string {
  let target = url
  if (!target.startsWith('/')) {
    const address = /^https?:\/\/[^/?#]*/i.exec(target)?.[0]
    if (address !== undefined) target = target.slice(address.length)
    if (address !== undefined && !target.startsWith('/')) target = `/${target}`
  }
  if (target.startsWith('//')) target = target.replace(/^\/+/, '/')
  if (prefix === '' || !target.startsWith(prefix)) return target
  const rest = target.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest.replace(/^\/+/, '/') : target
}

const clientErrors: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}

async function close(server: Server, connections: Connections, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  connections.drain()
  const timer = setTimeout(() => server.closeAllConnections(), withinMs)
  await closed
  clearTimeout(timer)
}

function addressOf(listen: string): { readonly host: string; readonly port: number } {
  const colon = listen.lastIndexOf(':')
  return { host: listen.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(listen.slice(colon + 1)) }
}

function shownHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The answer to an address that no route serves. */
export function nothingHere(_request: IncomingMessage, response: ServerResponse): void {
  send(response, { status: 404, body: { description: 'There is nothing at this address' } })
}
