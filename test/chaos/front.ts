/** The way to a broker that comes and goes: asks a broker that is up, and asks again what was not answered. */
import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../../src/kit/json.ts'
import type { Random } from '../simulation/world.ts'

export interface Reply {
  readonly status: number
  readonly body: { readonly [key: string]: unknown }
}

export interface Front {
  /** The addresses that may answer now. */
  up(urls: readonly string[]): void
  ask(request: Asked): Promise<Reply>
  /** Resolves after so many more answers, or answers that tell of an end. */
  after(answers: number, kind?: 'any' | 'end'): Promise<void>
  /** No broker is left to ask: everything that waits ends with this. */
  giveUp(why: Error): void
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly authorization: string
}

/** Counted while a broker is there, from its coming: a storm may keep a customer waiting for long, and a slow host a start. */
const giveUpMs = 120_000

export function makeFront(random: Random): Front {
  let urls: readonly string[] = []
  const counts = { any: 0, end: 0 }
  let lost: Error | undefined
  let changedAt = performance.now()
  const watchers = new Set<{
    readonly at: number
    readonly kind: 'any' | 'end'
    readonly tell: () => void
    readonly fail: (why: Error) => void
  }>()
  const count = ({ body }: Reply): void => {
    counts.any++
    if (body['state'] === 'succeeded' || body['state'] === 'failed') counts.end++
    for (const watcher of watchers) {
      if (counts[watcher.kind] < watcher.at) continue
      watchers.delete(watcher)
      watcher.tell()
    }
  }
  return {
    up: (now) => {
      urls = now
      changedAt = performance.now()
    },
    after: (more, kind = 'any') =>
      lost === undefined
        ? new Promise((tell, fail) => watchers.add({ at: counts[kind] + more, kind, tell, fail }))
        : Promise.reject(lost),
    giveUp: (why) => {
      lost ??= why
      for (const { fail } of watchers) fail(lost)
      watchers.clear()
    },

    async ask(asked) {
      const begun = performance.now()
      let heard = 'nothing'
      while (urls.length === 0 || performance.now() - Math.max(begun, changedAt) < giveUpMs) {
        if (lost !== undefined) throw lost
        const url = urls.length === 0 ? undefined : random.pick(urls)
        const reply = url === undefined ? undefined : await askOnce(url, asked)
        if (reply !== undefined && !isTemporary(reply)) {
          count(reply)
          return reply
        }
        if (reply !== undefined) heard = `${reply.status} ${JSON.stringify(reply.body)}`
        await pause(random.between(20, 120))
      }
      throw new Error(
        `${asked.method} ${asked.path} at ${urls.join(' ') || 'nobody'}: no answer within ${giveUpMs} ms, but ${heard}`,
      )
    },
  }
}

/** Undefined when the connection broke: whether it was done is not known. */
async function askOnce(url: string, asked: Asked): Promise<Reply | undefined> {
  try {
    const answer = await fetch(url + asked.path, {
      method: asked.method,
      headers: {
        Authorization: asked.authorization,
        'X-Broker-API-Version': '2.17',
        'Content-Type': 'application/json',
      },
      signal: AbortSignal.timeout(70_000),
      ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
    })
    const body: unknown = await answer.json()
    return { status: answer.status, body: isObject(body) ? body : {} }
  } catch {
    return undefined
  }
}

/** The store is away, or too much is going on: platforms ask again. */
function isTemporary({ status }: Reply): boolean {
  return status === 503 || status === 429 || status === 408
}
