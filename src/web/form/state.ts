/** A form being filled in: its value, the branches chosen, what they held before, and texts that are no value yet. */
import { isObject, type Json, type JsonObject, pointer, at as valueAt } from '../../kit/json.ts'
import type { Placing } from './definition.ts'
import { everyField, type Field } from './field.ts'
import { formOf } from './form.ts'
import { choiceIn, join, membersOf, typesOf } from './join.ts'
import { isWithin, put } from './places.ts'
import { fits, resolve } from './resolve.ts'
import { freshRow, withStarts } from './start.ts'

export interface FormPlan {
  readonly schema: JsonObject | undefined
  readonly definition: readonly Placing[]
}

export interface FormState {
  readonly value: JsonObject
  readonly picks: Readonly<Record<string, number>>
  /** What a branch held when another one was chosen, by place and number. */
  readonly stash: Readonly<Record<string, Json>>
  /** What was typed where text is edited and cannot be read yet, by place. */
  readonly texts: Readonly<Record<string, string>>
}

export type Deed =
  | { readonly do: 'set'; readonly place: string; readonly value: Json | undefined }
  | { readonly do: 'text'; readonly place: string; readonly text: string }
  | { readonly do: 'whole'; readonly value: JsonObject }
  | { readonly do: 'add-row'; readonly place: string; readonly fresh: Json }
  | { readonly do: 'drop-row'; readonly place: string; readonly index: number }
  | { readonly do: 'move-row'; readonly place: string; readonly index: number; readonly by: -1 | 1 }
  | { readonly do: 'add-entry'; readonly place: string; readonly name: string }
  | { readonly do: 'rename-entry'; readonly place: string; readonly name: string; readonly to: string }
  | { readonly do: 'pick'; readonly place: string; readonly branch: number }

/** A form to begin with: what was given, else what must be there and is known. */
export function beginForm({ schema }: FormPlan, given?: JsonObject): FormState {
  const value = given ?? (schema === undefined ? {} : withStarts({ schema, root: schema }, {}))
  return { value, picks: {}, stash: {}, texts: {} }
}

/** The fields as they are now. */
export function fieldsOf({ schema, definition }: FormPlan, { value, picks }: FormState): Field {
  return formOf({ schema, definition, value, picks })
}

/** The form after something was done to it. */
export function after(plan: FormPlan, state: FormState, deed: Deed): FormState {
  const { value } = state
  switch (deed.do) {
    case 'set':
      return { ...state, value: put(value, deed.place, deed.value), texts: without(state.texts, deed.place) }
    case 'text':
      return { ...state, texts: { ...state.texts, [deed.place]: deed.text } }
    case 'whole':
      return { ...state, value: deed.value, texts: {}, picks: {} }
    case 'add-row':
      return { ...state, value: put(value, deed.place, [...rowsAt(value, deed.place), deed.fresh]) }
    case 'drop-row': {
      const rows = rowsAt(value, deed.place).filter((_, i) => i !== deed.index)
      return { ...forgotten(state, deed.place), value: put(value, deed.place, rows) }
    }
    case 'move-row':
      return {
        ...forgotten(state, deed.place),
        value: put(value, deed.place, moved(rowsAt(value, deed.place), deed)),
      }
    case 'add-entry':
      return addEntry(plan, state, deed)
    case 'rename-entry':
      return renameEntry(state, deed)
    case 'pick':
      return pick(plan, state, deed)
  }
}

function rowsAt(value: JsonObject, place: string): readonly Json[] {
  const rows = valueAt(value, place)
  return Array.isArray(rows) ? rows : []
}

function moved(
  rows: readonly Json[],
  { index, by }: { readonly index: number; readonly by: -1 | 1 },
): Json[] {
  const other = index + by
  const [mine, theirs] = [rows[index], rows[other]]
  if (mine === undefined || theirs === undefined) return [...rows]
  return rows.with(index, theirs).with(other, mine)
}

