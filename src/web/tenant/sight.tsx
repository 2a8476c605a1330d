/** What a tenant sees of the catalog, what of it by a grant to its name, and what of its sandbox others see. */
import type { TenantDetail } from '../../api/access.ts'
import { serviceLink } from '../links.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'

type Props = Pick<TenantDetail, 'services' | 'granted' | 'lent'>

export function Sight({ services, granted, lent }: Props) {
  return (
    <>
      <h2>{t('tenants.sees')}</h2>
      {services.length === 0 ? (
        <p class="quiet">{t('tenants.seesNothing')}</p>
      ) : (
        <ServiceTable services={services} granted={granted} />
      )}
      {lent.length === 0 ? null : (
        <>
          <h2>{t('tenants.lent')}</h2>
          <ul>
            {lent.map(({ service, plan, to }) => (
              <li key={`${service} ${plan} ${to}`}>
                <code>{`${service}/${plan}`}</code> {t('tenants.to', { name: to })}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function ServiceTable({ services, granted }: Omit<Props, 'lent'>) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('instances.service')}</th>
          <th scope="col">{t('tenants.plans')}</th>
        </tr>
      </thead>
      <tbody>
        {services.map(({ name, plans }) => (
          <tr key={name}>
            <th scope="row">
              {may('read:catalog') ? <a href={serviceLink(name)}>{name}</a> : <code>{name}</code>}
            </th>
            <td>
              <ul class="plain">
                {plans.map((plan) => (
                  <li key={plan}>
                    {plan}
                    {granted
                      .filter((one) => one.service === name && one.plan === plan)
                      .map(({ to }) => (
                        <span class="quiet small" key={to}>
                          {' '}
                          {t('tenants.granted', { name: to })}
                        </span>
                      ))}
                  </li>
                ))}
              </ul>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
