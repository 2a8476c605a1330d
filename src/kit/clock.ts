/** Time, randomness and waiting as values that can be handed in, so that a test or a simulation decides them. */
import { randomBytes, randomFillSync } from 'node:crypto'

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
  sleep: (ms, signal) => {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      signal?.addEventListener('abort', wake)
    })
  },
}

const drawn = new Uint8Array(4096)
let used = drawn.length

/** To ask the system costs more than what it brings, so a supply is drawn; what was handed out is wiped from it. */
function draw(count: number): Uint8Array {
  if (count > drawn.length / 8) return new Uint8Array(randomBytes(count))
  if (used + count > drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  const bytes = drawn.slice(used, used + count)
  drawn.fill(0, used, used + count)
  used += count
  return bytes
}

/** The chance of this machine, fit for secrets. */
export const systemChance: Chance = {
  bytes: draw,
  number: () => new DataView(draw(4).buffer).getUint32(0) / 2 ** 32,
}
