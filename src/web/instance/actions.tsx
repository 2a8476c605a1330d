/** What the package of an instance can do beyond the life cycle. */
import { useMemo, useState } from 'preact/hooks'
import type { InstanceDetail } from '../../api/instance.ts'
import type { CustomAction } from '../../api/package.ts'
import { calls } from '../calls.ts'
import { SchemaForm } from '../fields/schema-form.tsx'
import { useFilling } from '../fields/use-filling.ts'
import { withoutSecrets } from '../form/places.ts'
import { operationLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { Question } from '../parts/dialog.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { go } from '../router.ts'
import { type Answered, send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'

export function ActionsTab({ detail: { platform, id: instance } }: { readonly detail: InstanceDetail }) {
  const list = useLoaded(`actions ${platform} ${instance}`, (manner) =>
    send(calls.actions, { path: { platform, instance }, ...manner }),
  )
  const [asked, setAsked] = useState<CustomAction>()
  if (list.value === undefined) return <NotYet of={list} />
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
          {may('invoke:instances') ? (
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
  const { name, parameters: schema } = action
  const plan = useMemo(() => ({ schema, definition: [] }), [name])
  const filling = useFilling({ key: `action ${platform} ${instance} ${name}`, plan, check: undefined })
  const { value } = filling.state
  const given = withoutSecrets(value, filling.secrets)
  const carryOut = async (): Promise<Answered<unknown>> => {
    const parameters = schema === undefined ? {} : value
    const answered = await send(calls.invoke, {
      path: { platform, instance },
      body: { action: name, parameters },
    })
    if (answered.kind === 'refused') filling.refuse(answered.problem)
    else {
      filling.forget()
      if (answered.value.operation !== undefined) go(operationLink(answered.value.operation))
    }
    return answered
  }
  return (
    <Question
      title={t('action.run', { name })}
      act={t('action.run', { name })}
      command={[
        ...['chandler', 'instance', 'invoke', instance, name, '--platform', platform],
        ...(Object.keys(given).length === 0 ? [] : ['--parameters', JSON.stringify(given)]),
      ]}
      carryOut={carryOut}
      close={close}
      isOff={filling.isBroken}
    >
      {action.description === undefined ? null : <p>{action.description}</p>}
      {schema === undefined ? null : <SchemaForm filling={filling} />}
    </Question>
  )
}
