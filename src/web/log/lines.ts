/** The lines of a log, put together from the pieces that arrive; their numbers never change. */
import type { LogLine } from '../../api/operation.ts'

export interface Line {
  readonly at: string
  readonly step: string
  readonly isSystem: boolean
  readonly isError: boolean
  text: string
}

/** What a run consists of: where the log of a step begins, counted from 0. */
export interface Step {
  readonly name: string
  readonly line: number
}

export interface Lines {
  readonly all: readonly Line[]
  readonly steps: readonly Step[]
  add(piece: LogLine): void
}

/** An empty log. */
export function makeLines(): Lines {
  const all: Line[] = []
  const steps: Step[] = []
  /** The line of each stream that has not ended yet. */
  const open = new Map<string, Line>()
  return {
    all,
    steps,
    add({ at, step, stream, text }) {
      const key = `${step} ${stream}`
      const parts = text.split('\n')
      for (const [i, part] of parts.entries()) {
        const isLast = i === parts.length - 1
        if (isLast && part === '') break
        const begun = open.get(key)
        if (begun) begun.text += part
        else {
          if (steps.at(-1)?.name !== step) steps.push({ name: step, line: all.length })
          const line = { at, step, isSystem: stream === 'system', isError: stream === 'stderr', text: part }
          all.push(line)
          open.set(key, line)
        }
        if (!isLast) open.delete(key)
      }
    },
  }
}
