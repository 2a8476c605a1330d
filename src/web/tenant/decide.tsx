/** Deciding for a tenant what it may see and have, where and how its packages run: made, changed and taken away. */
import { useState } from 'preact/hooks'
import { calls } from '../calls.ts'
import { tenantLink } from '../links.ts'
import { Question } from '../parts/dialog.tsx'
import { go } from '../router.ts'
import { send } from '../send.ts'
import { t } from '../texts.ts'
import { changeOf, type Filling, fillingOf, newTenant, optionsOf, type Rule } from './decisions.ts'
import { DecisionFields } from './fields.tsx'

interface NewProps {
  /** Absent: the name is asked for. */
  readonly name?: string
  /** Called after it was made, before the question closes. */
  readonly made?: () => void
  readonly close: () => void
}

/** Names of tenants, `NAME/*` for all below one, `*` for all; as the API has it. */
const namePattern = '\\*|[^\\s*]+(?:/\\*)?'

export function NewDecision({ name: given, made, close }: NewProps) {
  const [name, setName] = useState(given ?? '')
  const [filling, setFilling] = useState(fillingOf(undefined))
  const body = newTenant(name.trim(), filling)
  const { name: _name, ...said } = body
  const carryOut = async () => {
    const answered = await send(calls.createTenant, { path: {}, body })
    if (answered.kind === 'done') {
      if (given === undefined) go(tenantLink(body.name))
      made?.()
    }
    return answered
  }
  return (
    <Question
      title={given === undefined ? t('tenants.new') : t('tenants.decideTitle', { name: given })}
      act={t('tenants.decide')}
      isOff={body.name === '' || Object.keys(said).length === 0}
      command={['chandler', 'tenant', 'create', body.name || 'NAME', ...optionsOf(said)]}
      carryOut={carryOut}
      close={close}
    >
      <p>{t('tenants.decideWhat')}</p>
      {given === undefined ? (
        <label>
          {t('tenants.tenant')}
          <input
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
            required
            maxLength={300}
            pattern={namePattern}
            aria-describedby="tenant-name"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
          <span class="quiet small" id="tenant-name">
            {t('tenants.nameWhat')}
          </span>
        </label>
      ) : null}
      <DecisionFields filling={filling} set={setFilling} />
    </Question>
  )
}

interface ChangeProps {
  readonly rule: Rule
  /** Called after it was done, before the question closes. */
  readonly done: () => void
  readonly close: () => void
}

export function ChangedDecision({ rule, done, close }: ChangeProps) {
  const { name } = rule
  // What another person decides meanwhile stays: only what is changed here is sent.
  const [before] = useState(fillingOf(rule))
  const [filling, setFilling] = useState<Filling>(before)
  const change = changeOf(before, filling)
  const carryOut = async () => {
    const answered = await send(calls.changeTenant, { path: { tenant: name }, body: change })
    if (answered.kind === 'done') done()
    return answered
  }
  return (
    <Question
      title={t('tenants.decideTitle', { name })}
      act={t('tenants.decide')}
      isOff={Object.keys(change).length === 0}
      command={['chandler', 'tenant', 'set', name, ...optionsOf(change)]}
      carryOut={carryOut}
      close={close}
    >
      <p>{t('tenants.decideWhat')}</p>
      <DecisionFields filling={filling} set={setFilling} />
    </Question>
  )
}

export function RemovedDecision({ rule: { name }, done, close }: ChangeProps) {
  const carryOut = async () => {
    const answered = await send(calls.removeTenant, { path: { tenant: name } })
    if (answered.kind === 'done') done()
    return answered
  }
  return (
    <Question
      title={t('tenants.removeTitle', { name })}
      act={t('tenants.remove')}
      isDangerous
      command={['chandler', 'tenant', 'remove', name]}
      carryOut={carryOut}
      close={close}
    >
      <p>{t('tenants.removeWhat')}</p>
    </Question>
  )
}
