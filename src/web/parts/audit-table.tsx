/** Records of the audit trail in a table. */
import type { AuditRecord } from '../../api/audit.ts'
import { t } from '../texts.ts'
import { Dotted } from './dotted.tsx'
import { Shape } from './state.tsx'
import { Ago } from './time.tsx'

export function AuditTable({ records }: { readonly records: readonly AuditRecord[] }) {
  if (records.length === 0) return <p class="calm">{t('audit.empty')}</p>
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('audit.deed')}</th>
          <th scope="col">{t('audit.result')}</th>
          <th scope="col" class="spare">
            {t('audit.who')}
          </th>
          <th scope="col" class="spare">
            {t('audit.what')}
          </th>
          <th scope="col">{t('audit.when')}</th>
        </tr>
      </thead>
      <tbody>
        {records.map((one) => (
          <tr key={one.seq}>
            <th scope="row">
              <code>
                <Dotted name={one.action} />
              </code>
              {one.times === undefined ? null : (
                <span class="below">{t('audit.times', { n: one.times })}</span>
              )}
              <span class="below narrow-only">
                {one.object.kind} {one.object.id}
              </span>
              <span class="below narrow-only">{placeOf(one.object)}</span>
              <span class="below narrow-only">{[one.actor.id, one.source].filter(Boolean).join(' · ')}</span>
            </th>
            <td>
              <Result record={one} />
            </td>
            <td class="spare">
              {one.actor.id}
              <span class="below">{one.source}</span>
            </td>
            <td class="spare">
              {one.object.kind} <code>{one.object.id}</code>
              <span class="below">{placeOf(one.object)}</span>
              <span class="below">{one.tenant}</span>
            </td>
            <td>
              <Ago at={one.at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Where its id is the only one: two platforms may call theirs the same. */
function placeOf({ platform, instance }: AuditRecord['object']): string {
  return [platform, instance].filter((part) => part !== undefined).join('/')
}

function Result({ record: { decision, result, code } }: { readonly record: AuditRecord }) {
  const isBad = decision === 'denied' || result === 'failed'
  return (
    <span class={`state ${isBad ? 'bad' : ''}`}>
      {isBad ? <Shape tone="bad" /> : null}
      <span>
        {t(decision === 'denied' ? 'audit.denied' : `audit.${result}`)}
        {code === undefined ? null : <code class="below">{code}</code>}
      </span>
    </span>
  )
}
