/** The audit trail, the latest first, by deed or by thing; and whether its chain is unbroken. */
import { useState } from 'preact/hooks'
import type { AuditVerdict } from '../../api/audit.ts'
import { calls } from '../calls.ts'
import { auditIn } from '../first-asks.ts'
import { useLoaded } from '../load.ts'
import { AuditTable } from '../parts/audit-table.tsx'
import { Command } from '../parts/copy.tsx'
import { ChoiceFilter, TextFilter } from '../parts/filters.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { Paging } from '../parts/paging.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { Shape } from '../parts/state.tsx'
import { useTitle } from '../parts/title.ts'
import { address } from '../router.ts'
import { type Answered, send } from '../send.ts'
import { mayEverywhere } from '../session.ts'
import { t } from '../texts.ts'

/** Those that are asked for most; any other stands in an address. */
const deeds = [
  'binding.read-credentials',
  'instance.provision',
  'instance.update',
  'instance.deprovision',
  'instance.purge',
  'binding.bind',
  'binding.unbind',
  'operation.cancel',
  'login.failed',
  'session.begin',
  'config.reload',
  'broker.freeze',
] as const

export function AuditPage() {
  useTitle(t('audit.title'))
  const { query } = address.value
  const action = query.get('action') ?? undefined
  const object = query.get('object') ?? undefined
  const list = useLoaded(`audit ${query}`, (manner) =>
    send(calls.audit, { path: {}, query: auditIn(query), ...manner }),
  )
  const known = action === undefined || deeds.some((one) => one === action) ? deeds : [...deeds, action]
  return (
    <>
      <h1>{t('audit.title')}</h1>
      <search class="narrowing">
        <TextFilter name="object" label={t('audit.object')} />
        <ChoiceFilter
          name="action"
          label={t('audit.deed')}
          choices={[['', t('list.any')], ...known.map((one) => [one, one] as const)]}
        />
      </search>
      {list.problem === undefined || list.value === undefined ? null : (
        <ProblemNote problem={list.problem} again={list.reload} />
      )}
      {list.value === undefined ? (
        <NotYet of={list} />
      ) : (
        <>
          <AuditTable records={list.value.items} />
          <Paging name="before" next={list.value.next?.toString()} />
        </>
      )}
      {mayEverywhere('read:audit') ? (
        <>
          <Check />
          <Command words={['chandler', 'audit', 'verify']} label={t('audit.verifyCommand')} />
        </>
      ) : (
        <p class="calm">{t('audit.ofTenants')}</p>
      )}
      <Command
        words={[
          ...['chandler', 'audit', 'list', '--latest'],
          ...(action === undefined ? [] : ['--action', action]),
          ...(object === undefined ? [] : ['--object', object]),
        ]}
      />
    </>
  )
}

function Check() {
  const [answered, setAnswered] = useState<Answered<AuditVerdict>>()
  const check = async (): Promise<void> => setAnswered(await send(calls.verifyAudit, { path: {} }))
  return (
    <div class="acts" role="status">
      <button type="button" onClick={() => void check()}>
        {t('audit.verify')}
      </button>
      {answered?.kind === 'refused' ? <ProblemNote problem={answered.problem} /> : null}
      {answered?.kind === 'done' ? <Verdict verdict={answered.value} /> : null}
    </div>
  )
}

function Verdict({ verdict: { records, firstBreak } }: { readonly verdict: AuditVerdict }) {
  return firstBreak === undefined ? (
    <span class="state good">
      <Shape tone="good" />
      {t('audit.intact', { n: records })}
    </span>
  ) : (
    <span class="state bad">
      <Shape tone="bad" />
      {t('audit.broken', { seq: firstBreak.seq, reason: firstBreak.reason })}
    </span>
  )
}
