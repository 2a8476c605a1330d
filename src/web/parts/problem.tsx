/** A problem as the API says it: what, where, why, what to do; the page makes up nothing of its own. */
import type { Problem } from '../../api/problem.ts'
import { t } from '../texts.ts'
import { Shape } from './state.tsx'

interface Props {
  readonly problem: Problem
  /** Offered where trying again may help. */
  readonly again?: (() => void) | undefined
}

/** `mine.yml:3:7 /plans/0` */
function placeOf({ source, line, column, pointer }: NonNullable<Problem['where']> = {}): string {
  const file = [source, line, line === undefined ? undefined : column]
  return [file.filter((part) => part !== undefined).join(':'), pointer].filter(Boolean).join(' ')
}

/** What went wrong and at which place. */
export function WhatAndWhere({
  of: { title, detail, where },
}: {
  readonly of: Pick<Problem, 'title' | 'detail' | 'where'>
}) {
  const place = placeOf(where)
  return (
    <>
      <strong>{title}</strong>
      {detail === undefined ? '' : `: ${detail}`}
      {place === '' ? null : <code> {place}</code>}
    </>
  )
}

/** All of it, announced when it appears. */
export function ProblemNote({ problem, again }: Props) {
  const all = [problem, ...(problem.others ?? [])]
  return (
    <div class="note bad" role="alert">
      <Shape tone="bad" />
      <div>
        {all.map((one, i) => (
          <p key={`${one.code} ${i}`}>
            <WhatAndWhere of={one} />
          </p>
        ))}
        {problem.hint === undefined ? null : <p>{problem.hint}</p>}
        <p class="quiet small">
          {t('problem.code')} <code>{problem.code}</code>
          {problem.requestId === undefined ? null : (
            <>
              {' · '}
              {t('problem.request')} <code>{problem.requestId}</code>
            </>
          )}
        </p>
        {again === undefined ? null : (
          <button type="button" onClick={again}>
            {t('problem.again')}
          </button>
        )}
      </div>
    </div>
  )
}
