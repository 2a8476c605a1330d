/** Tenants in a table, each with how much it has of what it may have. */
import type { Tenant } from '../../api/access.ts'
import { tenantLink } from '../links.ts'
import { t } from '../texts.ts'
import { Use } from './use.tsx'

export function TenantTable({ tenants }: { readonly tenants: readonly Tenant[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('tenants.tenant')}</th>
          <th scope="col">{t('instances.title')}</th>
          <th scope="col">{t('instance.bindings')}</th>
        </tr>
      </thead>
      <tbody>
        {tenants.map(({ name, instances, bindings, quotas }) => (
          <tr key={name}>
            <th scope="row">
              <a href={tenantLink(name)}>{name}</a>
              {name.endsWith('*') ? <span class="below">{t('tenants.together')}</span> : null}
            </th>
            <td>
              <Use used={instances} most={quotas.instances} />
            </td>
            <td>
              <Use used={bindings} most={quotas.bindings} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
