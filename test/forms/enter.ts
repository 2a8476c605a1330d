/** Fills a form in as a person would: only by what its fields offer. */
import { type Json, type JsonObject, at as valueAt } from '../../src/kit/json.ts'
import { everyField, type Field } from '../../src/web/form/field.ts'
import { isMap } from '../../src/web/form/places.ts'
import { same } from '../../src/web/form/resolve.ts'
import {
  after,
  beginForm,
  type Deed,
  type FormPlan,
  type FormState,
  fieldsOf,
} from '../../src/web/form/state.ts'
import { textOfValue, valueIn } from '../../src/web/form/text.ts'

/** The form with a value entered; throws where a field does not let one. */
export function entered(plan: FormPlan, wanted: JsonObject): FormState {
  return enter(plan, beginForm(plan), '', wanted)
}

class CannotEnter extends Error {}

function fieldAt(plan: FormPlan, state: FormState, place: string): Field {
  const all = [...everyField(fieldsOf(plan, state))].filter((field) => field.place === place)
  // The outermost one: a branch and what is within it stand at one place.
  return all[0] ?? refuse(`no field at ${place}`)
}

function refuse(why: string): never {
  throw new CannotEnter(why)
}

function enter(plan: FormPlan, state: FormState, place: string, wanted: Json): FormState {
  if (same(valueAt(state.value, place) as Json, wanted)) return state
  return enterField(plan, state, fieldAt(plan, state, place), wanted)
}

function enterField(plan: FormPlan, state: FormState, field: Field, wanted: Json): FormState {
  const { place } = field
  const deed = (one: Deed) => after(plan, state, one)
  const set = (fits: boolean): FormState =>
    fits ? deed({ do: 'set', place, value: wanted }) : refuse(`${place} takes no ${JSON.stringify(wanted)}`)
  if (wanted === null && field.nullable) return set(true)
  switch (field.kind) {
    case 'text':
      return set(typeof wanted === 'string')
    case 'number':
      return set(
        same((valueIn(textOfValue(wanted)) as { value: Json }).value, wanted) && typeof wanted !== 'string',
      )
    case 'switch':
      return set(typeof wanted === 'boolean')
    case 'choice':
      return set(field.options.some(({ value }) => same(value, wanted)))
    case 'set':
      return set(Array.isArray(wanted))
    case 'constant':
      return set(same(field.fallback, wanted))
    case 'raw':
      return deed({
        do: 'set',
        place,
        value: (valueIn(textOfValue(wanted)) as { value: Json }).value,
      })
    case 'closed':
      return enter(plan, deed({ do: 'set', place, value: field.opening }), place, wanted)
    case 'branch':
      return enterBranch(plan, state, field, wanted)
    case 'list':
      return enterRows(plan, state, place, wanted)
    case 'group':
      return enterMembers(plan, state, field, wanted)
  }
}

function enterBranch(
  plan: FormPlan,
  state: FormState,
  field: Extract<Field, { kind: 'branch' }>,
  wanted: Json,
): FormState {
  const order = [field.picked, ...field.branches.keys()]
  for (const branch of order) {
    const chosen = after(plan, state, { do: 'pick', place: field.place, branch })
    const here = fieldAt(plan, chosen, field.place)
    if (here.kind !== 'branch') continue
    try {
      const done = enterField(plan, chosen, here.within, wanted)
      if (same(valueAt(done.value, field.place) as Json, wanted)) return done
    } catch (error) {
      if (!(error instanceof CannotEnter)) throw error
    }
  }
  return refuse(`no branch of ${field.place} takes ${JSON.stringify(wanted)}`)
}

function enterRows(plan: FormPlan, given: FormState, place: string, wanted: Json): FormState {
  if (!Array.isArray(wanted)) return refuse(`${place} is a list`)
  let state = given
  const rows = () => {
    const value = valueAt(state.value, place)
    return Array.isArray(value) ? value.length : 0
  }
  while (rows() > wanted.length) state = after(plan, state, { do: 'drop-row', place, index: rows() - 1 })
  for (const [i, item] of wanted.entries()) {
    if (i >= rows()) {
      const list = [...everyField(fieldsOf(plan, state))].find(
        (one) => one.place === place && one.kind === 'list',
      )
      if (list?.kind !== 'list') return refuse(`${place} shows no rows`)
      state = after(plan, state, { do: 'add-row', place, fresh: list.fresh })
    }
    state = enter(plan, state, `${place}/${i}`, item as Json)
  }
  return state
}

function enterMembers(
  plan: FormPlan,
  given: FormState,
  group: Extract<Field, { kind: 'group' }>,
  wanted: Json,
): FormState {
  const { place } = group
  if (!isMap(wanted)) return refuse(`${place} is a group`)
  let state = given
  // What decides of others comes first, as it stands in the form; conditions may need a second look.
  for (let round = 0; round < 3; round++) {
    for (const [name, item] of Object.entries(wanted)) {
      const inner = below(place, name)
      const isShown = [...everyField(fieldsOf(plan, state))].some((one) => one.place === inner)
      if (!isShown && (group.takesEntries !== 'no' || round > 1)) {
        if (group.takesEntries === 'no') return refuse(`${place} takes no ${name}`)
        state = after(plan, state, { do: 'add-entry', place, name })
      }
      if (isShown || group.takesEntries !== 'no') state = enter(plan, state, inner, item)
    }
    for (const name of Object.keys((valueAt(state.value, place) ?? {}) as JsonObject)) {
      if (!Object.hasOwn(wanted, name)) {
        state = after(plan, state, { do: 'set', place: below(place, name), value: undefined })
      }
    }
  }
  return state
}

function below(place: string, name: string): string {
  return `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
