/** Form definitions of packages: the order, the groups and the display types that authors gave to the members of a plan's schema. */
import { isObject, type Json, type JsonObject, at as valueAt } from '../../kit/json.ts'

/** Where a member stands in the form, and how it wants to look. */
export interface Placing {
  readonly name: string
  readonly group?: string
  /** The author's word: `password`, `textarea` and others. */
  readonly display?: string
}

export type Which = 'create' | 'update' | 'bind'

const places: Readonly<Record<Which, string>> = {
  create: '/schemas/service_instance/create',
  update: '/schemas/service_instance/update',
  bind: '/schemas/service_binding/create',
}

/** The definition in the metadata of a plan; empty where its author gave none. */
export function definitionIn(metadata: JsonObject | undefined, which: Which): readonly Placing[] {
  const items = valueAt(metadata, `${places[which]}/openshift_form_definition`)
  return Array.isArray(items) ? items.flatMap((item: Json) => placings(item, undefined)) : []
}

function placings(item: Json, group: string | undefined): readonly Placing[] {
  const grouped = group === undefined ? {} : { group }
  if (typeof item === 'string') return [{ name: item, ...grouped }]
  if (!isObject(item)) return []
  const { key, type, title, items } = item
  if (Array.isArray(items)) {
    return items.flatMap((one: Json) => placings(one, typeof title === 'string' ? title : group))
  }
  if (typeof key !== 'string') return []
  return [{ name: key, ...grouped, ...(typeof type === 'string' ? { display: type } : {}) }]
}

/** Every declared member once: those of the definition first and in its order, then the rest as the schema has them. */
export function placed(names: readonly string[], definition: readonly Placing[]): readonly Placing[] {
  const known = definition.filter(
    ({ name }, i) => names.includes(name) && definition.findIndex((one) => one.name === name) === i,
  )
  const rest = names.filter((name) => !known.some((one) => one.name === name))
  return [...known, ...rest.map((name) => ({ name }))]
}
