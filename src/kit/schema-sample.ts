/** Values that a JSON Schema takes, or does not: made from what the schema says, kept only when its validator agrees. */
import { canonical, isObject, type Json, type JsonObject, at as valueAt } from './json.ts'
import { compileSchema } from './schema.ts'

/** An object with everything that is required; undefined where none could be made. */
export function sampleOf(schema: JsonObject): JsonObject | undefined {
  return accepted(schema, sample(schema, { root: schema, depth: 0 }))
}

/** Another one that differs from a given one in one member; undefined where none could be made. */
export function variantOf(schema: JsonObject, given: JsonObject): JsonObject | undefined {
  for (const [name, member] of membersOf(schema)) {
    for (const value of candidates(member, { root: schema, depth: 1 })) {
      if (name in given && canonical(given[name] as Json) === canonical(value)) continue
      const changed = accepted(schema, { ...given, [name]: value })
      if (changed !== undefined) return changed
    }
  }
  return undefined
}

/** One that the schema refuses, for one member of the wrong type; undefined where everything goes. */
export function brokenOf(schema: JsonObject, given: JsonObject): JsonObject | undefined {
  const wrong: readonly Json[] = [{ wrong: true }, 'wrong', -1, true]
  for (const [name] of membersOf(schema)) {
    for (const value of wrong) {
      const broken = { ...given, [name]: value }
      if (isAccepted(schema, broken) === false) return broken
    }
  }
  return undefined
}

interface Where {
  readonly root: JsonObject
  readonly depth: number
}

const deepest = 8

function isAccepted(schema: JsonObject, value: Json): boolean | undefined {
  const compiled = compileSchema(schema)
  return compiled.kind === 'check' ? compiled.check(value).length === 0 : undefined
}

/** Whether a part of a schema takes a value, read by the draft of the whole. */
function mayBe(part: JsonObject, value: Json, { root }: Where): boolean {
  const draft = root['$schema']
  return isAccepted(draft === undefined ? part : { ...part, $schema: draft }, value) !== false
}

function accepted(schema: JsonObject, value: Json | undefined): JsonObject | undefined {
  return isObject(value) && isAccepted(schema, value as JsonObject) ? (value as JsonObject) : undefined
}

function membersOf(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  const properties = schema['properties']
  if (!isObject(properties)) return []
  return Object.entries(properties).flatMap(([name, one]) =>
    isObject(one) ? [[name, one as JsonObject] as const] : [],
  )
}

function sample(schema: JsonObject, where: Where): Json | undefined {
  return candidates(schema, where)[0]
}

/** Values that may do, the likeliest first. */
function candidates(given: JsonObject, where: Where): readonly Json[] {
  if (where.depth > deepest) return []
  const schema = resolved(given, where)
  const inner = { ...where, depth: where.depth + 1 }
  if (schema['const'] !== undefined) return [schema['const']]
  if (Array.isArray(schema['enum'])) return schema['enum'] as readonly Json[]
  const told = [schema['default'], ...(Array.isArray(schema['examples']) ? schema['examples'] : [])]
  const known = told.filter((one): one is Json => one !== undefined)
  const choices = [schema['anyOf'], schema['oneOf']].flatMap((list) => (Array.isArray(list) ? list : []))
  if (schema['type'] === undefined && choices.length > 0) {
    return [...known, ...choices.filter(isObject).flatMap((one) => candidates(one as JsonObject, inner))]
  }
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  return [...known, ...ofType(type, schema, inner)]
}

function ofType(type: unknown, schema: JsonObject, where: Where): readonly Json[] {
  switch (type) {
    case 'string':
      return texts(schema, where)
    case 'integer':
    case 'number':
      return numbers(schema, where)
    case 'boolean':
      return [true, false]
    case 'array':
      return [items(schema, where)]
    case 'null':
      return [null]
    default:
      return [objectOf(schema, where)]
  }
}

function objectOf(schema: JsonObject, where: Where): Json {
  const parts = [schema, ...(Array.isArray(schema['allOf']) ? schema['allOf'].filter(isObject) : [])]
  const members = new Map(parts.flatMap((part) => membersOf(resolved(part as JsonObject, where))))
  const required = parts.flatMap((part) => {
    const { required } = resolved(part as JsonObject, where)
    return Array.isArray(required) ? required : []
  })
  const entries = required.flatMap((name) => {
    const member = members.get(String(name))
    const value = member === undefined ? 'value' : sample(member, where)
    return value === undefined ? [] : [[String(name), value] as const]
  })
  return Object.fromEntries(entries)
}

function items(schema: JsonObject, where: Where): Json {
  const { items: form, minItems } = schema
  const one = isObject(form) ? sample(form as JsonObject, where) : 'value'
  return typeof minItems === 'number' && one !== undefined ? new Array<Json>(minItems).fill(one) : []
}

const formats: Readonly<Record<string, string>> = {
  date: '2030-01-31',
  'date-time': '2030-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'someone@example.com',
  hostname: 'host.example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '6f1d2c3b-4a5e-4f60-8123-456789abcdef',
}

/** Words that many patterns take; whether this one does, the validator says. */
const words = [
  'check',
  'check-two',
  'Check1',
  'a',
  'ab',
  '1',
  '12',
  '1.0.0',
  '10.0.0.0/24',
  '10Gi',
  'example.com',
  '+4930123456',
]

function texts(schema: JsonObject, where: Where): readonly Json[] {
  const { format, minLength, maxLength } = schema
  const least = typeof minLength === 'number' ? minLength : 0
  const most = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY
  const known = formats[String(format)]
  const all = [...(known === undefined ? [] : [known]), ...words].map((word) =>
    word.padEnd(least, 'x').slice(0, most),
  )
  const fitting = all.filter((word) => mayBe(schema, word, where))
  return fitting.length > 0 ? fitting : all
}

function numbers(schema: JsonObject, where: Where): readonly Json[] {
  const bound = (name: string) => (typeof schema[name] === 'number' ? schema[name] : undefined)
  const step = bound('multipleOf') ?? 1
  const low = bound('minimum') ?? bound('exclusiveMinimum') ?? Math.min(1, bound('maximum') ?? 1)
  const first = Math.ceil(low / step) * step
  const high = bound('maximum') ?? first + 2 * step
  const all = [first, first + step, first + 2 * step, low, high]
  const fitting = all.filter((value) => mayBe(schema, value, where))
  return fitting.length > 0 ? fitting : all
}

function resolved(schema: JsonObject, where: Where): JsonObject {
  const ref = schema['$ref']
  if (typeof ref !== 'string' || !ref.startsWith('#/') || where.depth > deepest) return schema
  const found = valueAt(where.root, ref.slice(1))
  return isObject(found) ? resolved(found as JsonObject, { ...where, depth: where.depth + 1 }) : schema
}
