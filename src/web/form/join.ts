/** Schemas joined into one: references followed, `allOf` put together, and what is asked of the sum. */
import { isObject, type Json, type JsonObject, pointer, at as valueAt } from '../../kit/json.ts'

/** A schema with the document that its references start from. */
export interface Rooted {
  readonly schema: Json
  readonly root: Json
}

/** A schema with its references and its `allOf` in it. */
export function joined(schema: Json, root: Json, seen: Set<Json>): JsonObject {
  if (schema === false) return { not: {} }
  if (!isObject(schema) || seen.has(schema as Json)) return {}
  seen.add(schema as Json)
  const { $ref, allOf, ...own } = schema as JsonObject
  const referred = typeof $ref === 'string' ? [joined(targetOf($ref, root), root, seen)] : []
  const all = Array.isArray(allOf) ? allOf.map((one: Json) => joined(one, root, seen)) : []
  // Other uses of the same definition are no circle.
  seen.delete(schema as Json)
  return [...referred, ...all].reduce((sum, one) => join(sum, one), own as JsonObject)
}

/** What a reference within the same document names; anything where it names nothing. */
function targetOf(reference: string, root: Json): Json {
  if (!reference.startsWith('#')) return {}
  const fragment = decoded(reference.slice(1))
  if (fragment === '' || fragment.startsWith('/')) return (valueAt(root, fragment) as Json | undefined) ?? {}
  return anchored(root, fragment) ?? {}
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function anchored(root: Json, name: string): Json | undefined {
  if (!isObject(root)) return undefined
  const tables = [(root as JsonObject)['$defs'], (root as JsonObject)['definitions']].filter(isObject)
  return tables
    .flatMap((table) => Object.values(table as JsonObject))
    .find(
      (one) =>
        isObject(one) && (one['$anchor'] === name || one['$id'] === `#${name}` || one['id'] === `#${name}`),
    )
}

/** Two schemas that both hold for the same value, as one. What one schema cannot say is left to the check. */
export function join(a: JsonObject, b: JsonObject): JsonObject {
  const sum: Record<string, Json> = { ...b, ...a }
  for (const [key, value] of Object.entries(b)) {
    const mine = a[key]
    if (mine !== undefined && value !== undefined) sum[key] = joinKeyword(key, mine, value)
  }
  return sum
}

function joinKeyword(key: string, a: Json, b: Json): Json {
  switch (key) {
    case 'properties':
    case 'patternProperties':
    case 'definitions':
    case '$defs':
      return joinMaps(a, b)
    case 'required':
      return Array.isArray(a) && Array.isArray(b) ? [...new Set([...a, ...b])] : a
    case 'type':
      return commonTypes(a, b)
    case 'enum': {
      const other = new Set((Array.isArray(b) ? b : []).map((one) => JSON.stringify(one)))
      return Array.isArray(a) ? a.filter((one) => other.has(JSON.stringify(one))) : a
    }
    case 'minimum':
    case 'minLength':
    case 'minItems':
      return typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : a
    case 'maximum':
    case 'maxLength':
    case 'maxItems':
      return typeof a === 'number' && typeof b === 'number' ? Math.min(a, b) : a
    case 'additionalProperties':
      return a === false || b === false ? false : a
    case 'writeOnly':
    case 'readOnly':
    case 'uniqueItems':
      return a === true || b === true
    default:
      return a
  }
}

function joinMaps(a: Json, b: Json): Json {
  if (!isObject(a) || !isObject(b)) return a
  const sum: Record<string, Json> = { ...(a as JsonObject) }
  for (const [name, schema] of Object.entries(b as JsonObject)) {
    const mine = sum[name]
    sum[name] = mine === undefined ? schema : { allOf: [mine, schema] }
  }
  return sum
}

function commonTypes(a: Json, b: Json): Json {
  const [mine, theirs] = [a, b].map((one) => (Array.isArray(one) ? one : [one])) as [Json[], Json[]]
  const both = mine.filter((one) => theirs.includes(one) || (one === 'integer' && theirs.includes('number')))
  const narrowed = theirs.includes('integer') && mine.includes('number') ? [...both, 'integer'] : both
  return narrowed.length === 1 ? (narrowed[0] ?? a) : narrowed
}

/** The kinds of value that a resolved schema speaks of; none where it says nothing. */
export function typesOf(schema: JsonObject): readonly string[] {
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((one): one is string => typeof one === 'string')
  const says = (...keywords: readonly string[]) => keywords.some((keyword) => keyword in schema)
  if (says('properties', 'additionalProperties', 'patternProperties', 'required', 'minProperties')) {
    return ['object']
  }
  if (says('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains')) return ['array']
  if (says('pattern', 'minLength', 'maxLength', 'contentEncoding', 'contentMediaType')) return ['string']
  return says('minimum', 'maximum', 'multipleOf', 'exclusiveMinimum') ? ['number'] : []
}

/** The kinds of value besides null, and whether null is one. */
export function kindsOf(schema: JsonObject): {
  readonly kinds: readonly string[]
  readonly nullable: boolean
} {
  const types = typesOf(schema)
  const kinds = types.filter((type) => type !== 'null')
  const nullable = kinds.length > 0 && (kinds.length < types.length || schema['nullable'] === true)
  return { kinds: kinds.length > 0 ? kinds : types, nullable }
}

/** The branches of a choice, whichever keyword names them; with the schema that holds beside every one. */
export function choiceIn(
  schema: JsonObject,
): { readonly branches: readonly Json[]; readonly beside: JsonObject } | undefined {
  const keyword = ['oneOf', 'anyOf'].find(
    (one) => Array.isArray(schema[one]) && (schema[one] as Json[]).length > 0,
  )
  if (keyword === undefined) return undefined
  const { [keyword]: branches, ...beside } = schema
  return { branches: branches as readonly Json[], beside }
}

/** The schema of a member of an object, and whether it is declared there by name. */
export function memberSchema(schema: JsonObject, name: string): Json {
  const { properties, additionalProperties, patternProperties } = schema
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name] as Json
  // Which of several patterns holds for a name is left to the check; hostile ones must not run here.
  const patterns = isObject(patternProperties) ? Object.values(patternProperties as JsonObject) : []
  const [only] = patterns
  if (patterns.length === 1 && only !== undefined) return only
  return additionalProperties === undefined || additionalProperties === false ? true : additionalProperties
}

/** The schema of a row of a list. */
export function rowSchema(schema: JsonObject, index: number): Json {
  const { items, prefixItems, additionalItems } = schema
  const listed = [prefixItems, items].find((one) => Array.isArray(one)) as readonly Json[] | undefined
  const ahead = listed?.[index]
  if (ahead !== undefined) return ahead
  return (Array.isArray(items) ? additionalItems : items) ?? true
}

/** Members of an object as one would write them. */
export function membersOf(schema: JsonObject): readonly (readonly [string, Json])[] {
  const { properties } = schema
  return isObject(properties) ? Object.entries(properties as JsonObject) : []
}

/** The place of a member or row. */
export function below(place: string, step: string | number): string {
  return pointer(place, step)
}
