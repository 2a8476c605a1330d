/** The lines of a log, put together from the pieces that arrive; their numbers never change. */
import type { LogLine } from '../../api/operation.ts'

export interface Line {
  readonly at: string
  readonly step: string
  readonly isSystem: boolean
  readonly isError: boolean
  text: string
}

export interface Lines {
  readonly all: readonly Line[]
  add(piece: LogLine): void
}

/** An empty log. */
export function makeLines(): Lines {
  const all: Line[] = []
  /** The line of each stream that has not ended yet. */
  const open = new Map<string, Line>()
  return {
    all,
    add({ at, step, stream, text }) {
      const key = `${step} ${stream}`
      const parts = text.split('\n')
      for (const [i, part] of parts.entries()) {
        const isLast = i === parts.length - 1
        if (isLast && part === '') break
        const begun = open.get(key)
        if (begun) begun.text += part
        else {
          const line = { at, step, isSystem: stream === 'system', isError: stream === 'stderr', text: part }
          all.push(line)
          open.set(key, line)
        }
        if (!isLast) open.delete(key)
      }
    },
  }
}
