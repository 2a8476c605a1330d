/** Tells polling platforms what a run says of its progress: the newest text, masked, at most one write at a time. */
import type { Mask } from '../kit/redact.ts'
import { printable, shorten } from '../kit/text.ts'
import type { Lease } from './lease.ts'
import { recordProgress } from './record.ts'
import type { Tools } from './tools.ts'

export interface ProgressNote {
  /** Takes the newest text; what comes while one is written replaces what waits. */
  take(text: string): void
  /** Resolves when nothing is being written any more. */
  end(): Promise<void>
}

const charactersMax = 1000
/** Between two writes: a playbook that tells each of its steps must not keep the store busy. */
const pauseMs = 500

/** Opens the note of one run. A note that cannot be kept never fails the operation. */
export function openProgressNote(tools: Tools, lease: Lease, mask: Mask): ProgressNote {
  const over = new AbortController()
  let next: string | undefined
  let writing: Promise<void> | undefined
  const write = async (): Promise<void> => {
    while (next !== undefined && !over.signal.aborted) {
      const description = shorten(printable(mask.text(next)), charactersMax)
      next = undefined
      await recordProgress(tools, lease, { description })
      await tools.ports.clock.sleep(pauseMs, over.signal)
    }
  }
  const begin = (): Promise<void> =>
    write()
      .catch((error: unknown) =>
        tools.report.event({ kind: 'fault', operation: lease.operation, doing: 'tell progress', error }),
      )
      .finally(() => {
        writing = next === undefined || over.signal.aborted ? undefined : begin()
      })
  return {
    take(text) {
      next = text
      writing ??= begin()
    },
    async end() {
      over.abort()
      await writing
    },
  }
}
