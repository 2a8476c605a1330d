/** What the package itself says a change would do to what it made, where it can tell: asked by a button, before anything is sent. */
import { useState } from 'preact/hooks'
import type { InstanceDetail } from '../../api/instance.ts'
import type { Problem } from '../../api/problem.ts'
import type { JsonObject } from '../../kit/json.ts'
import { previewAmong, previewParameters } from '../../model/preview.ts'
import { calls } from '../calls.ts'
import { useLoaded } from '../load.ts'
import { ProblemNote } from '../parts/problem.tsx'
import { send } from '../send.ts'
import { t } from '../texts.ts'
import { PreviewAnswer } from './preview-answer.tsx'

interface Props {
  readonly detail: InstanceDetail
  /** The change as it would be sent. */
  readonly wish: { readonly parameters: JsonObject; readonly plan?: string; readonly maintenance?: string }
  readonly isOff: boolean
}

export function ChangePreview({ detail: { platform, id: instance }, wish, isOff }: Props) {
  const path = { platform, instance }
  const list = useLoaded(`actions ${platform} ${instance}`, (manner) =>
    send(calls.actions, { path, ...manner }),
  )
  const [asked, setAsked] = useState<{ readonly operation: string; readonly wish: string }>()
  const [problem, setProblem] = useState<Problem>()
  const action = previewAmong(list.value?.items ?? [])
  if (action === undefined) return null
  const ask = async (): Promise<void> => {
    setProblem(undefined)
    const parameters = previewParameters(action, wish.parameters)
    const answered = await send(calls.invoke, { path, body: { ...wish, parameters, action: action.name } })
    if (answered.kind === 'refused') setProblem(answered.problem)
    else if (answered.value.operation !== undefined)
      setAsked({ operation: answered.value.operation, wish: JSON.stringify(wish) })
  }
  return (
    <>
      <p class="deeds">
        <button type="button" disabled={isOff} onClick={() => void ask()}>
          {t('update.preview')}
        </button>
      </p>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {asked === undefined ? null : (
        <PreviewAnswer
          key={asked.operation}
          operation={asked.operation}
          isOld={asked.wish !== JSON.stringify(wish)}
        />
      )}
    </>
  )
}
