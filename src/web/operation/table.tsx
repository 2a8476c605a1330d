/** Operations in a table: of all instances, or of one. */
import type { Operation } from '../../api/operation.ts'
import { instanceLink, operationLink } from '../links.ts'
import { Dotted } from '../parts/dotted.tsx'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { t } from '../texts.ts'
import { reasonAlone } from './reason.ts'

interface Props {
  readonly operations: readonly Operation[]
  /** Of one instance, which need not be named. */
  readonly ofOne?: boolean
}

export function OperationTable({ operations, ofOne }: Props) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('operations.action')}</th>
          <th scope="col">{t('list.state')}</th>
          {ofOne ? null : <th scope="col">{t('operations.instance')}</th>}
          <th scope="col" class="spare">
            {t('operations.reason')}
          </th>
          <th scope="col" class="spare">
            {t('operations.ordered')}
          </th>
        </tr>
      </thead>
      <tbody>
        {operations.map((one) => (
          <tr key={one.id}>
            <th scope="row">
              <a href={operationLink(one.id)}>
                <Dotted name={one.action} />
              </a>
              {one.binding === undefined ? null : <code class="below">{one.binding}</code>}
            </th>
            <td>
              <State of={one.state} />
            </td>
            {ofOne ? null : (
              <td>
                <a href={instanceLink(one)}>{one.instanceName ?? one.instance}</a>
                <span class="below">{one.platform}</span>
              </td>
            )}
            <td class="spare">{one.reason === one.state ? null : reasonAlone(one.reason)}</td>
            <td class="spare">
              <Ago at={one.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
