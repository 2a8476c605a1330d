/** A client of the Docker API over its socket: a request, its answer, and what an engine may say against it. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { type Clock, systemClock } from '../../kit/clock.ts'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'

export interface Docker {
  /** The answer's body as JSON; undefined for one of the statuses that are expected besides success. */
  ask(call: Call): Promise<Answer>
  /** The answer's body as it comes. */
  stream(call: Call): Promise<IncomingMessage>
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  /** What the engine says went wrong. */
  readonly message: string
  readonly header: (name: string) => string | undefined
}

const ourVersion = [1, 41] as const
const bodyBytesMax = 64 * 1024 * 1024
const longestPauseMs = 640

/** Connects when first asked; Docker and Podman number their versions differently, so one that both know is used. */
export function dockerAt(socketPath: string, clock: Clock = systemClock): Docker {
  let version: Promise<string> | undefined

  async function send(call: Call, prefix: string): Promise<IncomingMessage> {
    const query = call.query === undefined ? '' : `?${new URLSearchParams(call.query)}`
    const json = call.json === undefined ? undefined : Buffer.from(JSON.stringify(call.json))
    const body = json ?? call.body
    const headers: Record<string, string> = { host: 'docker' }
    if (json) headers['content-type'] = 'application/json'
    else if (call.body) headers['content-type'] = 'application/x-tar'
    if (body instanceof Uint8Array) headers['content-length'] = String(body.length)
    // Loaded when an engine is first asked: commands that ask none start sooner.
    const { request } = await import('node:http')
    const sent = request({
      socketPath,
      method: call.method,
      path: `${prefix}${call.path}${query}`,
      headers,
      ...present({ signal: call.signal }),
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve)
      sent.once('error', reject)
    })
    answered.catch(() => undefined)
    try {
      await write(sent, body)
      return await answered
    } catch (cause) {
      return unreachable(socketPath, cause)
    }
  }

  async function negotiate(): Promise<string> {
    const answer = await answerOf(await send({ method: 'GET', path: '/version' }, ''))
    const { ApiVersion = '1.41', MinAPIVersion = '1.24' } = answer.body as VersionAnswer
    if (isBelow(ApiVersion, ourVersion)) return `/v${ApiVersion}`
    return isBelow(MinAPIVersion, [ourVersion[0], ourVersion[1] + 1])
      ? `/v${ourVersion.join('.')}`
      : `/v${MinAPIVersion}`
  }

  async function prefix(): Promise<string> {
    version ??= negotiate()
    // An engine that was not there yet may come.
    version.catch(() => {
      version = undefined
    })
    return await version
  }

  /** Engines answer with a fault of their own when a container ends just while it is looked at. */
  async function ask(call: Call): Promise<Answer> {
    for (let pause = 10; ; pause *= 4) {
      const answer = await answerOf(await send(call, await prefix()))
      if (answer.status < 500 || call.method !== 'GET' || pause > longestPauseMs) return answer
      await clock.sleep(pause, call.signal)
    }
  }

  return {
    ask,
    stream: async (call) => await send(call, await prefix()),
  }
}

/** Why nothing answers at a socket, by what the system says of it. */
const unreachableHints: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'Nothing listens at this socket any more: start its engine again, or remove the file and start the broker anew.',
  ENOENT: 'Start the engine, or say in DOCKER_HOST where its socket is.',
  EACCES: 'Let the user of the broker read and write the socket, as members of its group may.',
}

function unreachable(socketPath: string, cause: unknown): never {
  const { message, code = '' } = cause as NodeJS.ErrnoException
  const detail = message.includes(socketPath) ? message : `${socketPath}: ${message}`
  return fail('engine.unavailable', detail, { cause, ...present({ hint: unreachableHints[code] }) })
}

async function write(sent: ClientRequest, body: Call['body']): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) {
    sent.end(body)
    return
  }
  for await (const piece of body) {
    if (!sent.write(piece)) await new Promise((resolve) => sent.once('drain', resolve))
  }
  sent.end()
}

interface VersionAnswer {
  readonly ApiVersion?: string
  readonly MinAPIVersion?: string
}

function isBelow(version: string, [major, minor]: readonly [number, number]): boolean {
  const [a = 0, b = 0] = version.split('.').map(Number)
  return a < major || (a === major && b < minor)
}

/** The whole body of an answer. Problems: engine.unavailable when it breaks off. */
export async function bytesOf(answer: IncomingMessage, bytesMax = bodyBytesMax): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > bytesMax) break
      pieces.push(piece)
    }
  } catch (cause) {
    fail('engine.unavailable', `an answer broke off: ${(cause as Error).message}`, { cause })
  }
  return Buffer.concat(pieces)
}

async function answerOf(message: IncomingMessage): Promise<Answer> {
  const text = (await bytesOf(message)).toString()
  const body = parsed(text)
  const { message: said, cause } = (body ?? {}) as { readonly message?: string; readonly cause?: string }
  return {
    status: message.statusCode ?? 0,
    body,
    message: said ?? cause ?? text.slice(0, 400),
    header: (name) => {
      const value = message.headers[name]
      return Array.isArray(value) ? value[0] : value
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Says what is wrong with an answer that should have been a success. */
export function expectSuccess({ status, message }: Answer, doing: string): void {
  if (status >= 200 && status < 400) return
  // What the engine refuses it will refuse again; its own faults may pass.
  fail(status >= 500 ? 'engine.unavailable' : 'engine.start-failed', `${doing}: ${message}`)
}
