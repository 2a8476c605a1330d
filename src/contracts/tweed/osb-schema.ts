/** The inputs as platforms read them: JSON Schema draft 4, only what users of the plan may send. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { compileSchema } from '../../kit/schema.ts'
import type { OperatorChoice } from '../../model/package.ts'
import type { InputSchema } from './inputs.ts'

const draft04 = 'http://json-schema.org/draft-04/schema#'
/** The limit of the Open Service Broker API for a schema. */
const bytesMax = 64 * 1024

/** What a platform may check before it sends; never stricter than the pattern's own schema, which decides. */
export function publishedSchema(declared: InputSchema, choice: OperatorChoice): JsonObject | undefined {
  const { schema, properties } = declared
  const isOpen = (name: string) =>
    !Object.hasOwn(choice.inputs, name) && (choice.allow === undefined || choice.allow.includes(name))
  const open = Object.entries(properties).filter(([name]) => isOpen(name))
  const required = declared.required.filter(
    (name) => isOpen(name) && !Object.hasOwn(choice.defaults, name) && !hasDefault(properties[name]),
  )
  const whole = open.length === Object.keys(properties).length && Object.keys(choice.defaults).length === 0
  const published = {
    $schema: draft04,
    // Rules across parameters could ask for one that the operator has fixed.
    ...(whole ? draft4(schema) : draft4(pick(schema, ['title', 'description', '$defs', 'definitions']))),
    type: 'object',
    properties: Object.fromEntries(
      open.map(([name, property]) => [name, withDefault(draft4Of(property), choice.defaults, name)]),
    ),
    additionalProperties: !declared.open || choice.allow !== undefined ? false : draft4Of(rest(schema)),
  }
  const { required: _, ...free } = published as JsonObject
  const complete: JsonObject = required.length > 0 ? { ...free, required } : free
  const fits = JSON.stringify(complete).length <= bytesMax && compileSchema(complete).kind === 'check'
  return fits ? complete : undefined
}

function rest(schema: JsonObject): Json {
  return schema['additionalProperties'] ?? true
}

function hasDefault(schema: Json | undefined): boolean {
  return isObject(schema) && Object.hasOwn(schema, 'default')
}

function withDefault(schema: Json, defaults: JsonObject, name: string): Json {
  return isObject(schema) && Object.hasOwn(defaults, name)
    ? { ...(schema as JsonObject), default: defaults[name] as Json }
    : schema
}

function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)))
}

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

function draft4Of(schema: Json): Json {
  if (schema === true) return {}
  if (schema === false) return { not: {} }
  return isObject(schema) ? draft4(schema as JsonObject) : schema
}

function draft4(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema)
    .filter(([key]) => !younger.has(key))
    .map(([key, value]): [string, Json] => [key, draft4Keyword(key, value)])
  return { ...Object.fromEntries(kept), ...translated(schema) }
}

function draft4Keyword(key: string, value: Json): Json {
  if (maps.has(key) && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([name, item]) => [name, draft4Of(item)]),
    )
  }
  if (Array.isArray(value)) return lists.has(key) || key === 'items' ? value.map(draft4Of) : value
  // Here, and only here, draft 4 itself knows true and false.
  if (typeof value === 'boolean' && key.startsWith('additional')) return value
  return schemas.has(key) ? draft4Of(value) : value
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
          items: prefixItems.map(draft4Of),
          ...(items === undefined ? {} : { additionalItems: draft4Of(items) }),
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
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, draft4Of(schema)]))
}
