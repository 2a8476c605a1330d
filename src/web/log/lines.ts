/** The lines of a log, put together from the pieces that arrive; their numbers never change. */
import type { LogLine } from '../../api/operation.ts'

export interface Line {
  readonly at: string
  readonly isSystem: boolean
  readonly isError: boolean
  text: string
}

/** What one step of a run printed, from a line, counted from 0, to where the next section begins. */
export interface Section {
  readonly step: string
  /** Runs of an operation, counted from 1. */
  readonly run: number
  readonly line: number
  readonly at: string
}

export interface Lines {
  readonly all: readonly Line[]
  readonly sections: readonly Section[]
  add(piece: LogLine): void
}

/** An empty log. */
export function makeLines(): Lines {
  const all: Line[] = []
  const sections: Section[] = []
  let lastRun = ''
  /** The line of each stream that has not ended yet. */
  const open = new Map<string, Line>()

  function beginSection({ at, stream, run, step }: LogLine): void {
    const last = sections.at(-1)
    // What the broker remarks belongs to the step that it is about, which is the one of before.
    if (last !== undefined && run === lastRun && (step === last.step || stream === 'system')) return
    const number = (last?.run ?? 0) + (run === lastRun ? 0 : 1)
    sections.push({ step, run: number, line: all.length, at })
    lastRun = run
  }

  return {
    all,
    sections,
    add(piece) {
      const { at, stream, run, step, text } = piece
      const key = `${run} ${step} ${stream}`
      const parts = text.split('\n')
      for (const [i, part] of parts.entries()) {
        const isLast = i === parts.length - 1
        if (isLast && part === '') break
        const begun = open.get(key)
        if (begun) begun.text += part
        else {
          beginSection(piece)
          const line = { at, isSystem: stream === 'system', isError: stream === 'stderr', text: part }
          all.push(line)
          open.set(key, line)
        }
        if (!isLast) open.delete(key)
      }
    },
  }
}
