/** How an instance stands: its state with age and reason, and after a failure what went wrong and what to do now. */
import type { InstanceDetail } from '../../api/instance.ts'
import { calls } from '../calls.ts'
import { operationLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { RetryButton } from '../operation/acts.tsx'
import { OtherInputs } from '../operation/other-inputs.tsx'
import { reasonAlone } from '../operation/reason.ts'
import { reachable } from '../parts/reachable.ts'
import { Shape, State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { send } from '../send.ts'
import { t } from '../texts.ts'

interface Props {
  readonly detail: InstanceDetail
}

export function Standing({ detail }: Props) {
  const { name, id, state, updatedAt, service, plan, operation, lastOperation } = detail
  return (
    <>
      <div class="head">
        <h1>{name ?? id}</h1>
        <span role="status">
          <State of={state} />
        </span>
        <span class="quiet">
          <Ago at={updatedAt} />
        </span>
      </div>
      <p class="lead quiet">
        {service.name ?? service.id} · {plan.name ?? plan.id}
      </p>
      {state === 'gone' ? <p class="calm">{t('instance.gone')}</p> : null}
      {operation === undefined ? null : <UnderWay id={operation} />}
      {operation === undefined && lastOperation?.state === 'failed' ? (
        <Failure id={lastOperation.id} detail={detail} />
      ) : null}
    </>
  )
}

function UnderWay({ id }: { readonly id: string }) {
  const loaded = useLoaded(`operation ${id}`, (manner) =>
    send(calls.operation, { path: { operation: id }, ...manner }),
  )
  const { value } = loaded
  if (value === undefined) return null
  return (
    <div class="note" role="status">
      <span class="wait">
        <Shape tone="wait" />
      </span>
      <div>
        <p>
          <strong>{t('instance.underWay', { action: value.action })}</strong>: {value.reason}
        </p>
        <p>
          <a href={operationLink(id)}>{t('instance.follow')}</a>
        </p>
      </div>
    </div>
  )
}

/** One sentence, the last lines of log, the next thing to do. */
function Failure({ id, detail }: { readonly id: string; readonly detail: InstanceDetail }) {
  const loaded = useLoaded(`operation ${id}`, (manner) =>
    send(calls.operation, { path: { operation: id }, ...manner }),
  )
  const { value } = loaded
  if (value === undefined) return null
  const { action, reason, problem, lastLines = [] } = value
  return (
    <div class="note bad">
      <Shape tone="bad" />
      <div class="grow">
        <p>
          <strong>{t('instance.failedTitle', { action })}</strong>:{' '}
          {lastLines.length > 0 ? reasonAlone(reason) : reason}
        </p>
        {problem === undefined ? null : <p>{problem.hint}</p>}
        {lastLines.length === 0 ? null : (
          <>
            <h2 class="small">{t('instance.lastLines')}</h2>
            <pre {...reachable}>{lastLines.slice(-8).join('\n')}</pre>
          </>
        )}
        <div class="acts">
          <RetryButton operation={value} />
          <OtherInputs operation={value} detail={detail} />
          <a class="button" href={operationLink(id)}>
            {t('instance.wholeLog')}
          </a>
        </div>
      </div>
    </div>
  )
}
