/** Runs a program in a container of a pod: what goes in, what it prints, how it ended. */

import type { Clock } from '../../kit/clock.ts'
import { enough } from '../../kit/enough.ts'
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import type { Kube } from './client.ts'
import type { Shape } from './shape.ts'
import { clientFrame, frameReader } from './web-socket.ts'

export interface Exec {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly argv: readonly [string, ...string[]]
  /** Its standard input has no end: the program must know how much it is. */
  readonly stdin?: AsyncIterable<Uint8Array>
  /** What it prints, as it comes; the next piece waits for it. */
  take?(piece: Buffer): Promise<void> | void
  readonly signal?: AbortSignal
  readonly clock: Clock
  /** A connection on which nothing comes for so long, not even the answer to a question of ours, is lost. */
  readonly silenceMs: number
}

export interface Executed {
  readonly exit: number
  /** What it printed, where nothing took it. */
  readonly stdout: Buffer
  readonly stderr: string
}

const protocol = 'v4.channel.k8s.io'
const channels = { stdin: 0, stdout: 1, stderr: 2, end: 3 } as const
const printedBytesMax = 64 * 1024 * 1024
const pieceBytes = 64 * 1024

/** Problems: engine.unavailable when the connection breaks before the end, engine.denied, engine.layout-gone. */
export async function execute(kube: Kube, exec: Exec): Promise<Executed> {
  const { namespace, pod, container, argv, signal, stdin } = exec
  const query = new URLSearchParams({ container, stdout: 'true', stderr: 'true' })
  if (stdin !== undefined) query.append('stdin', 'true')
  for (const word of argv) query.append('command', word)
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query}`
  const call = present({ method: 'GET' as const, path, signal })
  const { socket, head } = await kube.upgrade(call, protocol)
  const leave = (): void => {
    socket.destroy()
  }
  signal?.addEventListener('abort', leave, { once: true })
  const life = lifeOf(socket, exec)
  try {
    const sending = stdin === undefined ? undefined : send(socket, stdin, life)
    // What it says of itself counts more than what could not be sent.
    sending?.catch(() => undefined)
    const executed = await hear(socket, head, { take: exec.take, life })
    if (executed === undefined) return fail('engine.unavailable', `the connection to ${pod} broke off`)
    return executed
  } finally {
    life.end()
    signal?.removeEventListener('abort', leave)
    socket.destroy()
  }
}

type Socket = Awaited<ReturnType<Kube['upgrade']>>['socket']

interface Life {
  /** Something came, or went. */
  sign(): void
  /** While it lasts nothing is read, so that nothing can come. */
  during(work: Promise<void> | void): Promise<void>
  end(): void
}

/** How often a server is asked in one silence. */
const questions = 4

/** Asks now and then whether the other end is there, and breaks the connection off where it is not: nothing else ends it then. */
function lifeOf(socket: Socket, { clock, silenceMs }: Pick<Exec, 'clock' | 'silenceMs'>): Life {
  const over = new AbortController()
  let [last, busy] = [clock.monotonic(), 0]
  const asking = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await clock.sleep(silenceMs / questions, over.signal)
      if (over.signal.aborted) return
      if (busy > 0) last = clock.monotonic()
      if (clock.monotonic() - last > silenceMs) socket.destroy()
      else socket.write(clientFrame('ping', Buffer.alloc(0)))
    }
  }
  asking().catch(() => undefined)
  return {
    sign: () => {
      last = clock.monotonic()
    },
    async during(work) {
      busy++
      try {
        await work
      } finally {
        busy--
        last = clock.monotonic()
      }
    },
    end: () => over.abort(enough),
  }
}

async function send(socket: Socket, stdin: AsyncIterable<Uint8Array>, life: Life): Promise<void> {
  for await (const bytes of stdin) {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes)
      const frame = clientFrame('binary', Buffer.concat([Buffer.from([channels.stdin]), piece]))
      if (socket.destroyed) return
      if (!socket.write(frame)) await drained(socket)
      life.sign()
    }
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}

interface Hearing {
  readonly take: Exec['take']
  readonly life: Life
}

async function hear(socket: Socket, head: Buffer, { take, life }: Hearing): Promise<Executed | undefined> {
  const read = frameReader()
  const printed: Buffer[] = []
  let bytes = 0
  let stderr = ''
  const hearPiece = async (piece: Buffer): Promise<number | undefined> => {
    for (const message of read(piece)) {
      if (message.kind === 'ping') socket.write(clientFrame('pong', message.bytes))
      if (message.kind !== 'data') continue
      const content = message.bytes.subarray(1)
      const channel = message.bytes[0]
      if (channel === channels.end) return exitOf(content)
      if (channel === channels.stderr && stderr.length < pieceBytes) stderr += content.toString()
      if (channel !== channels.stdout || content.length === 0) continue
      bytes += content.length
      if (take !== undefined) await life.during(take(content))
      else if (bytes <= printedBytesMax) printed.push(content)
    }
    return undefined
  }
  const done = (exit: number): Executed => ({ exit, stdout: Buffer.concat(printed), stderr })
  try {
    const first = await hearPiece(head)
    if (first !== undefined) return done(first)
    for await (const piece of socket as AsyncIterable<Buffer>) {
      life.sign()
      const exit = await hearPiece(piece)
      if (exit !== undefined) return done(exit)
    }
  } catch (error) {
    if (!socket.destroyed) throw error
  }
  return undefined
}

/** The last message is a Status: a success, the exit of the program, or why it could not run. */
function exitOf(bytes: Buffer): number {
  const status: unknown = JSON.parse(bytes.toString())
  if (!isObject(status)) return fail('engine.unavailable', 'a program in a pod ended without a status')
  if (status['status'] === 'Success') return 0
  const details = isObject(status['details']) ? status['details'] : {}
  const causes = (Array.isArray(details['causes']) ? details['causes'] : []) as readonly Shape[]
  const exit = causes.find(({ reason }) => reason === 'ExitCode')?.['message']
  return exit === undefined ? fail('engine.unavailable', String(status['message'])) : Number(exit)
}
