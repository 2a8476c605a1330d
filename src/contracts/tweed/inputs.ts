/** The inputs of a pattern as one JSON Schema: a map of parameter schemas is the properties of a closed object. */
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { type Compiled, compileSchema } from '../../kit/schema.ts'
import type { Faults } from './faults.ts'

/** An object schema with its properties at hand. */
export interface InputSchema {
  readonly schema: JsonObject
  readonly properties: Readonly<Record<string, Json>>
  readonly required: readonly string[]
  /** Whether names may come that no property declares. */
  readonly open: boolean
  readonly compiled: Compiled
}

/** The limit that platforms set for schemas in a catalog. */
const schemaBytesMax = 64 * 1024

/** The inputs as written; what is wrong with them goes to the faults. */
export function readInputs(value: Json, faults: Faults): JsonObject {
  if (value === null) return {}
  if (!isObject(value)) {
    faults.problem('tweed.metadata.bad-inputs', '/inputs', 'is no map of parameter names to schemas')
    return {}
  }
  const inputs = value as JsonObject
  if (JSON.stringify(inputs).length > schemaBytesMax) {
    faults.problem('tweed.metadata.bad-inputs', '/inputs', `is larger than ${schemaBytesMax} bytes`)
    return {}
  }
  warnOfDefaults(inputs, faults)
  if (isWholeSchema(inputs)) {
    const { compiled } = inputSchema(inputs)
    if (compiled.kind === 'refused') {
      faults.problem('tweed.metadata.bad-inputs', '/inputs', compiled.message)
    }
    return inputs
  }
  checkEach(inputs, faults)
  return inputs
}

/** A default that breaks its own schema makes every order that does not say better a refused one. */
function warnOfDefaults(inputs: JsonObject, faults: Faults): void {
  const { properties } = inputSchema(inputs)
  const place = isWholeSchema(inputs) ? '/inputs/properties' : '/inputs'
  for (const [name, schema] of Object.entries(properties)) {
    if (!isObject(schema) || !Object.hasOwn(schema, 'default')) continue
    // References lead to the whole document.
    if (JSON.stringify(schema).includes('"$ref"')) continue
    const compiled = compileEither(schema as JsonObject)
    const wrong = compiled.kind === 'check' ? compiled.check(schema['default']) : []
    for (const { pointer: inner, message } of wrong) {
      const at = `${pointer(pointer(place, name), 'default')}${inner}`
      faults.warning('tweed.metadata.bad-default', at, `the default of ${name} ${message}`)
    }
  }
}

/** Each parameter's schema by itself, so that the one at fault is named; then all together, for references. */
function checkEach(inputs: JsonObject, faults: Faults): void {
  let faulty = false
  for (const [name, schema] of Object.entries(inputs)) {
    const place = pointer('/inputs', name)
    const message = isObject(schema) ? refusalOf(schema as JsonObject) : 'is no map'
    if (message === undefined) continue
    faulty = true
    faults.problem('tweed.metadata.bad-inputs', place, message)
  }
  const { compiled } = inputSchema(inputs)
  if (!faulty && compiled.kind === 'refused') {
    faults.problem('tweed.metadata.bad-inputs', '/inputs', compiled.message)
  }
}

function refusalOf(schema: JsonObject): string | undefined {
  // References lead to the whole document and are tried with it.
  if (JSON.stringify(schema).includes('"$ref"')) return undefined
  const compiled = compileEither(withoutRequiredFlag(schema))
  return compiled.kind === 'refused' ? compiled.message : undefined
}

/** The one object schema that the inputs mean. */
export function inputSchema(inputs: JsonObject): InputSchema {
  const schema = isWholeSchema(inputs) ? closed(inputs) : schemaOfMap(inputs)
  const properties = isObject(schema['properties']) ? (schema['properties'] as JsonObject) : {}
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const open = schema['additionalProperties'] !== false || 'patternProperties' in schema
  return { schema, properties, required, open, compiled: compileEither(schema) }
}

/** The word "object" and properties that are all schemas: inputs that are called "type" and "properties" differ. */
function isWholeSchema(inputs: JsonObject): boolean {
  const properties = inputs['properties']
  return inputs['type'] === 'object' && isObject(properties) && Object.values(properties).every(isObject)
}

function closed(schema: JsonObject): JsonObject {
  return 'additionalProperties' in schema ? schema : { ...schema, additionalProperties: false }
}

function schemaOfMap(inputs: JsonObject): JsonObject {
  const entries = Object.entries(inputs)
  const required = entries.filter(([, schema]) => isObject(schema) && schema['required'] === true)
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, schema]) => [
        name,
        isObject(schema) ? withoutRequiredFlag(schema as JsonObject) : schema,
      ]),
    ),
    required: required.map(([name]) => name),
    additionalProperties: false,
  }
}

/** The third draft marked a property as required inside itself; authors still do. */
function withoutRequiredFlag(schema: JsonObject): JsonObject {
  if (typeof schema['required'] !== 'boolean') return schema
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'required'))
}

/** The newest draft first; what it refuses may be written for draft 7. */
function compileEither(schema: JsonObject): Compiled {
  if ('$schema' in schema) return compileSchema(schema)
  const newest = compileSchema({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' })
  if (newest.kind === 'check') return newest
  const older = compileSchema({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' })
  return older.kind === 'check' ? older : newest
}
