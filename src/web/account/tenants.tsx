/** The tenants of the account, and how much each has of what it may have. */
import type { Tenant } from '../../api/access.ts'
import { calls } from '../calls.ts'
import { ownTenants } from '../first-asks.ts'
import { ifMay, useLoaded } from '../load.ts'
import { send } from '../send.ts'
import { t } from '../texts.ts'

export function TenantTable() {
  const tenants = useLoaded('tenants', (manner) =>
    ifMay('read:tenants', () => send(calls.tenants, { path: {}, query: ownTenants, ...manner })),
  )
  const rows = tenants.value?.items ?? []
  if (rows.length === 0) return null
  return (
    <>
      <h2>{t('account.tenants')}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('account.tenant')}</th>
            <th scope="col">{t('account.instances')}</th>
            <th scope="col">{t('account.bindings')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.name} {...row} />
          ))}
        </tbody>
      </table>
    </>
  )
}

function Row({ name, instances, bindings, quotas }: Tenant) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{ofQuota(instances, quotas.instances)}</td>
      <td>{ofQuota(bindings, quotas.bindings)}</td>
    </tr>
  )
}

function ofQuota(used: number, most: number | undefined): string {
  return most === undefined ? String(used) : t('account.ofQuota', { used, most })
}
