/** One request to a running broker: credentials, time limit, problems instead of bad statuses. */
import { parseJson } from '../kit/exact.ts'
import { fail, ProblemError } from '../model/problem.ts'
import { authorizationOf, type Credentials } from './credentials.ts'
import { problemFrom } from './problem.ts'
import { unreachable } from './unreachable.ts'

export interface Server {
  readonly url: string
  readonly credentials: Credentials
  /** How long one answer may take. */
  readonly timeoutMs?: number
  /** Told of each request and answer, without bodies and credentials. */
  readonly trace?: (line: string) => void
}

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below /api/v1. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const usualTimeoutMs = 60_000

/** The parsed answer. Problems: server.unreachable, and whatever the broker says. */
export async function ask<T>(server: Server, outgoing: Outgoing): Promise<T> {
  const response = await send(server, outgoing, AbortSignal.timeout(server.timeoutMs ?? usualTimeoutMs))
  if (response.status === 204) return undefined as T
  return parseJson(await response.text()) as T
}

/** The answer's bytes. */
export async function askBytes(server: Server, outgoing: Outgoing): Promise<Uint8Array> {
  const response = await send(server, outgoing, AbortSignal.timeout(server.timeoutMs ?? usualTimeoutMs))
  return new Uint8Array(await response.arrayBuffer())
}

/** An answer that goes on for as long as the caller listens. */
export async function askStream(server: Server, outgoing: Outgoing): Promise<AsyncIterable<Uint8Array>> {
  const { body } = await send(server, outgoing, undefined)
  return body ?? fail('server.unreachable', 'the answer has no body')
}

async function send(server: Server, outgoing: Outgoing, limit: AbortSignal | undefined): Promise<Response> {
  const { method, body, headers = {} } = outgoing
  const url = urlOf(server, outgoing)
  const signals = [outgoing.signal, limit].filter((one) => one !== undefined)
  const startedAt = performance.now()
  const response = await fetch(url, {
    method,
    redirect: 'error',
    headers: {
      Authorization: authorizationOf(server.credentials),
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
  }).catch((cause: unknown) => unreachable(originOf(server.url), cause))
  server.trace?.(
    `${method} ${url.pathname}${url.search} ${response.status} ${Math.round(performance.now() - startedAt)}ms`,
  )
  if (response.ok) return response
  const document: unknown = await response.json().catch(() => undefined)
  throw new ProblemError(problemFrom(document, response.status))
}

function urlOf(server: Server, { path, query = {} }: Outgoing): URL {
  const base = server.url.endsWith('/') ? server.url.slice(0, -1) : server.url
  const url = URL.parse(`${base}/api/v1${path}`) ?? fail('usage.invalid', `${server.url} is not a URL`)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

function originOf(url: string): string {
  const { hostname, port, protocol } = URL.parse(url) ?? { hostname: url, port: '', protocol: '' }
  return `${protocol}//${hostname}${port === '' ? '' : `:${port}`}`
}
