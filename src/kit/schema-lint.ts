/** What an author must have meant otherwise in a JSON Schema, told with what to write: validators say it by halves. */
import { isObject, type Json, type JsonObject, pointer } from './json.ts'
import { nearKeys, schemaKeywords } from './near-keys.ts'
import { compilePattern } from './pattern.ts'
import { compileSchema } from './schema.ts'
import { nearest } from './text.ts'

export interface SchemaFinding {
  /** JSON pointer into the schema. */
  readonly pointer: string
  readonly text: string
  readonly fix: string
}

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
/** What other languages call them. */
const otherNames: Readonly<Record<string, string>> = {
  ...{ text: 'string', str: 'string', int: 'integer', float: 'number', double: 'number', bool: 'boolean' },
  ...{ map: 'object', dict: 'object', hash: 'object', list: 'array', nil: 'null' },
}

const otherWords: Readonly<Record<string, string>> = {
  ...{ max: 'maximum', min: 'minimum', maxLen: 'maxLength', minLen: 'minLength', regex: 'pattern' },
  ...{ regexp: 'pattern', values: 'enum', options: 'enum', property: 'properties' },
}

const depthMax = 50
const findingsMax = 100

/** All findings of a schema and those in it, with the misspelt word named where one is near. */
export function lintSchema(schema: JsonObject): readonly SchemaFinding[] {
  const found: SchemaFinding[] = []
  lintAt(schema, '', found, depthMax)
  return found.slice(0, findingsMax)
}

function lintAt(schema: JsonObject, at: string, found: SchemaFinding[], depth: number): void {
  if (depth === 0 || found.length >= findingsMax) return
  for (const { key, meant } of nearKeys(schema, schemaKeywords, otherWords))
    found.push({
      pointer: pointer(at, key),
      text: `${key} is no keyword of JSON Schema; did you mean "${meant}"?`,
      fix: `Write "${meant}" instead.`,
    })
  const own = keywordFaults(schema, at)
  found.push(...own)
  if (own.length === 0) found.push(...defaultFaults(schema, at))
  for (const [key, inner] of innerSchemas(schema)) lintAt(inner, `${at}${key}`, found, depth - 1)
}

/** The schemas directly in one, with their pointers. */
function innerSchemas(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  const maps = ['properties', 'patternProperties', 'definitions', '$defs'].flatMap((key) => {
    const map = schema[key]
    return isObject(map)
      ? Object.entries(map).map(([name, one]) => [pointer(pointer('', key), name), one] as const)
      : []
  })
  const lists = ['allOf', 'anyOf', 'oneOf', 'items'].flatMap((key) => {
    const list = schema[key]
    return Array.isArray(list) ? list.map((one: Json, i) => [pointer(pointer('', key), i), one] as const) : []
  })
  const single = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames'].map(
    (key) => [pointer('', key), schema[key]] as const,
  )
  return [...maps, ...lists, ...single].filter((one): one is readonly [string, JsonObject] =>
    isObject(one[1]),
  )
}

type Verdict = readonly [text: string, fix: string] | undefined
type Judge = (value: Json, schema: JsonObject) => Verdict

const isCount = (value: Json): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0
const mustBe =
  (is: (value: Json) => boolean, what: string, fix: string): Judge =>
  (value) =>
    is(value) ? undefined : [`must be ${what}`, fix]

const number = mustBe(
  (value) => typeof value === 'number',
  'a number',
  'Write a number, without quotation marks.',
)
const count = mustBe(isCount, 'a number from 0', 'Write a whole number from 0, without quotation marks.')
const schemas = mustBe(isObject, 'a map of schemas', 'Write a map: each name with its schema.')
const limit = mustBe(
  (value) => typeof value === 'number' || typeof value === 'boolean',
  'a number',
  'Write a number, without quotation marks.',
)
const flagOrSchema = mustBe(
  (value) => typeof value === 'boolean' || isObject(value),
  'true, false or a schema',
  'Write true or false, without quotation marks, or a schema.',
)
const isTexts = (value: Json): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const judges: Readonly<Record<string, Judge>> = {
  type: (value) => {
    for (const one of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
      if (typeof one === 'string' && types.includes(one)) continue
      const meant =
        typeof one === 'string' ? (otherNames[one.toLowerCase()] ?? nearest(one, types)) : undefined
      const fix = meant === undefined ? `Write one of ${types.join(', ')}.` : `Write "${meant}".`
      return [`${JSON.stringify(one)} is no type`, fix]
    }
    return undefined
  },
  minimum: (value, { maximum }) =>
    number(value, {}) ??
    (typeof maximum === 'number' && typeof value === 'number' && value > maximum
      ? [`is greater than maximum (${maximum}): no value fits`, 'Lower minimum, or raise maximum.']
      : undefined),
  minLength: (value, { maxLength }) =>
    count(value, {}) ??
    (typeof maxLength === 'number' && typeof value === 'number' && value > maxLength
      ? [`is greater than maxLength (${maxLength}): no value fits`, 'Lower minLength, or raise maxLength.']
      : undefined),
  ...{ maximum: number, multipleOf: number, exclusiveMinimum: limit, exclusiveMaximum: limit },
  ...{ maxLength: count, minItems: count, maxItems: count, minProperties: count, maxProperties: count },
  ...{ properties: schemas, patternProperties: schemas, definitions: schemas },
  additionalProperties: flagOrSchema,
  enum: mustBe(
    (value) => Array.isArray(value) && value.length > 0,
    'a list of at least one value',
    'Write a list of the values: […].',
  ),
  required: (value, schema) => {
    if (!isTexts(value))
      return ['must be a list of names', 'Write a list of the properties that must be there: […].']
    const { properties, additionalProperties } = schema
    if (!isObject(properties)) return undefined
    const names = Object.keys(properties)
    for (const name of value as readonly string[]) {
      if (names.includes(name)) continue
      const meant = nearest(name, names)
      if (meant !== undefined)
        return [`${name} is none of the properties; did you mean "${meant}"?`, `Write "${meant}" instead.`]
      if (additionalProperties === false)
        return [
          `${name} is none of the properties, and no other may be there`,
          `Add "${name}" to properties.`,
        ]
    }
    return undefined
  },
  pattern: (value) => {
    if (typeof value !== 'string') return ['must be a text', 'Write a regular expression in quotation marks.']
    const compiled = compilePattern(value)
    return compiled.kind === 'refused'
      ? [`is no pattern: ${compiled.message}`, 'Correct the regular expression.']
      : undefined
  },
}

function keywordFaults(schema: JsonObject, at: string): readonly SchemaFinding[] {
  return Object.entries(judges).flatMap(([key, judge]) => {
    const value = schema[key]
    const verdict = value === undefined ? undefined : judge(value, schema)
    return verdict === undefined
      ? []
      : [{ pointer: pointer(at, key), text: `${key}: ${verdict[0]}`, fix: verdict[1] }]
  })
}

/** A default that the schema around it refuses. */
function defaultFaults(schema: JsonObject, at: string): readonly SchemaFinding[] {
  const { default: value, ...rest } = schema
  // What it refers to lies elsewhere in the document.
  if (value === undefined || JSON.stringify(rest).includes('"$ref"')) return []
  const compiled = compileSchema(rest)
  const [fault] = compiled.kind === 'refused' ? [] : compiled.check(value)
  if (fault === undefined) return []
  const text = `default: ${JSON.stringify(value).slice(0, 100)} ${fault.message}`
  return [{ pointer: pointer(at, 'default'), text, fix: 'Give a default that its own schema takes.' }]
}
