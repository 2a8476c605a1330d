/** Log-in with an account of the configuration. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { OuterFrame } from '../parts/outer-frame.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { Shape } from '../parts/state.tsx'
import { useTitle } from '../parts/title.ts'
import type { Answered } from '../send.ts'
import { leaveForProvider, logIn, offeredLogin, wayToProvider } from '../session.ts'
import { type TextKey, t } from '../texts.ts'

/** Refusals that the API tells in words for programs. */
const words: Readonly<Record<number, TextKey>> = {
  401: 'login.wrong',
  403: 'login.platform',
  429: 'login.tooMany',
}

export function LogInPage({ hadEnded }: { readonly hadEnded: boolean }) {
  useTitle(t('login.title'))
  const [refused, setRefused] = useState<Answered<unknown>>()
  const [isBusy, setBusy] = useState(false)
  const password = useRef<HTMLInputElement>(null)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    const answered = await logIn(String(form.get('user')), String(form.get('password')))
    setBusy(false)
    if (answered.kind === 'done') return
    setRefused(answered)
    password.current?.select()
  }
  return (
    <OuterFrame title={t('login.title')}>
      {hadEnded && refused === undefined ? <p role="status">{t('login.ended')}</p> : null}
      <form onSubmit={(event) => void submit(event)}>
        <label>
          {t('login.user')}
          <input name="user" autocomplete="username" autocapitalize="none" required autofocus />
        </label>
        <label>
          {t('login.password')}
          <input ref={password} name="password" type="password" autocomplete="current-password" required />
        </label>
        {refused?.kind === 'refused' ? <Refusal {...refused} /> : null}
        <button class="primary" type="submit" disabled={isBusy}>
          {t('login.submit')}
        </button>
      </form>
      <ProviderLink />
      <p class="quiet small">{t('login.lead')}</p>
    </OuterFrame>
  )
}

/** The way to an identity provider, where the broker has one; and what became of the last try. */
function ProviderLink() {
  const [name, setName] = useState<string>()
  useEffect(() => {
    void offeredLogin().then(setName)
  }, [])
  const problem = new URLSearchParams(location.search).get('login')
  return (
    <>
      {problem === null ? null : (
        <p class="note bad" role="alert">
          <Shape tone="bad" />
          <span>{t(problem === 'login.provider-away' ? 'login.providerAway' : 'login.providerRefused')}</span>
        </p>
      )}
      {name === undefined ? null : (
        <p>
          <a href={wayToProvider()} onClick={leaveForProvider}>
            {t('login.provider', { name })}
          </a>
        </p>
      )}
    </>
  )
}

function Refusal({ status, problem }: Extract<Answered<unknown>, { kind: 'refused' }>) {
  const word = words[status]
  if (word === undefined) return <ProblemNote problem={problem} />
  return (
    <p class="note bad" role="alert">
      <Shape tone="bad" />
      <span>{t(word)}</span>
    </p>
  )
}
