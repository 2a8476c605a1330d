/** Wakes waiters in this process when an operation ends; a hint, so waiters also look for themselves. */

export interface EndHints {
  /** Resolves when the operation is rung, or the signal fires. */
  wait(operation: string, signal: AbortSignal): Promise<void>
  ring(operation: string): void
}

export function endHints(): EndHints {
  const waiting = new Map<string, Set<() => void>>()
  return {
    wait(operation, signal) {
      if (signal.aborted) return Promise.resolve()
      const list = waiting.get(operation) ?? new Set()
      waiting.set(operation, list)
      return new Promise((resolve) => {
        const done = () => {
          list.delete(done)
          if (list.size === 0) waiting.delete(operation)
          signal.removeEventListener('abort', done)
          resolve()
        }
        list.add(done)
        signal.addEventListener('abort', done)
      })
    },
    ring(operation) {
      for (const done of [...(waiting.get(operation) ?? [])]) done()
    },
  }
}
