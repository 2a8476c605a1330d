/** The tenants of the account, and how much each has of what it may have. */
import { calls } from '../calls.ts'
import { ownTenants } from '../first-asks.ts'
import { ifMay, useLoaded } from '../load.ts'
import { send } from '../send.ts'
import { TenantTable } from '../tenant/table.tsx'
import { t } from '../texts.ts'

export function OwnTenants() {
  const tenants = useLoaded('tenants', (manner) =>
    ifMay('read:tenants', () => send(calls.tenants, { path: {}, query: ownTenants, ...manner })),
  )
  const rows = tenants.value?.items ?? []
  if (rows.length === 0) return null
  return (
    <>
      <h2>{t('tenants.title')}</h2>
      <TenantTable tenants={rows} />
    </>
  )
}
