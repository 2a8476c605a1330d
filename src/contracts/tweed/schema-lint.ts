/** What the author of a parameter's schema has probably meant otherwise: misspelt words, values of the wrong kind, bounds that leave nothing. */
import { approximate } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { schemaKeywords } from '../../kit/near-keys.ts'
import { compileSchema } from '../../kit/schema.ts'
import { newerKeywords, schemaFormats, schemaTypes, typeSynonyms } from '../../kit/schema-words.ts'
import { meantKey } from '../../kit/text.ts'

export interface SchemaRemark {
  /** Into the schema. */
  readonly pointer: string
  readonly message: string
  readonly hint: string
}

const known = new Set([...schemaKeywords, ...newerKeywords])
/** Short words are near to anything. */
const candidates = schemaKeywords.filter((word) => word.length > 3)

/** What other languages of parameters call them. */
const synonyms: Readonly<Record<string, string>> = {
  ...{
    options: 'enum',
    values: 'enum',
    choices: 'enum',
    allowed: 'enum',
    regex: 'pattern',
    regexp: 'pattern',
  },
  ...{ secret: 'writeOnly', sensitive: 'writeOnly', label: 'title', help: 'description' },
}

const below: Readonly<Record<string, string>> = {
  ...{
    string: 'minLength',
    number: 'minimum',
    integer: 'minimum',
    array: 'minItems',
    object: 'minProperties',
  },
}
const above: Readonly<Record<string, string>> = {
  ...{
    string: 'maxLength',
    number: 'maximum',
    integer: 'maximum',
    array: 'maxItems',
    object: 'maxProperties',
  },
}

/** Keywords that say something of one type only. */
const numeric = ['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum']
const wordsOfType: Readonly<Record<string, readonly string[]>> = {
  number: numeric,
  integer: numeric,
  string: ['maxLength', 'minLength', 'pattern'],
  array: ['items', 'prefixItems', 'maxItems', 'minItems', 'uniqueItems', 'contains'],
  object: ['properties', 'patternProperties', 'additionalProperties', 'maxProperties', 'minProperties'],
}

const counts = [...['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties']]
const flags = ['writeOnly', 'readOnly', 'uniqueItems']
const bounds = [
  ...[
    ['minLength', 'maxLength'],
    ['minimum', 'maximum'],
    ['minItems', 'maxItems'],
    ['minProperties', 'maxProperties'],
  ],
] as const

/** Everything of a schema and of those inside it. */
export function remarksOfSchema(schema: JsonObject): readonly SchemaRemark[] {
  return remarksAt(approximate(schema) as JsonObject, '')
}

function remarksAt(schema: JsonObject, at: string): readonly SchemaRemark[] {
  return [
    ...strayWords(schema, at),
    ...faultsOfType(schema, at),
    ...faultsOfValues(schema, at),
    ...faultsOfEnum(schema, at),
    ...faultsOfPattern(schema, at),
    ...idleWords(schema, at),
    ...emptyBounds(schema, at),
    ...innerSchemas(schema, at).flatMap(([place, inner]) => remarksAt(inner, place)),
  ]
}

function strayWords(schema: JsonObject, at: string): readonly SchemaRemark[] {
  return Object.keys(schema).flatMap((key) => {
    if (known.has(key) || /^(x-|\$)/.test(key)) return []
    const meant = synonymOf(key, schema) ?? meantKey(key, candidates)
    // Where both stand, the other one has a purpose of its own.
    if (meant === undefined || Object.hasOwn(schema, meant)) return []
    const message = `${JSON.stringify(key)} says nothing in a JSON Schema`
    return [{ pointer: pointer(at, key), message, hint: `Write ${JSON.stringify(meant)} instead.` }]
  })
}

function synonymOf(key: string, { type }: JsonObject): string | undefined {
  if (key === 'min') return below[String(type)]
  if (key === 'max') return above[String(type)]
  return Object.hasOwn(synonyms, key) ? synonyms[key] : undefined
}

function faultsOfType(schema: JsonObject, at: string): readonly SchemaRemark[] {
  const { type } = schema
  if (type === undefined) return []
  const place = pointer(at, 'type')
  const words: readonly Json[] = Array.isArray(type) ? type : [type as Json]
  const strange = words.find((word) => !schemaTypes.includes(String(word)))
  if (strange === undefined) return []
  const name = String(strange)
  const message = `${JSON.stringify(strange)} is no type of JSON Schema`
  if (name === 'enum') {
    return [{ pointer: place, message, hint: 'Write "string", and list the values under "enum".' }]
  }
  const meant = typeSynonyms[name.toLowerCase()] ?? meantKey(name, schemaTypes)
  const secret = name === 'password' ? ', and "writeOnly: true"' : ''
  const hint =
    meant === undefined
      ? `Write one of ${schemaTypes.join(', ')}.`
      : `Write ${JSON.stringify(meant)}${secret}.`
  return [{ pointer: place, message, hint }]
}

