/** A client of the Kubernetes API: questions and answers, a watch as a stream of lines, and programs that are run in pods. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Agent, RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import type { ClusterPlace } from './credentials.ts'
import type { Shape } from './shape.ts'
import { upgradeHeaders } from './web-socket.ts'

export interface Kube {
  readonly place: ClusterPlace
  ask(call: KubeCall): Promise<KubeAnswer>
  /** Each line of an answer that does not end by itself. */
  lines(call: KubeCall): Promise<{ readonly status: number; readonly lines: AsyncIterable<string> }>
  /** A connection that was upgraded, and what came with the upgrade. */
  upgrade(call: KubeCall, protocol: string): Promise<{ readonly socket: Duplex; readonly head: Buffer }>
  close(): void
}

export interface KubeCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With its query. */
  readonly path: string
  readonly body?: object
  readonly signal?: AbortSignal
}

export interface KubeAnswer {
  readonly status: number
  readonly body: Shape
  /** `AlreadyExists`, `Forbidden` …; empty where there is none. */
  readonly reason: string
  readonly message: string
}

/** For how long a server may say nothing. */
export const usualSilenceMs = 60_000

const bodyBytesMax = 64 * 1024 * 1024

/** Connects when first asked. Problems of all calls: engine.unavailable, also where no answer comes, engine.denied. */
export function kubeAt(place: ClusterPlace, silenceMs = usualSilenceMs): Kube {
  const isPlain = place.server.startsWith('http:')
  let agent: Agent | undefined

  async function send(
    call: KubeCall,
    more: Readonly<Record<string, string>>,
    { anew = false, apart = more['upgrade'] !== undefined, quiet = false }: Sending = {},
  ): Promise<Sent | Stale> {
    const { token, certificate, key } = await place.credentials(anew)
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body))
    const type = call.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const url = new URL(`${place.server}${call.path}`)
    const headers = {
      accept: 'application/json',
      'user-agent': 'chandler',
      ...present({ authorization: token && `Bearer ${token}` }),
      ...present({ 'content-type': body && type, 'content-length': body?.length }),
      ...more,
    }
    const options: RequestOptions = {
      ...{ method: call.method, headers, rejectUnauthorized: !place.unverified },
      ...present({ ca: place.authority, servername: place.serverName, signal: call.signal }),
      ...present({ cert: certificate, key }),
    }
    // Loaded when a cluster is first asked: brokers without one start sooner.
    const { request, Agent: Keeping } = await import('node:https')
    agent ??= new Keeping({ keepAlive: true, maxSockets: 64 })
    const sent = isPlain
      ? (await import('node:http')).request(url, apart ? { ...options, agent: false } : options)
      : request(url, { ...options, agent: apart ? false : agent })
    // A server that is lost, or forgotten by what lies between, ends no connection.
    if (!quiet) sent.setTimeout(silenceMs, () => sent.destroy(noAnswer(place.server, silenceMs)))
    sent.end(body)
    return await arrival(sent, place.server)
  }

  /** Credentials may have been exchanged since they were read, and a server may just have closed a connection that was kept. */
  async function sendTwice(
    call: KubeCall,
    more: Readonly<Record<string, string>> = {},
    how: Sending = {},
  ): Promise<Sent> {
    const first = await send(call, more, how)
    if (first.kind === 'stale') return expectAnswer(await send(call, more, { ...how, apart: true }))
    if (first.kind !== 'answer' || first.message.statusCode !== 401) return first
    await textOf(first.message)
    return expectAnswer(await send(call, more, { ...how, anew: true, apart: true }))
  }

  return {
    place,
    ask: async (call) => expectPermitted(await answerOf(messageOf(await sendTwice(call)))),
    async lines(call) {
      const message = messageOf(await sendTwice(call, {}, { quiet: true }))
      if (message.statusCode === 200) return { status: 200, lines: linesOf(message) }
      const { status } = expectPermitted(await answerOf(message))
      return { status, lines: linesOf(message) }
    },
    async upgrade(call, protocol) {
      const sent = await sendTwice(call, upgradeHeaders(protocol))
      if (sent.kind === 'upgrade') return sent
      const { status, message } = expectPermitted(await answerOf(sent.message))
      return fail(status === 404 ? 'engine.layout-gone' : 'engine.unavailable', message || `status ${status}`)
    },
    close: () => agent?.destroy(),
  }
}

