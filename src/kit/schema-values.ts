/** Keywords of a JSON Schema whose value is of another kind than the keyword takes. */
import { isObject, type Json, type JsonObject, pointer } from './json.ts'
import { meantKey } from './near-keys.ts'
import { compileSchema } from './schema.ts'
import type { SchemaFinding } from './schema-finding.ts'
import { schemaFormats, schemaTypes, typeSynonyms } from './schema-words.ts'
import { nearest } from './text.ts'

/** A schema as faults of its keywords see it. */
export interface SchemaAround {
  readonly schema: JsonObject
  /** Whether the document is written for draft 4, where exclusive bounds are flags. */
  readonly isDraftFour: boolean
  /** Whether schemas of the document have names of their own, which references may lead to. */
  readonly hasIds: boolean
}

type Verdict = readonly [message: string, hint: string, step?: number]
type Judge = (value: Json, around: SchemaAround, key: string) => Verdict | readonly Verdict[] | undefined

const mustBe =
  (is: (value: Json) => boolean, message: string, hint: string): Judge =>
  (value, _around, key) =>
    is(value) ? undefined : [`${key} ${message}`, hint]

const isSchema = (value: Json): boolean => typeof value === 'boolean' || isObject(value)

const isTexts = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const count: Judge = (value, _around, key) =>
  Number.isInteger(value) && Number(value) >= 0
    ? undefined
    : [`${key} is no number of things`, `Write a whole number${unquoted(value)}: ${key}: 1`]

const number: Judge = (value, _around, key) =>
  typeof value === 'number'
    ? undefined
    : [`${key} is no number`, `Write a number${unquoted(value)}: ${key}: 1`]

const limit: Judge = (value, around, key) =>
  around.isDraftFour && typeof value === 'boolean' ? undefined : number(value, around, key)

const flag: Judge = (value, _around, key) =>
  typeof value === 'boolean'
    ? undefined
    : [`${key} is not true or false`, `Write ${key}: true, without quotation marks.`]

const schemas = mustBe(isObject, 'is no map of schemas', 'Write a map: each name with its schema.')

const flagOrSchema = mustBe(
  isSchema,
  'is no schema',
  'Write true or false, without quotation marks, or a schema.',
)

const judges: Readonly<Record<string, Judge>> = {
  type: judgeType,
  ...{ multipleOf: number, minimum: number, maximum: number },
  ...{ exclusiveMinimum: limit, exclusiveMaximum: limit },
  ...{ minLength: count, maxLength: count, minItems: count, maxItems: count },
  ...{ minProperties: count, maxProperties: count },
  ...{ writeOnly: flag, readOnly: flag, uniqueItems: flag },
  ...{ properties: schemas, patternProperties: schemas, definitions: schemas, $defs: schemas },
  additionalProperties: flagOrSchema,
  items: (value) =>
    typeof value === 'string' ? ['items is no schema', `Write a schema: items: {type: ${value}}`] : undefined,
  enum: judgeEnum,
  required: judgeRequired,
  pattern: judgePattern,
  format: (value) => {
    if (typeof value !== 'string' || schemaFormats.includes(value)) return undefined
    const meant = meantKey(value, schemaFormats)
    return meant === undefined
      ? undefined
      : [`format ${JSON.stringify(value)} is not known`, `Write ${JSON.stringify(meant)}.`]
  },
  $ref: (value, { hasIds }) =>
    typeof value !== 'string' || value.startsWith('#') || hasIds || isDraft(value)
      ? undefined
      : [`$ref leads out of the document: ${value}`, 'Write the schema here: nothing is fetched.'],
}

/** All of one schema; those of the schemas in it are theirs. */
export function faultsOfValues(around: SchemaAround, at: string): readonly SchemaFinding[] {
  return Object.entries(around.schema).flatMap(([key, value]): readonly SchemaFinding[] => {
    const found = Object.hasOwn(judges, key) ? judges[key]?.(value as Json, around, key) : undefined
    return verdictsOf(found).map(([message, hint, step]) => {
      const place = pointer(at, key)
      return { pointer: step === undefined ? place : pointer(place, step), message, hint }
    })
  })
}

