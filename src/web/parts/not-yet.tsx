/** What stands where nothing has arrived yet: that it is on its way, or why it did not come. What came before stays when a refresh fails. */
import type { Loaded } from '../load.ts'
import { t } from '../texts.ts'
import { ProblemNote } from './problem.tsx'

export function NotYet({
  of: { problem, reload },
}: {
  readonly of: Pick<Loaded<unknown>, 'problem' | 'reload'>
}) {
  if (problem === undefined) return <p class="quiet">{t('word.loading')}</p>
  return <ProblemNote problem={problem} again={reload} />
}
