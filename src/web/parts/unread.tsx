/** A page whose content is not here: that it is on its way, or its title and why it did not come. */
import type { Loaded } from '../load.ts'
import { t } from '../texts.ts'
import { ProblemNote } from './problem.tsx'

interface Props {
  readonly title: string
  /** What the page waits for. */
  readonly of: readonly Pick<Loaded<unknown>, 'problem' | 'reload'>[]
}

export function Unread({ title, of }: Props) {
  const missed = of.filter(({ problem }) => problem !== undefined)
  const problem = missed[0]?.problem
  if (problem === undefined) return <p class="quiet">{t('word.loading')}</p>
  return (
    <>
      <h1>{title}</h1>
      <ProblemNote
        problem={problem}
        again={() => {
          for (const { reload } of missed) reload()
        }}
      />
    </>
  )
}
