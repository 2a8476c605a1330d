/** The way from what failed to the form that ordered it, filled with what it had. */
import type { InstanceDetail } from '../../api/instance.ts'
import type { Operation } from '../../api/operation.ts'
import { calls } from '../calls.ts'
import { instancePage } from '../links.ts'
import { useLoaded } from '../load.ts'
import { href } from '../router.ts'
import { send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'
import { isRepeatable } from './acts.tsx'

interface Props {
  readonly operation: Operation
  readonly detail: InstanceDetail
}

/** Whether there may be a form for it. */
export function hasOtherInputs(operation: Operation): boolean {
  const { action } = operation
  const hasForm = action === 'provision' || action === 'update'
  return may('retry:operations') && isRepeatable(operation) && hasForm
}

/** The same where the instance is not at hand. */
export function LoadedOtherInputs({ operation }: { readonly operation: Operation }) {
  const { platform, instance } = operation
  const target = useLoaded(`instance ${platform}/${instance}`, (manner) =>
    send(calls.instance, { path: { platform, instance }, ...manner }),
  )
  return target.value === undefined ? null : <OtherInputs operation={operation} detail={target.value} />
}

export function OtherInputs({ operation, detail }: Props) {
  const { id, action } = operation
  if (!hasOtherInputs(operation) || detail.operation !== undefined) return null
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