/** Values of keywords that are of another kind than the keyword takes. */
function faultsOfValues(schema: JsonObject, at: string): readonly SchemaRemark[] {
  return Object.entries(schema).flatMap(([key, value]): readonly SchemaRemark[] => {
    const say = (message: string, hint: string) => [
      { pointer: pointer(at, key), message: `${key} ${message}`, hint },
    ]
    if (counts.includes(key) && !(Number.isInteger(value) && Number(value) >= 0)) {
      return say('is no number of things', `Write a whole number${unquoted(value)}: ${key}: 1`)
    }
    if (numeric.includes(key) && typeof value !== 'number') {
      return say('is no number', `Write a number${unquoted(value)}: ${key}: 1`)
    }
    if (flags.includes(key) && typeof value !== 'boolean') {
      return say('is not true or false', `Write ${key}: true, without quotation marks.`)
    }
    if (key === 'items' && typeof value === 'string') {
      return say('is no schema', `Write a schema: items: {type: ${value}}`)
    }
    if (key === 'format' && typeof value === 'string' && !schemaFormats.includes(value)) {
      const meant = meantKey(value, schemaFormats)
      if (meant !== undefined)
        return say(`${JSON.stringify(value)} is not known`, `Write ${JSON.stringify(meant)}.`)
    }
    if (key === '$ref' && typeof value === 'string' && !value.startsWith('#')) {
      return say(`leads out of the document: ${value}`, 'Write the schema here: nothing is fetched.')
    }
    return []
  })
}

function unquoted(value: Json): string {
  return typeof value === 'string' && value !== '' && Number.isFinite(Number(value))
    ? ' without quotation marks'
    : ''
}

function faultsOfEnum({ enum: values, type }: JsonObject, at: string): readonly SchemaRemark[] {
  if (values === undefined) return []
  const place = pointer(at, 'enum')
  const hint = 'Write a list of the values: enum: [a, b]'
  if (!Array.isArray(values)) return [{ pointer: place, message: 'enum is no list', hint }]
  if (values.length === 0) return [{ pointer: place, message: 'enum is an empty list', hint }]
  const texts = values.map((value: Json) => JSON.stringify(value))
  const again = texts.findIndex((text, i) => texts.indexOf(text) < i)
  if (again >= 0) {
    const message = `enum has ${texts[again]} twice`
    return [{ pointer: pointer(place, again), message, hint: 'Remove one of the two.' }]
  }
  if (typeof type !== 'string' || !schemaTypes.includes(type)) return []
  return values.flatMap((value: Json, i) => {
    if (isOfType(value, type)) return []
    const quotes = type === 'string' ? ' in quotation marks' : ''
    const message = `${JSON.stringify(value)} of enum is not of the type ${type}`
    return [
      {
        pointer: pointer(place, i),
        message,
        hint: `Write a value of that type${quotes}, or change the type.`,
      },
    ]
  })
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

function faultsOfPattern({ pattern }: JsonObject, at: string): readonly SchemaRemark[] {
  if (pattern === undefined) return []
  const place = pointer(at, 'pattern')
  if (typeof pattern !== 'string') {
    return [{ pointer: place, message: 'pattern is no text', hint: 'Write it in quotation marks.' }]
  }
  const compiled = compileSchema({ pattern })
  if (compiled.kind !== 'refused') return []
  const looks = /\(\?<?[=!]|\\\d/.test(pattern)
  const hint = looks
    ? 'Write it without looking ahead or back and without references to groups (RE2).'
    : 'Write a regular expression as RE2 reads it; quote brackets with a backslash.'
  return [{ pointer: place, message: `pattern: ${compiled.message}`, hint }]
}

/** Words that say nothing of the type that the schema has. */
function idleWords(schema: JsonObject, at: string): readonly SchemaRemark[] {
  const { type } = schema
  if (typeof type !== 'string' || !schemaTypes.includes(type)) return []
  const own = wordsOfType[type] ?? []
  const all = Object.values(wordsOfType).flat()
  return Object.keys(schema).flatMap((key) => {
    if (!all.includes(key) || own.includes(key)) return []
    const bound = [
      ...(/^min|inimum/.test(key) ? [below[type]] : []),
      ...(/^max|aximum/.test(key) ? [above[type]] : []),
    ]
    const [meant] = bound
    const message = `${key} says nothing of the type ${type}`
    const hint =
      meant === undefined || Object.hasOwn(schema, meant)
        ? 'Remove it, or change the type.'
        : `Write ${JSON.stringify(meant)} instead, or change the type.`
    return [{ pointer: pointer(at, key), message, hint }]
  })
}

function emptyBounds(schema: JsonObject, at: string): readonly SchemaRemark[] {
  return bounds.flatMap(([low, high]) => {
    const [from, to] = [schema[low], schema[high]]
    if (typeof from !== 'number' || typeof to !== 'number' || from <= to) return []
    // Told already: nothing has less than none.
    if (counts.includes(high) && to < 0) return []
    const message = `${low} is above ${high}: no value fits`
    return [{ pointer: pointer(at, low), message, hint: `Swap the two, or set ${low} below ${high}.` }]
  })
}

/** Schemas inside a schema, each with its place. */
function innerSchemas(schema: JsonObject, at: string): readonly (readonly [string, JsonObject])[] {
  const entries = Object.entries(schema).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
    const place = pointer(at, key)
    if (['properties', 'patternProperties', '$defs', 'definitions'].includes(key) && isObject(value)) {
      return Object.entries(value as JsonObject).map(([name, inner]) => [pointer(place, name), inner])
    }
    if (['allOf', 'anyOf', 'oneOf', 'prefixItems'].includes(key) && Array.isArray(value)) {
      return value.map((inner: Json, i): [string, Json] => [pointer(place, i), inner])
    }
    return ['items', 'additionalProperties', 'not', 'contains', 'propertyNames'].includes(key)
      ? [[place, value]]
      : []
  })
  return entries.flatMap(([place, inner]) => (isObject(inner) ? [[place, inner as JsonObject] as const] : []))
}
