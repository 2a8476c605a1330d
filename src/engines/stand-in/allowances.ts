/** What each run may ask of the API: so many requests, so many bytes of answers, and answers that wait to be read. */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../kit/clock.ts'

export interface Allowances {
  /** Whether the run may ask now. A playbook asks a few times, a loop thousands. */
  mayAsk(run: string): boolean
  /** Answers count by their size. */
  told(run: string, bytes: number): void
  /** An answer of the run that is on its way until it is read or broken off. */
  answering(run: string, response: ServerResponse): void
  /** Whether so much waits to be read that nothing more is told. */
  isUnread(run: string): boolean
}

const requestsPerSecond = 50
const requestsAtOnce = 200
/** So many bytes of an answer count as one request more. */
const bytesOfRequest = 64 * 1024
/** As much as all objects of a run together may be. */
const unreadBytesMax = 16 * 1024 * 1024

/** Keeps them for one server. */
export function openAllowances(clock: Clock): Allowances {
  const buckets = new Map<string, { readonly left: number; readonly seen: number }>()
  const responses = new Map<string, Set<ServerResponse>>()

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
    told(run, bytes) {
      take(run, bytes / bytesOfRequest)
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
      return bytes > unreadBytesMax
    },
  }
}
