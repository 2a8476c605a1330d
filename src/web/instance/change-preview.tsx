/** What the package itself says a change would do to what it made, where it can tell: asked by a button, before anything is sent. */
import { useEffect, useState } from 'preact/hooks'
import type { InstanceDetail } from '../../api/instance.ts'
import type { Problem } from '../../api/problem.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { calls } from '../calls.ts'
import { operationLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { ProblemNote } from '../parts/problem.tsx'
import { send } from '../send.ts'
import { t } from '../texts.ts'

interface Props {
  readonly detail: InstanceDetail
  /** The change as it would be sent. */
  readonly wish: { readonly parameters: JsonObject; readonly plan?: string; readonly maintenance?: string }
  readonly isOff: boolean
}

/** The action of packages that can tell. */
const action = 'preview'

export function ChangePreview({ detail: { platform, id: instance }, wish, isOff }: Props) {
  const path = { platform, instance }
  const list = useLoaded(`actions ${platform} ${instance}`, (manner) =>
    send(calls.actions, { path, ...manner }),
  )
  const [asked, setAsked] = useState<{ readonly operation: string; readonly wish: string }>()
  const [problem, setProblem] = useState<Problem>()
  if (list.value?.items.some(({ name }) => name === action) !== true) return null
  const ask = async (): Promise<void> => {
    setProblem(undefined)
    const answered = await send(calls.invoke, { path, body: { ...wish, action } })
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
        <Answer
          key={asked.operation}
          operation={asked.operation}
          isOld={asked.wish !== JSON.stringify(wish)}
        />
      )}
    </>
  )
}

function Answer({ operation, isOld }: { readonly operation: string; readonly isOld: boolean }) {
  const loaded = useLoaded(`operation ${operation}`, (manner) =>
    send(calls.operation, { path: { operation }, ...manner }),
  )
  const [changes, setChanges] = useState<readonly Change[]>()
  const { state, reason, description } = loaded.value ?? {}
  useEffect(() => {
    if (state !== 'succeeded') return
    const read = async (): Promise<void> => {
      const answered = await send(calls.result, { path: { operation, name: 'changes.json' } })
      setChanges(answered.kind === 'done' ? changesIn(answered.value) : [])
    }
    void read()
  }, [state])
  const isOver = loaded.value?.finishedAt !== undefined
  const isTold = state !== 'succeeded' || changes !== undefined
  if (!isOver || !isTold) {
    return (
      <p class="quiet" role="status">
        {t('update.previewing')}
      </p>
    )
  }
  return (
    <>
      <p role="status">{description ?? reason}</p>
      {isOld ? <p class="note">{t('update.previewOld')}</p> : null}
      {changes === undefined ? null : <Changes changes={changes} />}
      <p>
        <a href={operationLink(operation)}>{t('update.previewLog')}</a>
      </p>
    </>
  )
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <p class="quiet">{t('update.previewNothing')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: one scrolls in it by keyboard.
    <section class="wide-table" tabIndex={0} aria-label={t('update.previewTitle')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('update.previewAct')}</th>
            <th scope="col">{t('update.previewOf')}</th>
            <th scope="col">{t('update.previewWhat')}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ address, act, attributes }) => (
            <tr key={address}>
              <td>{act}</td>
              <td>
                <code>{address}</code>
              </td>
              <td>{attributes.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface Change {
  readonly address: string
  readonly act: string
  readonly attributes: readonly string[]
}

/** What a package wrote may be anything: what is not understood is left out. */
function changesIn(value: unknown): readonly Change[] {
  const changes = isObject(value) && Array.isArray(value['changes']) ? value['changes'] : []
  return changes.filter(isObject).map((change) => {
    const forces = textsOf(change['forces'])
    return {
      address: String(change['address']),
      act: String(change['action']),
      attributes: textsOf(change['attributes']).map((name) =>
        forces.includes(name) ? t('update.previewForces', { name }) : name,
      ),
    }
  })
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
