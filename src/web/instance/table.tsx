/** Instances in a table, each with a link to its page. */
import type { Instance } from '../../api/instance.ts'
import { instanceLink } from '../links.ts'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { t } from '../texts.ts'

export function InstanceTable({ items }: { readonly items: readonly Instance[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('instances.name')}</th>
          <th scope="col">{t('instances.state')}</th>
          <th scope="col" class="spare">
            {t('instances.service')}
          </th>
          <th scope="col" class="spare">
            {t('instances.platform')}
          </th>
          <th scope="col" class="spare">
            {t('instances.changed')}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((one) => (
          <tr key={`${one.platform} ${one.id}`}>
            <th scope="row">
              <a href={instanceLink({ platform: one.platform, instance: one.id })}>{one.name ?? one.id}</a>
              {one.name === undefined || one.name === one.id ? null : <code class="below">{one.id}</code>}
              <span class="below narrow-only">
                {one.service.name ?? one.service.id} · {one.plan.name ?? one.plan.id}
              </span>
            </th>
            <td>
              <State of={one.state} />
            </td>
            <td class="spare">
              {one.service.name ?? one.service.id}
              <span class="below">{one.plan.name ?? one.plan.id}</span>
            </td>
            <td class="spare">{one.platform}</td>
            <td class="spare">
              <Ago at={one.updatedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
