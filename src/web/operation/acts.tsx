/** What can be done with an operation: cancel, try again, release; only what the API would allow the person. */
import { useState } from 'preact/hooks'
import type { Operation } from '../../api/operation.ts'
import { calls } from '../calls.ts'
import { operationLink } from '../links.ts'
import { Question } from '../parts/dialog.tsx'
import { go } from '../router.ts'
import { send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'

interface Props {
  readonly operation: Operation
}

/** Whether it came to no good end, so that the same may be ordered again. */
export function isRepeatable({ state }: Operation): boolean {
  return state === 'failed' || state === 'cancelled'
}

/** Orders again what failed. */
export function RetryButton({ operation }: Props) {
  const [isAsked, setAsked] = useState(false)
  if (!may('retry:operations') || !isRepeatable(operation)) return null
  const carryOut = async () => {
    const answered = await send(calls.retry, { path: { operation: operation.id } })
    if (answered.kind === 'done' && answered.value.operation !== undefined)
      go(operationLink(answered.value.operation))
    return answered
  }
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        {t('operation.retry')}
      </button>
      {isAsked ? (
        <Question
          title={t('operation.retryTitle')}
          act={t('operation.retry')}
          command={['chandler', 'operation', 'retry', operation.id]}
          carryOut={carryOut}
          close={() => setAsked(false)}
        >
          <p>{t('operation.retryWhat')}</p>
        </Question>
      ) : null}
    </>
  )
}

/** Asks it to stop. */
export function CancelButton({ operation }: Props) {
  const [isAsked, setAsked] = useState(false)
  if (
    !may('cancel:operations') ||
    operation.finishedAt !== undefined ||
    operation.cancelRequestedAt !== undefined
  )
    return null
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsked(true)}>
        {t('operation.cancel')}
      </button>
      {isAsked ? (
        <Question
          title={t('operation.cancelTitle')}
          act={t('operation.cancel')}
          giveUp={t('operation.keep')}
          isDangerous
          command={['chandler', 'operation', 'cancel', operation.id]}
          carryOut={() => send(calls.cancel, { path: { operation: operation.id } })}
          close={() => setAsked(false)}
        >
          <p>{t('operation.cancelWhat')}</p>
        </Question>
      ) : null}
    </>
  )
}

/** Puts a quarantined one back into the queue. */
export function ReleaseButton({ operation }: Props) {
  const [isAsked, setAsked] = useState(false)
  if (!may('release:operations') || operation.state !== 'quarantined') return null
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        {t('operation.release')}
      </button>
      {isAsked ? (
        <Question
          title={t('operation.releaseTitle')}
          act={t('operation.release')}
          command={['chandler', 'operation', 'release', operation.id]}
          carryOut={() => send(calls.release, { path: { operation: operation.id } })}
          close={() => setAsked(false)}
        >
          <p>{t('operation.releaseWhat')}</p>
        </Question>
      ) : null}
    </>
  )
}
