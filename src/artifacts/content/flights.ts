/** Transfers under way: callers that want the same share one, and it is stopped when the last of them has given up. */
import { ProblemError, toProblem } from '../../model/problem.ts'

export interface FetchWatch {
  readonly signal: AbortSignal
  /** More bytes have come. */
  progress(bytes: number): void
}

/** What a shared transfer is run with: a signal that belongs to no single caller, and all that watch it. */
export type Transfer = (watch: FetchWatch) => Promise<string>

export interface Flights {
  /** Joins the transfer of that name, or starts it. Problems: artifact.stopped, those of the transfer. */
  join(name: string, start: Transfer, watch: FetchWatch): Promise<string>
}

interface Flight {
  readonly done: Promise<string>
  readonly stop: AbortController
  readonly watchers: Set<FetchWatch>
}

/** No transfer is under way yet. */
export function makeFlights(): Flights {
  const flights = new Map<string, Flight>()
  const takeOff = (name: string, start: Transfer): Flight => {
    const stop = new AbortController()
    const watchers = new Set<FetchWatch>()
    const progress = (bytes: number): void => {
      for (const watch of watchers) watch.progress(bytes)
    }
    const done = start({ signal: stop.signal, progress }).finally(() => flights.delete(name))
    // All callers may be gone when it fails.
    done.catch(() => undefined)
    const flight = { done, stop, watchers }
    flights.set(name, flight)
    return flight
  }
  return {
    join: async (name, start, watch) => {
      for (;;) {
        try {
          return await board(flights.get(name) ?? takeOff(name, start), watch)
        } catch (error) {
          // The earlier callers have given up; this one has not.
          if (watch.signal.aborted || toProblem(error).code !== 'artifact.stopped') throw error
        }
      }
    },
  }
}

async function board({ done, stop, watchers }: Flight, watch: FetchWatch): Promise<string> {
  const { signal } = watch
  const gaveUp = Promise.withResolvers<never>()
  const leave = (): void => gaveUp.reject(new ProblemError({ code: 'artifact.stopped' }))
  watchers.add(watch)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    return await Promise.race([done, gaveUp.promise])
  } finally {
    signal.removeEventListener('abort', leave)
    watchers.delete(watch)
    if (signal.aborted && watchers.size === 0) stop.abort()
  }
}
