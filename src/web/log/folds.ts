/** Which sections of a log are open: where it grows or came to its end, and what the reader chose. */
import { useState } from 'preact/hooks'
import type { Operation } from '../../api/operation.ts'
import type { FollowedLog } from './follow.ts'
import type { Section } from './lines.ts'
import { rowsOf } from './rows.ts'

/** The sections of a log as its reader has folded them. */
export function useFolds({ lines, count }: FollowedLog, { state, finishedAt }: Operation) {
  const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(new Map())
  const { sections } = lines
  const total = count.value
  const hasFailed = state === 'failed'
  const isOpen = (section: number): boolean =>
    chosen.get(section) ?? isOpenAtFirst(sections, section, hasFailed)
  const choose = (section: number, wanted: boolean): void =>
    setChosen((old) => new Map(old).set(section, wanted))
  const rows = rowsOf(sections, total, isOpen)
  return {
    rows,
    isOpen,
    toggle: (section: number): void => choose(section, !isOpen(section)),
    /** Shows a line, wherever it is. */
    open: (line: number): void => choose(rows.sectionOf(line), true),
    /** What is read stays, also when another section begins. */
    keep: (): void => choose(Math.max(0, sections.length - 1), true),
    /** How many lines a section has, when it ended, and whether what failed is in it. */
    factsOf(section: number) {
      const next = sections[section + 1]
      return {
        lines: (next?.line ?? total) - (sections[section]?.line ?? 0),
        until: next?.at ?? finishedAt,
        // After a failure, further runs may have cleared up: then the last is not the one that failed.
        isBad: hasFailed && next === undefined && sections[section]?.run === 1,
      }
    },
  }
}

export type Folds = ReturnType<typeof useFolds>

/** Steps follow each other until one fails, so that the last of a run tells why. */
function isOpenAtFirst(sections: readonly Section[], section: number, hasFailed: boolean): boolean {
  const next = sections[section + 1]
  return next === undefined || (hasFailed && next.run !== sections[section]?.run)
}
