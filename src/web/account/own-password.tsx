/** Changes the password of the person in front of the page; where that is not done here, says where. */
import { useState } from 'preact/hooks'
import type { Session } from '../../api/session.ts'
import { calls } from '../calls.ts'
import { Question } from '../parts/dialog.tsx'
import { type Answered, send } from '../send.ts'
import { logIn } from '../session.ts'
import { t } from '../texts.ts'

/** As the API has it. */
const leastCharacters = 12

export function OwnPassword({ session: { user, keptIn } }: { readonly session: Session }) {
  const [isAsked, setAsked] = useState(false)
  if (keptIn !== 'store')
    return (
      <p class="quiet small">{t(keptIn === 'provider' ? 'account.atProvider' : 'account.inConfiguration')}</p>
    )
  return (
    <p>
      <button type="button" onClick={() => setAsked(true)}>
        {t('account.password')}
      </button>
      {isAsked ? <Change name={user.name} close={() => setAsked(false)} /> : null}
    </p>
  )
}

function Change({ name, close }: { readonly name: string; readonly close: () => void }) {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const carryOut = async (): Promise<Answered<unknown>> => {
    const answered = await send(calls.setOwnPassword, { path: {}, body: { current, password } })
    // All sessions of the account end with it; this browser goes on with a new one.
    return answered.kind === 'done' ? logIn(name, password) : answered
  }
  return (
    <Question
      title={t('account.password')}
      act={t('account.setPassword')}
      isOff={current === '' || password.length < leastCharacters}
      command={['chandler', 'user', 'password']}
      carryOut={carryOut}
      close={close}
    >
      <p>{t('account.passwordWhat')}</p>
      <PasswordField
        label={t('account.currentPassword')}
        kind="current-password"
        value={current}
        set={setCurrent}
      />
      <PasswordField
        label={t('account.newPassword', { least: leastCharacters })}
        kind="new-password"
        value={password}
        set={setPassword}
      />
    </Question>
  )
}

interface FieldProps {
  readonly label: string
  readonly kind: 'current-password' | 'new-password'
  readonly value: string
  readonly set: (value: string) => void
}

function PasswordField({ label, kind, value, set }: FieldProps) {
  return (
    <label>
      {label}
      <input
        type="password"
        autocomplete={kind}
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  )
}
