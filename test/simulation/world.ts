/** Virtual time and seeded chance: everything that happens in a simulation happens in this order and no other. */
import type { Chance } from '../../src/kit/clock.ts'

export interface World {
  /** Milliseconds of virtual time. */
  readonly now: number
  readonly random: Random
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  at(ms: number, act: () => void): void
  /** Time stands still until this is done: what really takes time takes none here. */
  meanwhile(work: Promise<unknown>): void
  /** Runs events until nothing is due before the time, or the condition holds. */
  run(until: number, done?: () => boolean): Promise<void>
}

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number
  between(least: number, most: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** A stream of its own, so that one part's draws do not shift another's. */
  fork(name: string): Random
}

interface Due {
  readonly at: number
  readonly order: number
  act: (() => void) | undefined
}

export function makeWorld(seed: number): World {
  const random = makeRandom(seed)
  const heap: Due[] = []
  let now = 1_700_000_000_000
  let order = 0
  const awaited = new Set<Promise<unknown>>()
  const rest = async (): Promise<void> => {
    await settled()
    while (awaited.size > 0) {
      await Promise.all(awaited)
      await settled()
    }
  }
  const plan = (ms: number, act: () => void): Due => {
    const due = { at: ms, order: order++, act }
    push(heap, due)
    return due
  }
  return {
    get now() {
      return now
    },
    random,
    at: (ms, act) => void plan(ms, act),
    meanwhile(work) {
      awaited.add(work)
      void work.finally(() => awaited.delete(work))
    },
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const due = plan(now + Math.max(0, ms), () => {
          signal?.removeEventListener('abort', wake)
          resolve()
        })
        // A sleep that was cut short is no event any more.
        const wake = (): void => {
          due.act = undefined
          resolve()
        }
        signal?.addEventListener('abort', wake, { once: true })
      })
    },
    async run(until, done = () => false) {
      await rest()
      for (let next = heap[0]; next !== undefined && next.at <= until && !done(); next = heap[0]) {
        pop(heap)
        if (next.act === undefined) continue
        now = Math.max(now, next.at)
        next.act()
        await rest()
      }
      if (!done()) now = Math.max(now, until)
    },
  }
}

/** Lets every promise that can go on go on, before time does. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export function makeRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick: (items) => items[Math.floor(next() * items.length)] as (typeof items)[number],
    fork: (name) =>
      makeRandom([...name].reduce((sum, sign) => Math.imul(sum, 31) + sign.charCodeAt(0), seed)),
  }
}

/** Chance of the product from a stream of the simulation. */
export function chanceOf(random: Random): Chance {
  return {
    bytes: (count) => {
      const bytes = new Uint8Array(count)
      for (let i = 0; i < count; i++) bytes[i] = Math.floor(random.next() * 256)
      return bytes
    },
    number: () => random.next(),
  }
}

function before(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

function push(heap: Due[], item: Due): void {
  let i = heap.push(item) - 1
  while (i > 0) {
    const parent = (i - 1) >> 1
    const above = heap[parent] as Due
    if (before(above, item)) break
    heap[i] = above
    i = parent
  }
  heap[i] = item
}

function pop(heap: Due[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let i = 0
  for (;;) {
    const left = 2 * i + 1
    if (left >= heap.length) break
    const right = left + 1
    const child = right < heap.length && before(heap[right] as Due, heap[left] as Due) ? right : left
    const below = heap[child] as Due
    if (before(last, below)) break
    heap[i] = below
    i = child
  }
  heap[i] = last
}
