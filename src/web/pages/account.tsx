/** The account of the session, its end, its language; and the way out. */
import { useState } from 'preact/hooks'
import { OwnPassword } from '../account/own-password.tsx'
import { OwnTenants } from '../account/tenants.tsx'
import { calls } from '../calls.ts'
import { useLoaded } from '../load.ts'
import { Command } from '../parts/copy.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { lastingText, moment } from '../parts/time.tsx'
import { useTitle } from '../parts/title.ts'
import { brokerUrl } from '../place.ts'
import { type Answered, send } from '../send.ts'
import { logOut, session } from '../session.ts'
import { chooseLanguage, type Language, language, languages, t } from '../texts.ts'

export function AccountPage() {
  useTitle(t('nav.account'))
  const about = useLoaded('about', (manner) => send(calls.about, { path: {}, ...manner }))
  if (session.value.kind !== 'open') return null
  const { user, keptIn, permissions, endsAt, idleSeconds } = session.value.session
  return (
    <>
      <h1>{user.name}</h1>
      <dl class="facts">
        <dt>{t('account.role')}</dt>
        <dd>{user.role}</dd>
        <dt>{t('account.permissions')}</dt>
        <dd>
          {permissions.map((one) => (
            <span key={one}>
              <code>{one}</code>{' '}
            </span>
          ))}
        </dd>
        <dt>{t('account.ends')}</dt>
        <dd>
          {moment(endsAt)}, {t('account.idle', { time: lastingText(idleSeconds) })}
        </dd>
        <dt>{t('account.broker')}</dt>
        <dd>
          <code>{brokerUrl}</code>
        </dd>
        <dt>{t('account.version')}</dt>
        <dd>{about.value?.version}</dd>
        <dt>{t('account.cluster')}</dt>
        <dd>
          <code>{about.value?.cluster}</code>
        </dd>
      </dl>
      <OwnTenants />
      <OwnPassword session={session.value.session} />
      <label class="field">
        {t('account.language')}
        <select
          value={language.value}
          onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}
        >
          {Object.entries(languages).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <LogOut />
      <Command
        label={t('account.command')}
        words={[
          ...['chandler', 'login', brokerUrl],
          ...(keptIn === 'provider' ? ['--provider'] : ['--user', user.name]),
        ]}
      />
    </>
  )
}

function LogOut() {
  const [answered, setAnswered] = useState<Answered<unknown>>()
  return (
    <>
      {answered?.kind === 'refused' ? <ProblemNote problem={answered.problem} /> : null}
      <p>
        <button type="button" onClick={() => void logOut().then(setAnswered)}>
          {t('account.logOut')}
        </button>
      </p>
    </>
  )
}
