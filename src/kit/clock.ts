/** Time, randomness and waiting as values that can be handed in, so that a test or a simulation decides them. */
import { randomBytes } from 'node:crypto'
import { setTimeout as later } from 'node:timers/promises'

export interface Clock {
  /** Wall clock, milliseconds since 1970; for display and for a store that has no clock of its own. */
  now(): number
  /** Milliseconds that only ever grow; for leases and durations. */
  monotonic(): number
  /** Resolves after the time, or at once when the signal fires (never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface Chance {
  bytes(count: number): Uint8Array
  /** A number from 0 up to, not including, 1. */
  number(): number
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    if (signal?.aborted) return
    await later(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
      if (!signal?.aborted) throw error
    })
  },
}

/** The chance of this machine, fit for secrets. */
export const systemChance: Chance = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
  number: () => randomBytes(4).readUInt32BE() / 2 ** 32,
}
