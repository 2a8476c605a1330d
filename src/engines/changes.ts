/** Wakes whoever waits when something changes in a folder, and now and then in case a hint was lost. */
import { watch } from 'node:fs'
import type { Clock } from '../kit/clock.ts'

export interface Changes {
  /** Resolves at the next change, or after the time. */
  next(ms: number): Promise<void>
  close(): void
}

/** Watches a folder; one that is gone is only looked at now and then. */
export function watchFolder(folder: string, clock: Clock): Changes {
  let changed = false
  let wake = new AbortController()
  const ring = (): void => {
    changed = true
    wake.abort()
  }
  const watcher = openWatcher(folder, ring)
  return {
    async next(ms) {
      if (!changed) await clock.sleep(ms, wake.signal)
      changed = false
      wake = new AbortController()
    },
    close: () => {
      watcher?.close()
      wake.abort()
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
