/** What each run may ask of the API: so many requests, so many bytes that are moved for them, and bytes that wait. */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../kit/clock.ts'

/** The bytes of one request, from the first to when it has been dealt with. */
export interface Reading {
  /** Whether these may be kept, too. */
  take(bytes: number): boolean
  end(): void
}

export interface Allowances {
  /** Whether the run may ask now. A playbook asks a few times, a loop thousands. */
  mayAsk(run: string): boolean
  /** What is read and answered counts by its size. */
  moved(run: string, bytes: number): void
  /** What is written down because of a change counts, too, and less. */
  kept(run: string, bytes: number): void
  /** Begins to read a request. */
  reading(run: string): Reading
  /** An answer of the run that is on its way until it is read or broken off. */
  answering(run: string, response: ServerResponse): void
  /** Whether so much waits to be read that nothing more is told. */
  isUnread(run: string): boolean
}

const requestsPerSecond = 50
const requestsAtOnce = 200
/** So many bytes that are read or answered count as one request more. */
const bytesOfRequest = 64 * 1024
/** And so many that are written down. */
const bytesOfKeeping = 256 * 1024
/** As much as all objects of a run together may be: of answers that are not read, and of requests that are not at their end. */
const waitingBytesMax = 16 * 1024 * 1024

/** Keeps them for one server. */
export function openAllowances(clock: Clock): Allowances {
  const buckets = new Map<string, { readonly left: number; readonly seen: number }>()
  const responses = new Map<string, Set<ServerResponse>>()
  const waiting = new Map<string, number>()

  /** A bucket for each run that fills up again with time. */
  function filled(run: string): number {
    const now = clock.monotonic()
    const { left, seen } = buckets.get(run) ?? { left: requestsAtOnce, seen: now }
    const full = Math.min(requestsAtOnce, left + (Math.max(0, now - seen) / 1000) * requestsPerSecond)
    buckets.set(run, { left: full, seen: now })
    return full
  }

  function take(run: string, requests: number): void {
    // What is owed is bounded, so that a run that has read much is answered again within seconds.
    const left = Math.max(-requestsAtOnce, filled(run) - requests)
    buckets.set(run, { left, seen: clock.monotonic() })
  }

  return {
    mayAsk(run) {
      if (filled(run) < 1) return false
      take(run, 1)
      return true
    },
    moved(run, bytes) {
      take(run, bytes / bytesOfRequest)
    },
    kept(run, bytes) {
      take(run, bytes / bytesOfKeeping)
    },
    reading(run) {
      let own = 0
      const add = (bytes: number): void => {
        const all = (waiting.get(run) ?? 0) + bytes
        own += bytes
        if (all === 0) waiting.delete(run)
        else waiting.set(run, all)
      }
      return {
        take(bytes) {
          add(bytes)
          return (waiting.get(run) ?? 0) <= waitingBytesMax
        },
        end: () => add(-own),
      }
    },
    answering(run, response) {
      const own = responses.get(run) ?? new Set()
      responses.set(run, own.add(response))
      response.once('close', () => {
        own.delete(response)
        if (own.size === 0 && responses.get(run) === own) responses.delete(run)
      })
    },
    isUnread(run) {
      let bytes = 0
      for (const response of responses.get(run) ?? []) bytes += response.writableLength
      return bytes > waitingBytesMax
    },
  }
}
