/** What a run's own output does not tell its reader: a link that was ignored, a limit that ended it. */
import type { Limits } from '../model/job.ts'
import type { Report, RunEnd } from '../model/report.ts'

/** Lines for the log, each with our mark; empty when there is nothing to tell. */
export function remarksOf({ end, notes, logTail }: Report, limits: Limits): string {
  const lines = [...notes, ...ended(end, limits)].map((text) => `[chandler] ${text}\n`)
  const isOpen = logTail !== '' && !logTail.endsWith('\n')
  return lines.length > 0 && isOpen ? `\n${lines.join('')}` : lines.join('')
}

function ended(end: RunEnd, { seconds, diskBytes }: Limits): readonly string[] {
  if (end.kind === 'timed-out') return [`stopped after its time limit of ${seconds} s`]
  if (end.kind === 'limit' && end.limit === 'disk')
    return [
      `ended by its disk limit: it may write ${Math.round(diskBytes / 2 ** 20)} MiB, less on a disk that is nearly full`,
    ]
  if (end.kind === 'limit') return [`ended by its ${end.limit} limit`]
  return end.kind === 'stopped' ? ['stopped, as it was asked for'] : []
}
