/**
 * Requests that wait for their work, by operation. A client that gave up sends its request again, and the wait is then
 * the new one's: what the forgotten request would have done at its end must not hit the one that is listened to.
 */

export interface Waits {
  /** A request joins those that wait for an operation. */
  join(operation: string, how: Joining): Turn
  /** A platform was told at once that the operation goes on. */
  promised(operation: string): void
}

export interface Joining {
  /** The platform takes a 202. */
  readonly patient: boolean
  /** The operation was under way before this request came. */
  readonly again: boolean
  /** Fires when the client has gone. */
  readonly gone: AbortSignal
}

export interface Turn {
  /**
   * What becomes of work that was not done in time. `undo`: no answer has promised it, so it is taken back.
   * `keep`: an earlier request was told that it goes on. `left`: another request, or none, waits for the end now.
   * `unknown`: it began before this process did.
   */
  atDeadline(): 'undo' | 'keep' | 'left' | 'unknown'
}

interface Waiting {
  latest: Turn | undefined
  promise: 'none' | 'given' | 'unknown'
}

/** Beyond that the operations whose first request is longest ago are forgotten. */
const keptMax = 1000

/** Makes the register of one process. */
export function makeWaits(): Waits {
  const waits = new Map<string, Waiting>()
  const waitingFor = (operation: string, again: boolean): Waiting => {
    const known = waits.get(operation)
    if (known !== undefined) return known
    const fresh: Waiting = { latest: undefined, promise: again ? 'unknown' : 'none' }
    waits.set(operation, fresh)
    if (waits.size > keptMax) for (const oldest of waits.keys().take(1)) waits.delete(oldest)
    return fresh
  }
  return {
    join(operation, { patient, again, gone }) {
      const waiting = waitingFor(operation, again)
      if (patient) waiting.promise = 'given'
      const turn: Turn = {
        atDeadline() {
          if (gone.aborted || waiting.latest !== turn) return 'left'
          if (waiting.promise === 'unknown') return 'unknown'
          return waiting.promise === 'given' ? 'keep' : 'undo'
        },
      }
      waiting.latest = turn
      return turn
    },
    promised(operation) {
      waitingFor(operation, false).promise = 'given'
    },
  }
}
