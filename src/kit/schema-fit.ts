/** Keywords of a JSON Schema that do not fit each other: idle beside the type, or bounds that leave nothing. */
import { type JsonObject, pointer } from './json.ts'
import type { SchemaFinding } from './schema-finding.ts'
import { boundsOf, schemaTypes } from './schema-words.ts'

/** Keywords that say something of one type only. */
const numeric = ['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum']
const wordsOfType: Readonly<Record<string, readonly string[]>> = {
  number: numeric,
  integer: numeric,
  string: ['maxLength', 'minLength', 'pattern'],
  array: ['items', 'prefixItems', 'maxItems', 'minItems', 'uniqueItems', 'contains'],
  object: ['properties', 'patternProperties', 'additionalProperties', 'maxProperties', 'minProperties'],
}

/** Words that say nothing of the type that the schema has. */
export function idleWords(schema: JsonObject, at: string): readonly SchemaFinding[] {
  const { type } = schema
  if (typeof type !== 'string' || !schemaTypes.includes(type)) return []
  const own = wordsOfType[type] ?? []
  const all = Object.values(wordsOfType).flat()
  const [low, high] = boundsOf[type] ?? []
  return Object.keys(schema).flatMap((key) => {
    if (!all.includes(key) || own.includes(key)) return []
    const meant = (/^min|inimum/.test(key) && low) || (/^max|aximum/.test(key) && high) || undefined
    const hint =
      meant === undefined || Object.hasOwn(schema, meant)
        ? 'Remove it, or change the type.'
        : `Write ${JSON.stringify(meant)} instead, or change the type.`
    return [{ pointer: pointer(at, key), message: `${key} says nothing of the type ${type}`, hint }]
  })
}

/** Bounds that no value keeps. */
export function emptyBounds(schema: JsonObject, at: string): readonly SchemaFinding[] {
  return Object.entries(boundsOf).flatMap(([type, [low, high]]) => {
    const [from, to] = [schema[low], schema[high]]
    // The bounds of integers are those of numbers.
    if (type === 'integer' || typeof from !== 'number' || typeof to !== 'number' || from <= to) return []
    // Told already: nothing has less than none.
    if (type !== 'number' && to < 0) return []
    const message = `${low} is above ${high}: no value fits`
    return [{ pointer: pointer(at, low), message, hint: `Swap the two, or set ${low} below ${high}.` }]
  })
}
