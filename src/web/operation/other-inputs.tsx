/** The way from what failed to the form that ordered it, filled with what it had. */
import type { InstanceDetail } from '../../api/instance.ts'
import type { Operation } from '../../api/operation.ts'
import { instancePage } from '../links.ts'
import { href } from '../router.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'
import { isRepeatable } from './acts.tsx'

interface Props {
  readonly operation: Operation
  readonly detail: InstanceDetail
}

export function OtherInputs({ operation, detail }: Props) {
  const { id, action } = operation
  const hasForm = action === 'provision' || action === 'update'
  if (!may('retry:operations') || !isRepeatable(operation) || !hasForm || detail.operation !== undefined)
    return null
  const { service, plan } = detail
  const order = `/order/${encodeURIComponent(service.name ?? service.id)}/${encodeURIComponent(plan.name ?? plan.id)}`
  const link =
    action === 'update' ? `${instancePage(detail, 'update')}?again=${id}` : href(order, { again: id })
  return (
    <a class="button" href={link}>
      {t('instance.otherInputs')}
    </a>
  )
}
