/** A schema of any draft as draft 4 says it: what every platform reads; never stricter than it was. */
import { isObject, type Json, type JsonObject } from './json.ts'

export const draftFourName = 'http://json-schema.org/draft-04/schema#'

/** Keywords that draft 4 does not have; without them it only checks less. */
const younger = new Set([
  ...[
    '$schema',
    '$id',
    '$anchor',
    '$comment',
    'if',
    'then',
    'else',
    'contains',
    'minContains',
    'maxContains',
  ],
  ...['propertyNames', 'unevaluatedProperties', 'unevaluatedItems', 'const', 'exclusiveMinimum'],
  ...['exclusiveMaximum', 'prefixItems', 'dependentRequired', 'dependentSchemas', 'required'],
])
const maps = new Set(['properties', 'patternProperties', 'definitions', '$defs', 'dependencies'])
const schemas = new Set(['items', 'additionalItems', 'additionalProperties', 'not'])
const lists = new Set(['allOf', 'anyOf', 'oneOf'])

/** A schema or a boolean that stands for one. */
export function draftFourOf(schema: Json): Json {
  if (schema === true) return {}
  if (schema === false) return { not: {} }
  return isObject(schema) ? draftFour(schema as JsonObject) : schema
}

/** The keywords that draft 4 knows, and those of others that it can say. */
export function draftFour(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema)
    .filter(([key]) => !younger.has(key))
    .map(([key, value]): [string, Json] => [key, draft4Keyword(key, value)])
  return { ...Object.fromEntries(kept), ...translated(schema) }
}

function draft4Keyword(key: string, value: Json): Json {
  if (maps.has(key) && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([name, item]) => [name, draftFourOf(item)]),
    )
  }
  if (Array.isArray(value)) return lists.has(key) || key === 'items' ? value.map(draftFourOf) : value
  // Here, and only here, draft 4 itself knows true and false.
  if (typeof value === 'boolean' && key.startsWith('additional')) return value
  return schemas.has(key) ? draftFourOf(value) : value
}

function translated(schema: JsonObject): JsonObject {
  const { required, prefixItems, items } = schema
  const needs = { ...objectAt(schema, 'dependentRequired'), ...mapped(objectAt(schema, 'dependentSchemas')) }
  return {
    ...('const' in schema ? { enum: [schema['const'] as Json] } : {}),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
    ...bound(schema, 'minimum', 'exclusiveMinimum'),
    ...bound(schema, 'maximum', 'exclusiveMaximum'),
    ...(Array.isArray(prefixItems)
      ? {
          items: prefixItems.map(draftFourOf),
          ...(items === undefined ? {} : { additionalItems: draftFourOf(items) }),
        }
      : {}),
    ...(Object.keys(needs).length > 0 ? { dependencies: needs } : {}),
  }
}

/** An exclusive bound is a number now and was a flag beside the bound then. */
function bound(schema: JsonObject, inclusive: 'minimum' | 'maximum', exclusive: string): JsonObject {
  const at = schema[inclusive]
  const beyond = schema[exclusive]
  if (typeof beyond === 'boolean') return { [exclusive]: beyond }
  if (typeof beyond !== 'number') return {}
  const wider = typeof at === 'number' && (inclusive === 'minimum' ? at > beyond : at < beyond)
  return wider ? {} : { [inclusive]: beyond, [exclusive]: true }
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = schema[key]
  return isObject(value) ? (value as JsonObject) : {}
}

function mapped(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, draftFourOf(schema)]))
}
