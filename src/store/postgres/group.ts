/** Lets writes that are each about one thing share a transaction: one commit, and one statement for what they do alike. */
import type { Work } from '../database.ts'

interface Waiting {
  readonly about: string
  readonly work: Work<unknown>
  done(value: unknown): void
  failed(error: unknown): void
}

const membersMax = 32
// While one commits, the next gathers.
const groupsMax = 2

export interface Groups {
  write<T>(about: string, work: Work<T>): Promise<T>
}

/** `share` does the works of several in one transaction, all or none; `alone` does one. */
export function makeGroups(
  share: (works: readonly Work<unknown>[]) => Promise<readonly unknown[]>,
  alone: (work: Work<unknown>) => Promise<unknown>,
): Groups {
  let waiting: Waiting[] = []
  let running = 0

  const start = (): void => {
    if (running >= groupsMax || waiting.length === 0) return
    running++
    // Callers that are woken by the same answer come together.
    setImmediate(() => void round())
  }
  const round = async (): Promise<void> => {
    await settle(take())
    running--
    start()
  }
  /** Never two about the same thing: they would not see what the other does. */
  const take = (): readonly Waiting[] => {
    const taken = new Map<string, Waiting>()
    const rest: Waiting[] = []
    for (const one of waiting)
      if (taken.size < membersMax && !taken.has(one.about)) taken.set(one.about, one)
      else rest.push(one)
    waiting = rest
    // Two groups that lock the same things lock them in the same order.
    return [...taken.values()].sort((a, b) => (a.about < b.about ? -1 : 1))
  }
  const settle = async (group: readonly Waiting[]): Promise<void> => {
    if (group.length > 1) {
      try {
        const values = await share(group.map(({ work }) => work))
        for (const [i, { done }] of group.entries()) done(values[i])
        return
      } catch {
        // Nothing of it was kept. Everyone tries alone, so that only the culprit fails, or waits.
      }
    }
    await Promise.all(group.map(({ work, done, failed }) => alone(work).then(done, failed)))
  }
  return {
    write: <T>(about: string, work: Work<T>) =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ about, work, done: (value) => resolve(value as T), failed: reject })
        start()
      }),
  }
}
