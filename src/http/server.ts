/** Listens: OSB paths are served by hand, everything else by the operator's side; drains when asked. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { fail } from '../model/problem.ts'
import { send } from './answer.ts'
import { echoing } from './osb/headers.ts'

export interface ServerOptions {
  /** `host:port`; port 0 takes a free one. */
  readonly listen: string
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly requestTimeoutMs: number
  readonly headersTimeoutMs: number
  readonly keepAliveMs: number
}

export interface Listening {
  /** `http://127.0.0.1:8080` */
  readonly url: string
  /** Takes a renewed certificate. */
  renew(tls: { readonly cert: string; readonly key: string }): void
  /** Takes no new connection, lets requests in flight end, then closes. */
  close(withinMs: number): Promise<void>
}

export interface Sides {
  osb(request: IncomingMessage, response: ServerResponse): void
  other(request: IncomingMessage, response: ServerResponse): void
}

/** Opens the listener. */
export async function listen(options: ServerOptions, sides: Sides): Promise<Listening> {
  const { server, renew } = makeServer(options, (request, response) => {
    const url = request.url ?? ''
    const wrong = envelopeFault(request)
    if (wrong !== undefined) refuse(request, response, { status: 400, description: wrong })
    else if (url.startsWith('/v2/') || url === '/v2') sides.osb(request, response)
    else sides.other(request, response)
  })
  server.requestTimeout = options.requestTimeoutMs
  server.headersTimeout = options.headersTimeoutMs
  server.keepAliveTimeout = options.keepAliveMs
  server.on('clientError', refuseMalformed)
  server.on('checkExpectation', (request, response) =>
    refuse(request, response, { status: 417, description: 'Only 100-continue can be expected' }),
  )
  // Of what a tunnel would lead to nothing is served here, by no method.
  server.on('connect', (_request, socket) =>
    answerRaw(socket, '405 Method Not Allowed', { text: 'This is no proxy', headers: ['Allow: '] }),
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
    close: (withinMs) => close(server, withinMs),
  }
}

function makeServer(
  options: ServerOptions,
  listener: RequestListener,
): { server: Server; renew: Listening['renew'] } {
  // The check for a host header is ours: the library's refusal has no body.
  const limits = { maxHeaderSize: 16 * 1024, requireHostHeader: false }
  if (!options.tls) return { server: createServer(limits, listener), renew: () => undefined }
  const encrypted: RequestListener = (request, response) => {
    // A year: who has seen us encrypted does not come back in the clear.
    response.setHeader('Strict-Transport-Security', 'max-age=31536000')
    listener(request, response)
  }
  const server = createTlsServer({ ...limits, ...options.tls, minVersion: 'TLSv1.2' }, encrypted)
  return { server, renew: (tls) => server.setSecureContext(tls) }
}

/** A request that is not HTTP gets an answer, too, as long as there is somebody to hear it. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, text] = clientErrors[error.code ?? ''] ?? ['400 Bad Request', 'The request is malformed']
  answerRaw(socket, status, { text })
}

/** An answer on a connection that has left HTTP. */
function answerRaw(
  socket: Duplex,
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
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
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
  url = '',
}: IncomingMessage): string | undefined {
  if (httpVersionMajor !== 1) return 'Only HTTP/1.1 and HTTP/1.0 are served'
  // PostgreSQL keeps no NUL, and nobody names anything with one.
  if (url.includes('%00')) return 'The address holds a NUL character'
  return httpVersion === '1.1' && headers.host === undefined ? 'The header Host is missing' : undefined
}

const clientErrors: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}

async function close(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
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

/** The answer to anything that nobody serves. */
export function nothingHere(_request: IncomingMessage, response: ServerResponse): void {
  send(response, { status: 404, body: { description: 'There is nothing at this address' } })
}