/** Rows that move take nothing with them that is known by number: their branches are guessed from their values. */
function forgotten(state: FormState, place: string): FormState {
  return {
    ...state,
    picks: without(state.picks, place),
    stash: without(state.stash, place),
    texts: without(state.texts, place),
  }
}

function without<T>(table: Readonly<Record<string, T>>, place: string): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(table).filter(([key]) => !isWithin(key.split('#')[0] ?? '', place)),
  )
}

function addEntry(
  plan: FormPlan,
  state: FormState,
  { place, name }: { readonly place: string; readonly name: string },
): FormState {
  const inner = pointer(place, name)
  const group = [...everyField(fieldsOf(plan, state))].find(
    (field) => field.place === place && field.kind === 'group',
  )
  if (group?.kind !== 'group' || valueAt(state.value, inner) !== undefined) return state
  return { ...state, value: put(state.value, inner, group.fresh) }
}

function renameEntry(
  state: FormState,
  { place, name, to }: { readonly place: string; readonly name: string; readonly to: string },
): FormState {
  const map = valueAt(state.value, place)
  if (!isObject(map) || Object.hasOwn(map, to)) return state
  const renamed = Object.entries(map as JsonObject).map(
    ([key, item]) => [key === name ? to : key, item] as const,
  )
  return {
    ...forgotten(state, pointer(place, name)),
    value: put(state.value, place, Object.fromEntries(renamed)),
  }
}

/** Another branch: what only the old one has is put aside, what the new one held comes back. */
function pick(
  plan: FormPlan,
  state: FormState,
  { place, branch }: { readonly place: string; readonly branch: number },
): FormState {
  const spot = branchAt(plan, state, place)
  if (spot === undefined) return state
  const { schema, root, picked } = spot
  const now = valueAt(state.value, place) as Json | undefined
  const choice = choiceIn(schema) ?? { branches: typesOf(schema).map((type) => ({ type })), beside: {} }
  const held = state.stash[`${place}#${branch}`]
  const target = join(resolve({ schema: choice.branches[branch] ?? true, root }, undefined), choice.beside)
  const next =
    isObject(now) && typesOf(target)[0] === 'object'
      ? overlaid({ schema: target, root }, now as JsonObject, held, choice)
      : (held ?? freshRow({ schema: target, root }))
  return {
    ...forgotten(state, place),
    value: put(state.value, place, next),
    picks: { ...without(state.picks, place), [place]: branch },
    stash: now === undefined ? state.stash : { ...state.stash, [`${place}#${picked}`]: now },
  }
}

function branchAt(plan: FormPlan, state: FormState, place: string) {
  const field = [...everyField(fieldsOf(plan, state))].find(
    (one) => one.place === place && one.kind === 'branch',
  )
  return field?.kind === 'branch' ? { ...field.source, picked: field.picked } : undefined
}

function overlaid(
  { schema, root }: { readonly schema: JsonObject; readonly root: Json },
  now: JsonObject,
  held: Json | undefined,
  { branches, beside }: { readonly branches: readonly Json[]; readonly beside: JsonObject },
): JsonObject {
  const names = (one: Json) => membersOf(resolve({ schema: one, root }, undefined)).map(([name]) => name)
  const mine = new Set([...membersOf(schema).map(([name]) => name)])
  const others = new Set(branches.flatMap(names).filter((name) => !mine.has(name)))
  const shared = new Set(names(beside))
  const kept = Object.entries({ ...(isObject(held) ? (held as JsonObject) : {}), ...now }).filter(
    ([name, item]) => !others.has(name) && (shared.has(name) || mayStay({ schema, root }, name, item)),
  )
  return withStarts({ schema, root }, Object.fromEntries(kept))
}

/** What both branches call by one name is kept where the new one takes it. */
function mayStay(
  { schema, root }: { readonly schema: JsonObject; readonly root: Json },
  name: string,
  item: Json,
): boolean {
  const member = membersOf(schema).find(([one]) => one === name)?.[1]
  return member === undefined || fits({ schema: member, root }, item) !== 'no'
}