function verdictsOf(found: ReturnType<Judge>): readonly Verdict[] {
  const isOne = (some: Verdict | readonly Verdict[]): some is Verdict => typeof some[0] === 'string'
  if (found === undefined) return []
  return isOne(found) ? [found] : found
}

function unquoted(value: Json): string {
  return typeof value === 'string' && value !== '' && Number.isFinite(Number(value))
    ? ' without quotation marks'
    : ''
}

/** The schemas of schemas are there without being fetched. */
function isDraft(reference: string): boolean {
  return /^https?:\/\/json-schema\.org\//.test(reference)
}

function judgeType(type: Json): Verdict | undefined {
  const words: readonly Json[] = Array.isArray(type) ? (type as readonly Json[]) : [type]
  const strange = words.find((word) => typeof word !== 'string' || !schemaTypes.includes(word))
  if (strange === undefined) return undefined
  const name = String(strange)
  const message = `type ${JSON.stringify(strange)} is not known`
  if (name === 'enum') return [message, 'Write "string", and list the values under "enum".']
  const meant = meantKey(name.toLowerCase(), schemaTypes, typeSynonyms)
  const secret = name === 'password' ? ', and "writeOnly: true"' : ''
  const one = meant === undefined ? `one of ${schemaTypes.join(', ')}` : JSON.stringify(meant)
  return [message, `Write ${one}${secret}.`]
}

function judgeEnum(values: Json, { schema }: SchemaAround): ReturnType<Judge> {
  const { type, nullable } = schema
  const hint = 'Write a list of the values: enum: [a, b]'
  if (!Array.isArray(values)) return ['enum is no list', hint]
  if (values.length === 0) return ['enum is an empty list', hint]
  const texts = values.map((value: Json) => JSON.stringify(value))
  const seen = new Set<string>()
  const again = texts.findIndex((text) => seen.size === seen.add(text).size)
  if (again >= 0) return [`enum has ${texts[again]} twice`, 'Remove one of the two.', again]
  if (typeof type !== 'string' || !schemaTypes.includes(type)) return undefined
  const quotes = type === 'string' ? ' in quotation marks' : ''
  const mend = `Write a value of that type${quotes}, or change the type.`
  return values.flatMap((value: Json, i): readonly Verdict[] =>
    isOfType(value, type) || (value === null && nullable === true)
      ? []
      : [[`${texts[i]} of enum is not of the type ${type}`, mend, i]],
  )
}

/** Whether a value is of a type of JSON Schema. */
function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    case 'object':
      return isObject(value)
    default:
      return typeof value === type
  }
}

/** So many names of no property are compared with the properties: that takes time. */
const straysMax = 20

function judgeRequired(value: Json, { schema }: SchemaAround): Verdict | undefined {
  if (!isTexts(value))
    return ['required is no list of names', 'Write a list of the properties that must be there: […].']
  const { properties, additionalProperties } = schema
  if (!isObject(properties)) return undefined
  const asked = new Set(value)
  // What is asked for itself is not meant by another name.
  const free = Object.keys(properties).filter((name) => !asked.has(name))
  const strays = [...value.entries()].filter(([, name]) => !Object.hasOwn(properties, name))
  for (const [i, name] of strays.slice(0, straysMax)) {
    const meant = nearest(name, free)
    const message = `required ${JSON.stringify(name)} is none of the properties`
    if (meant !== undefined) return [message, `Write ${JSON.stringify(meant)} instead.`, i]
    if (additionalProperties === false)
      return [`${message}, and no other may be there`, `Add "${name}" to properties.`, i]
  }
  return undefined
}

function judgePattern(pattern: Json): Verdict | undefined {
  if (typeof pattern !== 'string') return ['pattern is no text', 'Write it in quotation marks.']
  const compiled = compileSchema({ pattern })
  if (compiled.kind !== 'refused') return undefined
  const looks = /\(\?<?[=!]|\\\d/.test(pattern)
  const hint = looks
    ? 'Write it without looking ahead or back and without references to groups (RE2).'
    : 'Write a regular expression as RE2 reads it; quote brackets with a backslash.'
  return [`pattern: ${compiled.message}`, hint]
}
