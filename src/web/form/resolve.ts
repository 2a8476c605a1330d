/** A schema as a form reads it beside a value: conditions decided, by a guess whether a value fits; orders are never judged by it. */
import { approximate, isExact } from '../../kit/exact.ts'
import { deepEqual, isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { join, joined, memberSchema, type Rooted, rowSchema } from './join.ts'

/** The keywords that hold for a value at this place, joined; `{}` where anything goes. */
export function resolve({ schema, root }: Rooted, value: Json | undefined): JsonObject {
  return withConditions(joined(schema, root, new Set()), root, value)
}

/** `if`, `dependencies` and their younger names, as far as the value decides them. */
function withConditions(schema: JsonObject, root: Json, value: Json | undefined): JsonObject {
  const { if: condition, then, else: otherwise, ...rest } = schema
  let sum: JsonObject = rest
  if (condition !== undefined && value !== undefined) {
    const holds = fits({ schema: condition, root }, value)
    if (holds !== 'no' && then !== undefined) sum = joinWith(sum, then, root, value)
    if (holds !== 'yes' && otherwise !== undefined) sum = joinWith(sum, otherwise, root, value)
  }
  if (!isObject(value)) return sum
  for (const keyword of ['dependencies', 'dependentSchemas', 'dependentRequired']) {
    const table = schema[keyword]
    if (!isObject(table)) continue
    for (const [name, needs] of Object.entries(table as JsonObject)) {
      if (!Object.hasOwn(value, name)) continue
      sum = Array.isArray(needs) ? join(sum, { required: needs }) : joinWith(sum, needs, root, value as Json)
    }
  }
  return sum
}

function joinWith(schema: JsonObject, more: Json, root: Json, value: Json): JsonObject {
  return join(schema, resolve({ schema: more, root }, value))
}

/** perhaps: a keyword says more than is looked at here. */
export type Guess = 'yes' | 'no' | 'perhaps'

const depthMax = 12

/** Looks at types, members, choices and bounds; patterns and formats are left to the check of the broker. */
export function fits(rooted: Rooted, value: Json, depth = 0): Guess {
  if (depth > depthMax) return 'perhaps'
  if (rooted.schema === true) return 'yes'
  if (rooted.schema === false) return 'no'
  const schema = resolve(rooted, value)
  const { root } = rooted
  const inner = (part: Json, item: Json) => fits({ schema: part, root }, item, depth + 1)
  return worst([
    typeFits(schema, value),
    'const' in schema ? sure(same(schema['const'] as Json, value)) : 'yes',
    Array.isArray(schema['enum']) ? sure(schema['enum'].some((one: Json) => same(one, value))) : 'yes',
    isObject(schema['not']) ? opposite(inner(schema['not'] as Json, value)) : 'yes',
    Array.isArray(schema['oneOf']) ? best(schema['oneOf'].map((one: Json) => inner(one, value))) : 'yes',
    Array.isArray(schema['anyOf']) ? best(schema['anyOf'].map((one: Json) => inner(one, value))) : 'yes',
    ...boundsFit(schema, value),
    ...insideFits(schema, value, inner),
  ])
}

function insideFits(
  schema: JsonObject,
  value: Json,
  inner: (part: Json, item: Json) => Guess,
): readonly Guess[] {
  if (Array.isArray(value)) return value.map((item: Json, i) => inner(rowSchema(schema, i), item))
  if (!isObject(value) || isExact(value)) return []
  const { required, properties, additionalProperties, patternProperties } = schema
  const missing = Array.isArray(required) && required.some((name) => !Object.hasOwn(value, String(name)))
  const declared = isObject(properties) ? properties : {}
  const closed = additionalProperties === false && patternProperties === undefined
  const members = Object.entries(value as JsonObject).map(([name, item]) =>
    closed && !Object.hasOwn(declared, name) ? 'no' : inner(memberSchema(schema, name), item),
  )
  return [sure(!missing), ...members]
}

function boundsFit(schema: JsonObject, value: Json): readonly Guess[] {
  const low = schema['minimum']
  const high = schema['maximum']
  const number = approximate(value)
  if (typeof number === 'number') {
    return [
      sure(typeof low !== 'number' || number >= low),
      sure(typeof high !== 'number' || number <= high),
      'exclusiveMinimum' in schema || 'exclusiveMaximum' in schema || 'multipleOf' in schema
        ? 'perhaps'
        : 'yes',
    ]
  }
  const unread = ['pattern', 'format', 'minLength', 'maxLength', 'minItems', 'contains', 'propertyNames']
  return unread.some((keyword) => keyword in schema) ? ['perhaps'] : []
}

function typeFits(schema: JsonObject, value: Json): Guess {
  const { type } = schema
  if (type === undefined) return 'yes'
  return sure((Array.isArray(type) ? type : [type]).some((one) => isOfType(one, value)))
}

/** Whether a value is of a type by its JSON Schema name. */
export function isOfType(type: unknown, value: Json | undefined): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value) && !isExact(value)
    case 'integer':
      return (typeof value === 'number' && Number.isInteger(value)) || isExact(value)
    case 'number':
      return typeof value === 'number' || isExact(value)
    default:
      return typeof value === type
  }
}

/** Equality that tells big integers by their digits. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  return deepEqual(a, b)
}

function sure(holds: boolean): Guess {
  return holds ? 'yes' : 'no'
}

function opposite(guess: Guess): Guess {
  if (guess === 'perhaps') return guess
  return guess === 'yes' ? 'no' : 'yes'
}

function worst(guesses: readonly Guess[]): Guess {
  if (guesses.includes('no')) return 'no'
  return guesses.includes('perhaps') ? 'perhaps' : 'yes'
}

function best(guesses: readonly Guess[]): Guess {
  if (guesses.includes('yes')) return 'yes'
  return guesses.includes('perhaps') ? 'perhaps' : 'no'
}
