/** What is to be done beside the ordered work: at once where it was missed more than once, otherwise when there is nothing else to do. */
import type { Clock } from '../kit/clock.ts'
import { enough } from '../kit/enough.ts'

export interface Wishes<Wish extends { readonly missed: number }> {
  get(key: string): Wish | undefined
  /** Keeps it, or a newer one of its key; of new ones only so many. */
  set(key: string, wish: Wish): void
  /** Sees to it that wishes are fulfilled, one after another, without being waited for. */
  catchUp(): void
  /** Some ordered work begins; to be called when it ends, and then wishes have their turn. */
  enter(): () => void
  /** Ends what is under way. */
  close(): Promise<void>
}

const wishesMax = 64
/** How long nothing has to be done before something is done that was missed only once. */
const calmMs = 250

/** `fulfil` does one; it fails for no reason but the end. */
export function openWishes<Wish extends { readonly missed: number }>(
  clock: Clock,
  fulfil: (key: string, wish: Wish, signal: AbortSignal) => Promise<void>,
): Wishes<Wish> {
  const wishes = new Map<string, Wish>()
  const closing = new AbortController()
  let underWay = 0
  let calm = new AbortController()
  let work: Promise<void> | undefined

  /** What was missed twice is worth the time of others; the rest waits until there is nothing else to do. */
  async function next(): Promise<readonly [string, Wish] | undefined> {
    while (!closing.signal.aborted) {
      const all = [...wishes]
      const urgent = all.find(([, { missed }]) => missed > 1)
      if (urgent !== undefined) return urgent
      if (underWay > 0 || all.length === 0) return undefined
      const { signal } = calm
      await clock.sleep(calmMs, AbortSignal.any([signal, closing.signal]))
      if (!signal.aborted) return all[0]
    }
    return undefined
  }

  async function fulfilAll(): Promise<void> {
    for (let one = await next(); one !== undefined; one = await next()) {
      const [key, wish] = one
      if (closing.signal.aborted) return
      await fulfil(key, wish, closing.signal)
      wishes.delete(key)
    }
  }

  function catchUp(): void {
    if (wishes.size === 0 || closing.signal.aborted) return
    work ??= fulfilAll().finally(() => {
      work = undefined
      if (underWay === 0) catchUp()
    })
  }

  return {
    get: (key) => wishes.get(key),
    set(key, wish) {
      if (wishes.has(key) || wishes.size < wishesMax) wishes.set(key, wish)
    },
    catchUp,
    enter() {
      underWay++
      calm.abort(enough)
      calm = new AbortController()
      return () => {
        underWay--
        catchUp()
      }
    },
    async close() {
      closing.abort()
      await work
    },
  }
}
