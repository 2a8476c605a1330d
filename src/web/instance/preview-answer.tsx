/** What a package answered when it was asked what a change would do: its plan as a table, or what it printed. */
import { useEffect, useState } from 'preact/hooks'
import type { Problem } from '../../api/problem.ts'
import { isObject } from '../../kit/json.ts'
import { planFile } from '../../model/preview.ts'
import { addressOf } from '../address-of.ts'
import { calls } from '../calls.ts'
import { operationLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { ProblemNote } from '../parts/problem.tsx'
import { reachable } from '../parts/reachable.ts'
import { WideTable } from '../parts/wide-table.tsx'
import { exchangeText, send } from '../send.ts'
import { t } from '../texts.ts'

interface Props {
  readonly operation: string
  readonly isOld: boolean
}

export function PreviewAnswer({ operation, isOld }: Props) {
  const loaded = useLoaded(`operation ${operation}`, (manner) =>
    send(calls.operation, { path: { operation }, ...manner }),
  )
  const [told, setTold] = useState<Told>()
  const { state, reason, description, finishedAt } = loaded.value ?? {}
  useEffect(() => {
    if (state === 'succeeded') void toldBy(operation).then(setTold)
  }, [state])
  const isTold = state !== 'succeeded' || told !== undefined
  if (finishedAt === undefined || !isTold) {
    return (
      <p class="quiet" role="status">
        {t('update.previewing')}
      </p>
    )
  }
  return (
    <>
      {told?.kind === 'words' ? null : <p role="status">{description ?? reason}</p>}
      {isOld ? <p class="note">{t('update.previewOld')}</p> : null}
      {told === undefined ? null : <Shown told={told} />}
      <p>
        <a href={operationLink(operation)}>{t('update.previewLog')}</a>
      </p>
    </>
  )
}

type Told =
  | { readonly kind: 'plan'; readonly changes: readonly Change[] }
  | { readonly kind: 'words'; readonly texts: readonly string[] }
  | { readonly kind: 'refused'; readonly problem: Problem }

async function toldBy(operation: string): Promise<Told> {
  const list = await send(calls.results, { path: { operation } })
  if (list.kind === 'refused') return list
  if (list.value.items.some(({ name }) => name === planFile)) {
    const plan = await send(calls.result, { path: { operation, name: planFile } })
    return plan.kind === 'refused' ? plan : { kind: 'plan', changes: changesIn(plan.value) }
  }
  const shown = list.value.items.filter((one) => !one.secret && one.bytes <= shownBytes)
  const texts = await Promise.all(
    shown.map(({ name }) => textOf(addressOf(calls.result, { operation, name }))),
  )
  return { kind: 'words', texts: texts.filter((text) => text.trim() !== '') }
}

/** What is longer is read on the page of the operation. */
const shownBytes = 64 * 1024

async function textOf(address: string): Promise<string> {
  const answered = await exchangeText(address)
  return answered.kind === 'done' ? answered.value : ''
}

function Shown({ told }: { readonly told: Told }) {
  if (told.kind === 'refused') return <ProblemNote problem={told.problem} />
  if (told.kind === 'plan') return <Changes changes={told.changes} />
  return (
    <section aria-label={t('update.previewTitle')} aria-live="polite">
      {told.texts.map((text) => (
        <pre key={text} {...reachable}>
          {text}
        </pre>
      ))}
    </section>
  )
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <p class="quiet">{t('update.previewNothing')}</p>
  return (
    <WideTable label={t('update.previewTitle')}>
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
    </WideTable>
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
