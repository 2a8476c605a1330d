/** A load that costs next to nothing: prebuilt requests over plain sockets, answers counted by their length. */
import { connect, type Socket } from 'node:net'

export interface Target {
  readonly url: string
  /** The whole request, head and all; the same each time. */
  readonly request: string
}

export interface Loaded {
  readonly requests: number
  readonly seconds: number
  /** Answers that were no 200. */
  readonly refused: number
}

/** Closed loop: so many connections, each sends its next request when the answer is there. */
export async function closedLoop(target: Target, connections: number, seconds: number): Promise<Loaded> {
  const until = performance.now() + seconds * 1000
  const begun = performance.now()
  const counts = await Promise.all(
    Array.from({ length: connections }, async () => {
      let requests = 0
      let refused = 0
      await using line = await open(target.url)
      while (performance.now() < until) {
        const { status } = await line.ask(target.request)
        requests++
        if (status !== 200) refused++
      }
      return { requests, refused }
    }),
  )
  const sum = (of: (one: (typeof counts)[number]) => number) => counts.reduce((all, one) => all + of(one), 0)
  return {
    requests: sum((one) => one.requests),
    refused: sum((one) => one.refused),
    seconds: (performance.now() - begun) / 1000,
  }
}

/** One request after the other, each target on its own connection and in its turn: how long the answers took, by target. */
export async function inTurns(
  targets: readonly Target[],
  rounds: number,
): Promise<readonly (readonly number[])[]> {
  const took = targets.map((): number[] => [])
  const lines = await Promise.all(targets.map(({ url }) => open(url)))
  for (let round = 0; round < rounds; round++)
    for (const [i] of targets.entries()) {
      // Each comes first as often as the others.
      const at = (round + i) % targets.length
      const begun = performance.now()
      await lines[at]?.ask(targets[at]?.request ?? '')
      took[at]?.push(performance.now() - begun)
    }
  for (const line of lines) await line[Symbol.asyncDispose]()
  return took
}

/** Open loop: requests fall due by the clock, and a late answer counts from when its request was due. */
export async function openLoop(
  target: Target,
  perSecond: number,
  seconds: number,
): Promise<readonly number[]> {
  const lines = await Promise.all(Array.from({ length: 64 }, () => open(target.url)))
  const free = [...lines]
  const waiting: number[] = []
  const latencies: number[] = []
  const pending = new Set<Promise<void>>()
  const begun = performance.now()
  const total = perSecond * seconds
  let due = 0
  const send = (dueAt: number): void => {
    const line = free.pop()
    if (line === undefined) {
      waiting.push(dueAt)
      return
    }
    const answer = line.ask(target.request).then(() => {
      latencies.push(performance.now() - dueAt)
      free.push(line)
      const next = waiting.shift()
      if (next !== undefined) send(next)
    })
    pending.add(answer)
    void answer.finally(() => pending.delete(answer))
  }
  while (due < total) {
    const now = performance.now()
    while (due < total && begun + (due * 1000) / perSecond <= now) send(begun + (due++ * 1000) / perSecond)
    await new Promise((next) => setTimeout(next, 1))
  }
  while (pending.size > 0) await Promise.all(pending)
  for (const line of lines) await line[Symbol.asyncDispose]()
  return latencies
}

interface Line extends AsyncDisposable {
  ask(request: string): Promise<{ readonly status: number }>
}

async function open(url: string): Promise<Line> {
  const { hostname, port } = new URL(url)
  const socket = await new Promise<Socket>((resolve, reject) => {
    const made = connect(Number(port), hostname, () => resolve(made))
    made.once('error', reject)
  })
  socket.setNoDelay(true)
  let held: Buffer = Buffer.alloc(0)
  let answered: ((answer: { status: number }) => void) | undefined
  socket.on('data', (piece: Buffer) => {
    held = held.length === 0 ? piece : Buffer.concat([held, piece])
    const end = held.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = held.subarray(0, end).toString('latin1')
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    if (held.length < end + 4 + length) return
    held = held.subarray(end + 4 + length)
    answered?.({ status: Number(head.slice(9, 12)) })
  })
  return {
    ask(request) {
      return new Promise((resolve) => {
        answered = resolve
        socket.write(request)
      })
    },
    async [Symbol.asyncDispose]() {
      socket.destroy()
    },
  }
}
