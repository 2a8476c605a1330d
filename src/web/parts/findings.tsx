/** What doctor finds of a broker: what is wrong first, with what to do; what is well is folded. */
import type { Examination, Finding } from '../../api/findings.ts'
import { t } from '../texts.ts'
import { type Check, CheckTable } from './check-table.tsx'
import { Ago } from './time.tsx'

const worstFirst = ['fail', 'warn', 'skip'] as const satisfies readonly Finding['state'][]

export function Findings({ examination }: { readonly examination: Examination }) {
  const { findings, node, at } = examination
  const well = findings.filter(({ state }) => state === 'ok')
  const rest = worstFirst.flatMap((wanted) => findings.filter(({ state }) => state === wanted))
  return (
    <>
      <h2>{t('nodes.doctor')}</h2>
      <p class="quiet">
        {t('nodes.examined', { node })} <Ago at={at} />
      </p>
      {rest.length === 0 ? null : <CheckTable checks={rest.map(asCheck)} />}
      <details>
        <summary>{t(rest.length === 0 ? 'nodes.allWell' : 'nodes.wellChecks', { n: well.length })}</summary>
        <CheckTable checks={well.map(asCheck)} />
      </details>
    </>
  )
}

function asCheck({ id, what, state, fix }: Finding): Check {
  return { name: id, state, detail: what, ...(state !== 'ok' && fix !== undefined && { hint: fix }) }
}
