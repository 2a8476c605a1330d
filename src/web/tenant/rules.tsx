/** What is decided for a tenant: each decision with what holds, and for which name it was decided. */
import type { ComponentChildren } from 'preact'
import type { TenantDetail } from '../../api/access.ts'
import { type Decision, decisions } from '../../model/tenant-decisions.ts'
import { tenantLink } from '../links.ts'
import { type TextKey, t } from '../texts.ts'
import { least, type Rule } from './decisions.ts'

export function RuleTable({ tenant }: { readonly tenant: TenantDetail }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('tenants.decision')}</th>
          <th scope="col">{t('tenants.holds')}</th>
          <th scope="col" class="spare">
            {t('tenants.decidedFor')}
          </th>
        </tr>
      </thead>
      <tbody>
        {decisions.map((decision) => (
          <Rows key={decision} decision={decision} tenant={tenant} />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps {
  readonly decision: Decision
  readonly tenant: TenantDetail
}

/** Bounds of wider names hold beside that of the tenant itself; of everything else the nearest name decides. */
function Rows({ decision, tenant }: RowProps) {
  const saying = tenant.rules.filter((rule) => rule[decision] !== undefined)
  if (!(decision in least)) return <Row decision={decision} tenant={tenant} rule={saying[0]} />
  return (
    <>
      <Row decision={decision} tenant={tenant} rule={saying.find(({ name }) => name === tenant.name)} />
      {saying
        .filter(({ name }) => name !== tenant.name)
        .map((rule) => (
          <Row key={rule.name} decision={decision} tenant={tenant} rule={rule} isShared />
        ))}
    </>
  )
}

interface OneProps extends RowProps {
  /** Absent: nothing is decided. */
  readonly rule: Rule | undefined
  /** It holds for several tenants together. */
  readonly isShared?: boolean
}

function Row({ decision, tenant, rule, isShared }: OneProps) {
  const by = rule === undefined ? null : <By rule={rule} of={tenant.name} />
  return (
    <tr>
      <th scope="row">{isShared ? t('tenants.andTogether') : t(`tenants.${decision}`)}</th>
      {rule === undefined ? (
        <td class="quiet">{unsaid(decision, tenant)}</td>
      ) : (
        <td>
          <Said decision={decision} rule={rule} />
          <span class="below narrow-only">{by}</span>
        </td>
      )}
      <td class="spare">{by}</td>
    </tr>
  )
}

/** What holds where nothing is decided. */
function unsaid(decision: Decision, { name, quotas }: TenantDetail): string {
  if (decision === 'instances' || decision === 'bindings') {
    const most = quotas[decision]
    return most === undefined ? t('tenants.unbounded') : t('tenants.usualBound', { most })
  }
  if (decision in least) return t(name.endsWith('*') ? 'tenants.unbounded' : 'tenants.usual')
  return t(`tenants.${decision as 'services'}.unsaid`)
}

function By({ rule, of }: { readonly rule: Rule; readonly of: string }) {
  return (
    <>
      {rule.name === of ? rule.name : <a href={tenantLink(rule.name)}>{rule.name}</a>}
      {', '}
      {t(`tenants.from.${rule.from}`)}
    </>
  )
}

function Said({ decision, rule }: { readonly decision: Decision; readonly rule: Rule }): ComponentChildren {
  switch (decision) {
    case 'services':
      return rule.services?.length === 0 ? t('tenants.seesNothing') : <Codes words={rule.services ?? []} />
    case 'network':
    case 'logs':
      return t(`tenants.${decision}.${rule[decision]}` as TextKey)
    case 'engine':
      return <code>{rule.engine}</code>
    default:
      return rule[decision]
  }
}

function Codes({ words }: { readonly words: readonly string[] }) {
  return (
    <ul class="plain">
      {words.map((word) => (
        <li key={word}>
          <code>{word}</code>
        </li>
      ))}
    </ul>
  )
}