interface Sending {
  /** Asks for credentials again. */
  readonly anew?: boolean
  /** On a connection of its own. */
  readonly apart?: boolean
  /** What answers may say nothing for long. */
  readonly quiet?: boolean
}

type Sent =
  | { readonly kind: 'answer'; readonly message: IncomingMessage }
  | { readonly kind: 'upgrade'; readonly socket: Duplex; readonly head: Buffer }

/** The connection was an old one, and gone before the request was read. */
interface Stale {
  readonly kind: 'stale'
  readonly cause: Error
}

function expectAnswer(sent: Sent | Stale): Sent {
  return sent.kind === 'stale' ? fail('engine.unavailable', sent.cause.message, { cause: sent.cause }) : sent
}

function messageOf(sent: Sent): IncomingMessage {
  return sent.kind === 'answer'
    ? sent.message
    : fail('engine.unavailable', 'an upgrade that nothing asked for')
}

function arrival(sent: ClientRequest, server: string): Promise<Sent | Stale> {
  return new Promise<Sent | Stale>((resolve, reject) => {
    sent.once('response', (message: IncomingMessage) => resolve({ kind: 'answer', message }))
    sent.once('upgrade', (_message, socket, head) => {
      socket.setTimeout(0)
      resolve({ kind: 'upgrade', socket, head })
    })
    sent.once('error', (cause: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && cause.code === 'ECONNRESET') resolve({ kind: 'stale', cause })
      else reject(cause)
    })
  }).catch((cause: Error) => {
    if (cause instanceof ProblemError) throw cause
    return fail('engine.unavailable', `${server}: ${cause.message}`, { cause })
  })
}

function noAnswer(server: string, silenceMs: number): ProblemError {
  return new ProblemError({
    code: 'engine.unavailable',
    detail: `${server}: no answer within ${silenceMs} ms`,
  })
}

async function textOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of message as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > bodyBytesMax) fail('engine.unavailable', 'an answer without end')
      pieces.push(piece)
    }
  } catch (cause) {
    fail('engine.unavailable', `an answer broke off: ${(cause as Error).message}`, { cause })
  }
  return Buffer.concat(pieces).toString()
}

async function answerOf(message: IncomingMessage): Promise<KubeAnswer> {
  const text = await textOf(message)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const object = isObject(body) ? body : {}
  return {
    status: message.statusCode ?? 0,
    body: object,
    reason: String(object['reason'] ?? ''),
    message: String(object['message'] ?? text.slice(0, 400)),
  }
}

/** Credentials that are not taken, and rights that lack, are told as such: asking again mends neither. */
function expectPermitted(answer: KubeAnswer): KubeAnswer {
  const { status, message } = answer
  // A quota and a namespace that is going speak with the same status.
  const isOther =
    /exceeded quota|is being terminated|violates PodSecurity|error looking up service account/.test(message)
  if (status === 401) return fail('engine.denied', message || 'the credentials are not taken')
  if (status === 403 && !isOther) return fail('engine.denied', message)
  return answer
}

async function* linesOf(message: IncomingMessage): AsyncGenerator<string> {
  let rest = ''
  message.setEncoding('utf8')
  for await (const piece of message as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
  }
}

/** Says what is wrong with an answer that should have been a success. */
export function expectDone({ status, message }: KubeAnswer, doing: string): void {
  if (status >= 200 && status < 300) return
  fail(
    status === 429 || status >= 500 ? 'engine.unavailable' : 'engine.start-failed',
    `${doing}: ${message || `status ${status}`}`,
  )
}
