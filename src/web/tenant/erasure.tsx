/** Erasing for good what is sealed of a tenant that has nothing any more. */
import { useState } from 'preact/hooks'
import { calls } from '../calls.ts'
import { Question } from '../parts/dialog.tsx'
import { send } from '../send.ts'
import { t } from '../texts.ts'

export function Erasure({ name }: { readonly name: string }) {
  const [isAsked, setAsked] = useState(false)
  const [isErased, setErased] = useState(false)
  const carryOut = async () => {
    const answered = await send(calls.eraseTenant, { path: { tenant: name } })
    if (answered.kind === 'done') setErased(true)
    return answered
  }
  return (
    <>
      <div class="acts">
        <button type="button" class="danger" onClick={() => setAsked(true)}>
          {t('tenants.erase')}
        </button>
        {isAsked ? (
          <Question
            title={t('tenants.eraseTitle', { name })}
            act={t('tenants.erase')}
            isDangerous
            confirm={name}
            command={['chandler', 'tenant', 'erase', name]}
            carryOut={carryOut}
            close={() => setAsked(false)}
          >
            <p>{t('tenants.eraseWhat')}</p>
          </Question>
        ) : null}
      </div>
      <p role="status">{isErased ? t('tenants.erased') : null}</p>
    </>
  )
}
