/** What to write in place of a value that its schema refuses. */
import { isObject, type Json, type JsonObject, stepsOf } from './json.ts'
import { nearest } from './text.ts'

/** The part of a schema that speaks of a place in a value; an empty one where none does. */
export function schemaAt(schema: JsonObject, path: string): JsonObject {
  let here: unknown = schema
  for (const step of stepsOf(path)) {
    if (!isObject(here)) return {}
    const own = propertiesOf(here as JsonObject)
    here = Object.hasOwn(own, step) ? own[step] : (here['items'] ?? here['additionalProperties'])
  }
  return isObject(here) ? (here as JsonObject) : {}
}

/** The properties that a schema names. */
export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? (properties as JsonObject) : {}
}

/** What to write for a key; undefined where only the author can know. */
export function valueHint(key: string, value: Json | undefined, schema: JsonObject): string | undefined {
  const { type, enum: words, writeOnly } = schema
  const scalar = typeof value === 'object' || value === undefined ? undefined : String(value)
  if (Array.isArray(words)) return hintAmong(words as readonly Json[], scalar ?? '')
  // What is secret is not repeated.
  const shown = writeOnly === true ? undefined : scalar
  switch (type) {
    case 'array':
      return Array.isArray(value) ? undefined : `Write a list: ${key}: [${shown ?? '…'}]`
    case 'object':
      return isObject(value) ? undefined : `Write a map: ${key}: {…}`
    case 'string':
      return hintOfText(key, value, shown)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Write true or false, without quotation marks.'
    case 'integer':
    case 'number':
      return hintOfNumber(key, value, { type, shown })
    default:
      return undefined
  }
}

function hintAmong(words: readonly Json[], written: string): string {
  const near = nearest(written, words.map(String))
  const meant = words.find((word) => String(word) === near)
  return meant === undefined
    ? `Write one of ${words.map(String).join(', ')}.`
    : `Write ${JSON.stringify(meant)}.`
}

function hintOfText(key: string, value: Json | undefined, shown: string | undefined): string | undefined {
  if (typeof value === 'string' && value !== '') return undefined
  return shown === undefined || shown === ''
    ? `Write a text: ${key}: …`
    : `Write it in quotation marks: ${key}: "${shown}"`
}

function hintOfNumber(
  key: string,
  value: Json | undefined,
  { type, shown }: { readonly type: 'integer' | 'number'; readonly shown: string | undefined },
): string | undefined {
  const isMeant = type === 'integer' ? Number.isInteger : Number.isFinite
  if (typeof value === 'number' && isMeant(value)) return undefined
  if (typeof value === 'string' && value !== '' && isMeant(Number(value)))
    return shown === undefined
      ? 'Write it without quotation marks.'
      : `Write it without quotation marks: ${key}: ${shown}`
  return type === 'integer' ? 'Write a whole number.' : 'Write a number.'
}
