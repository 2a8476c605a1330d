/** Fills a form in at random, by what its fields offer and nothing else; the same seed does the same. */
import type { Json, JsonObject } from '../../src/kit/json.ts'
import { compileSchema } from '../../src/kit/schema.ts'
import { everyField, type Field } from '../../src/web/form/field.ts'
import {
  after,
  beginForm,
  type Deed,
  type FormPlan,
  type FormState,
  fieldsOf,
} from '../../src/web/form/state.ts'

export type Chance = (below: number) => number

/** Numbers that follow from a seed. */
export function chanceOf(seed: number): Chance {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** The form after so many deeds. */
export function walked(plan: FormPlan, chance: Chance, deeds: number): FormState {
  let state = beginForm(plan)
  for (let i = 0; i < deeds; i++) {
    const fields = [...everyField(fieldsOf(plan, state))]
    const field = fields[chance(fields.length)]
    const deed = field === undefined || field.fixed ? undefined : deedFor(field, chance)
    if (deed !== undefined) state = after(plan, state, deed)
  }
  return state
}

/** The form with what it still asks for filled in; undefined where no value that would do is known here. */
export function completed(plan: FormPlan, given: FormState, chance: Chance): FormState | undefined {
  let state = given
  for (let round = 0; round < 200; round++) {
    const field = [...everyField(fieldsOf(plan, state))].find(isLacking)
    if (field === undefined) return state
    const deed = completion(field, chance)
    if (deed === undefined) return undefined
    state = after(plan, state, deed)
  }
  return undefined
}

function isLacking(field: Field): boolean {
  const { value, required } = field
  switch (field.kind) {
    case 'text':
      return (value === undefined && required) || (value !== undefined && !takes(field, value))
    case 'number':
      return (value === undefined && required) || (value !== undefined && !takes(field, value))
    case 'choice':
      return (value === undefined && required) || value === null
    case 'switch':
      return value === undefined && required
    case 'list':
      return field.rows.length < field.rowsMin
    case 'raw':
      return value === null || (value === undefined && required)
    default:
      return false
  }
}

function completion(field: Field, chance: Chance): Deed | undefined {
  const { place } = field
  if (field.kind === 'list') return { do: 'add-row', place, fresh: field.fresh }
  if (field.kind === 'raw') return { do: 'set', place, value: 'anything' }
  if (field.kind === 'choice') return { do: 'set', place, value: field.options[0]?.value }
  if (field.kind === 'switch') return { do: 'set', place, value: true }
  if (field.kind !== 'text' && field.kind !== 'number') return undefined
  const value = fitting(field, chance)
  return value === undefined ? undefined : { do: 'set', place, value }
}

function deedFor(field: Field, chance: Chance): Deed | undefined {
  const { place, required } = field
  const isRow = /\/\d+$/.test(place)
  if (!required && !isRow && place !== '' && chance(5) === 0) return { do: 'set', place, value: undefined }
  switch (field.kind) {
    case 'text':
    case 'number': {
      const value = fitting(field, chance)
      return value === undefined ? undefined : { do: 'set', place, value }
    }
    case 'switch':
      return { do: 'set', place, value: chance(2) === 0 }
    case 'choice':
      return { do: 'set', place, value: field.options[chance(field.options.length)]?.value }
    case 'set': {
      const value = field.options.map((one) => one.value).filter(() => chance(2) === 0)
      return { do: 'set', place, value }
    }
    case 'closed':
      return { do: 'set', place, value: field.opening }
    case 'branch':
      return { do: 'pick', place, branch: chance(field.branches.length) }
    case 'list':
      return listDeed(field, chance)
    case 'group':
      if (field.takesEntries !== 'asked') return undefined
      return { do: 'add-entry', place, name: `own-${chance(3)}` }
    default:
      return undefined
  }
}

function listDeed(
  { place, rows, rowsMin, rowsMax, fresh }: Extract<Field, { kind: 'list' }>,
  chance: Chance,
): Deed {
  const index = chance(Math.max(1, rows.length))
  if (rows.length > rowsMin && chance(4) === 0) return { do: 'drop-row', place, index }
  if (rows.length > 1 && chance(4) === 0)
    return { do: 'move-row', place, index, by: chance(2) === 0 ? -1 : 1 }
  if (rows.length >= (rowsMax ?? 4)) return { do: 'move-row', place, index, by: 1 }
  return { do: 'add-row', place, fresh }
}

const words = [
  ...['check', 'check-two', 'Check1', 'a', 'ab', 'abc', '1', '12', '1.0.0', '10.0.0.0/24', '10Gi', 'YWJj'],
  ...['example.com', 'someone@example.com', 'https://example.com/', '2030-01-31', '2030-01-31T12:00:00Z'],
  ...[
    '192.0.2.1',
    '2001:db8::1',
    '6f1d2c3b-4a5e-4f60-8123-456789abcdef',
    'ABCDEFGHIJ0123456789',
    'x'.repeat(40),
  ],
]

function fitting(field: Extract<Field, { kind: 'text' | 'number' }>, chance: Chance): Json | undefined {
  const known = field.kind === 'text' ? words : numbersFor(field)
  const fits = known.filter((one) => takes(field, one))
  return fits[chance(fits.length)]
}

function numbersFor({ min, max, step, whole }: Extract<Field, { kind: 'number' }>): readonly number[] {
  const low = min ?? Math.min(0, max ?? 0)
  const by = step ?? 1
  const first = Math.ceil(low / by) * by
  return [
    first + by,
    first + 2 * by,
    first,
    ...(max === undefined ? [] : [max - by, max]),
    ...(whole ? [] : [low + 0.5]),
  ]
}

/** Whether a value keeps what the field tells of itself. */
function takes(field: Extract<Field, { kind: 'text' | 'number' }>, value: Json): boolean {
  const compiled = compileSchema(toldBy(field))
  return compiled.kind === 'refused' || compiled.check(value).length === 0
}

function toldBy(field: Extract<Field, { kind: 'text' | 'number' }>): JsonObject {
  const entries: readonly (readonly [string, Json | undefined])[] =
    field.kind === 'text'
      ? [
          ['type', 'string'],
          ['format', field.format],
          ['pattern', field.pattern],
          ['minLength', field.lengthMin],
          ['maxLength', field.lengthMax],
        ]
      : [
          ['type', field.whole ? 'integer' : 'number'],
          ['minimum', field.min],
          ['maximum', field.max],
          ['multipleOf', field.step],
        ]
  return Object.fromEntries(
    entries.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined),
  )
}
