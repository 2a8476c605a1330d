/** What the package of an instance can do beyond the life cycle. */
import { useState } from 'preact/hooks'
import type { InstanceDetail } from '../../api/instance.ts'
import type { CustomAction } from '../../api/package.ts'
import { calls } from '../calls.ts'
import { operationLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { Question } from '../parts/dialog.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { go } from '../router.ts'
import { type Answered, send } from '../send.ts'
import { isOperator } from '../session.ts'
import { t } from '../texts.ts'

export function ActionsTab({ detail: { platform, id: instance } }: { readonly detail: InstanceDetail }) {
  const list = useLoaded(`actions ${platform} ${instance}`, (manner) =>
    send(calls.actions, { path: { platform, instance }, ...manner }),
  )
  const [asked, setAsked] = useState<CustomAction>()
  if (list.problem !== undefined) return <ProblemNote problem={list.problem} again={list.reload} />
  if (list.value === undefined) return <p class="quiet">{t('word.loading')}</p>
  if (list.value.items.length === 0) return <p class="calm">{t('action.none')}</p>
  return (
    <>
      {list.value.items.map((action) => (
        <section class="sheet" key={action.name} aria-label={action.name}>
          <div class="head">
            <h2>{action.title ?? action.name}</h2>
            <span class="quiet small">
              <code>{action.name}</code> · {t(action.modifies ? 'action.modifies' : 'action.looks')}
            </span>
          </div>
          {action.description === undefined ? null : <p>{action.description}</p>}
          {isOperator() ? (
            <div class="acts">
              <button type="button" onClick={() => setAsked(action)}>
                {t('action.run', { name: action.name })}
              </button>
            </div>
          ) : null}
        </section>
      ))}
      {asked === undefined ? null : (
        <RunQuestion
          action={asked}
          platform={platform}
          instance={instance}
          close={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

interface RunProps {
  readonly action: CustomAction
  readonly platform: string
  readonly instance: string
  readonly close: () => void
}

function RunQuestion({ action, platform, instance, close }: RunProps) {
  const [text, setText] = useState('{}')
  const takesMore = action.parameters !== undefined
  const carryOut = async (): Promise<Answered<unknown>> => {
    const parameters = takesMore ? objectIn(text) : {}
    if (parameters === undefined) {
      const title = t('action.notJson')
      return { kind: 'refused', status: 0, problem: { code: 'request.malformed', title, message: title } }
    }
    const body = { action: action.name, parameters }
    const answered = await send(calls.invoke, { path: { platform, instance }, body })
    if (answered.kind === 'done' && answered.value.operation !== undefined)
      go(operationLink(answered.value.operation))
    return answered
  }
  return (
    <Question
      title={t('action.run', { name: action.name })}
      act={t('action.run', { name: action.name })}
      command={['chandler', 'instance', 'invoke', instance, action.name, '--platform', platform]}
      carryOut={carryOut}
      close={close}
    >
      {action.description === undefined ? null : <p>{action.description}</p>}
      {takesMore ? (
        <label>
          {t('action.parameters')}
          <textarea
            class="mono"
            rows={6}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            spellcheck={false}
          />
        </label>
      ) : null}
    </Question>
  )
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
