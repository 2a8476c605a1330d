/** Wakes waiters when something changes in a folder, and now and then in case a hint was lost. */

import { watch } from 'node:fs'
import type { Clock } from '../kit/clock.ts'
import { enough } from '../kit/enough.ts'

export interface Changes {
  /** Resolves at the next change, or after the time. */
  next(ms: number): Promise<void>
  /** Something else happened that waiters should know of. */
  wake(): void
  close(): void
}

/** Watches a folder; one that is gone is only looked at now and then. */
export function watchFolder(folder: string, clock: Clock): Changes {
  const over = new AbortController()
  let changed = false
  let tell: (() => void) | undefined
  // One pause outlasts many hints: each would cost a timer.
  let isPausing = false
  const ring = (): void => {
    changed = true
    tell?.()
  }
  const watcher = openWatcher(folder, ring)
  return {
    async next(ms) {
      if (!isPausing) {
        isPausing = true
        void clock.sleep(ms, over.signal).then(() => {
          isPausing = false
          ring()
        })
      }
      if (!changed) {
        await new Promise<void>((resolve) => {
          tell = resolve
        })
      }
      tell = undefined
      changed = false
    },
    wake: ring,
    close: () => {
      watcher?.close()
      over.abort(enough)
    },
  }
}

function openWatcher(folder: string, ring: () => void): { close(): void } | undefined {
  try {
    return watch(folder, { persistent: false }, ring).on('error', () => undefined)
  } catch {
    // Hosts may run out of watches; then the pauses do.
    return undefined
  }
}
