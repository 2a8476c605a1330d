/** What an update changes, in words. */
import { type JsonObject, stepsOf } from '../../kit/json.ts'
import { type Change, changesBetween } from '../form/difference.ts'
import { everyField, type Field } from '../form/field.ts'
import { isWithin } from '../form/places.ts'
import { t } from '../texts.ts'
import { nameOf, shortValue } from './around.ts'
import type { Filling } from './use-filling.ts'

interface Props {
  readonly filling: Filling
  readonly now: JsonObject
  /** Neither plan nor version change either. */
  readonly isIdle: boolean
}

export function Differences({ filling: { state, root, secrets }, now, isIdle }: Props) {
  const changes = changesBetween(now, state.value)
  const fields = new Map([...everyField(root)].toReversed().map((field) => [field.place, field]))
  if (isIdle) return <p class="quiet">{t('update.nothing')}</p>
  return (
    <>
      <ul class="differences">
        {changes.map((change) => (
          <li key={change.place}>{sentence(change, fields.get(change.place), secrets)}</li>
        ))}
      </ul>
      {losing(changes, fields, state.value, secrets).map((name) => (
        <p class="note" key={name}>
          {t('form.secretAgain', { name })}
        </p>
      ))}
    </>
  )
}

function sentence(change: Change, field: Field | undefined, secrets: readonly string[]): string {
  const { place, kind, from, to } = change
  const name = field === undefined ? stepsOf(place).join(' › ') : nameOf(field)
  if (secrets.some((secret) => isWithin(place, secret))) return t('update.secret', { name })
  const words = { name, from: shortValue(from), to: shortValue(to) }
  if (kind !== 'removed') return t(kind === 'added' ? 'update.added' : 'update.changed', words)
  if (field?.fallback === undefined) return t('update.removed', words)
  return t('update.removedDefault', { ...words, to: shortValue(field.fallback) })
}

/** Uppermost members are sent as a whole, so secrets inside of a changed one go unless they are typed again. */
function losing(
  changes: readonly Change[],
  fields: ReadonlyMap<string, Field>,
  value: JsonObject,
  secrets: readonly string[],
): readonly string[] {
  const tops = new Set(changes.map(({ place }) => stepsOf(place)[0] ?? ''))
  return [...tops].flatMap((top) => {
    const field = [...fields.values()].find((one) => stepsOf(one.place).length === 1 && one.name === top)
    if (field === undefined) return []
    const inner = secrets.filter((place) => place !== field.place && isWithin(place, field.place))
    const isMissing = inner.some((place) => fields.get(place)?.value === undefined)
    return isMissing && Object.hasOwn(value, top) ? [nameOf(field)] : []
  })
}
