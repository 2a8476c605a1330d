/** The inputs of a pattern as one JSON Schema: a map of parameter schemas is the properties of a closed object. */
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import type { Compiled } from '../../kit/schema.ts'
import type { SchemaFinding } from '../../kit/schema-finding.ts'
import { lintSchema } from '../../kit/schema-lint.ts'
import { schemaTypes } from '../../kit/schema-words.ts'
import type { Faults } from '../faults.ts'
import { warnOfPlainSecret } from './input-doubts.ts'
import { compileEither } from './schema-drafts.ts'

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
    faults.problem('tweed.metadata.bad-inputs', '/inputs', notAMap(value), mapHint(value))
    return {}
  }
  const inputs = value as JsonObject
  if (JSON.stringify(inputs).length > schemaBytesMax) {
    faults.problem('tweed.metadata.bad-inputs', '/inputs', `is larger than ${schemaBytesMax} bytes`)
    return {}
  }
  if (isWholeSchema(inputs)) checkWhole(inputs, faults)
  else checkEach(inputs, faults)
  return inputs
}

function notAMap(value: Json): string {
  return Array.isArray(value)
    ? 'is a list, not a map of parameter names to schemas'
    : 'is no map of parameter names to schemas'
}

/** With the first name of a list, as other contracts have it. */
function mapHint(value: Json): string {
  const first: unknown = Array.isArray(value) ? value[0] : undefined
  const name = isObject(first) && typeof first['name'] === 'string' ? first['name'] : 'name'
  return `Write a map, each schema under the name of its parameter: "${name}: {type: string}".`
}

function checkWhole(inputs: JsonObject, faults: Faults): void {
  const findings = lintSchema(inputs, { at: '/inputs', compile: compileEither })
  const { compiled, properties } = inputSchema(inputs)
  const refusal = compiled.kind === 'refused' ? compiled.message : undefined
  if (!tell({ place: '/inputs', findings, refusal }, faults)) return
  for (const [name, schema] of Object.entries(properties))
    if (isObject(schema)) warnOfPlainSecret(name, schema as JsonObject, '/inputs/properties', faults)
}

/** Each parameter's schema by itself, so that the one at fault is named; then all together, for references. */
function checkEach(inputs: JsonObject, faults: Faults): void {
  let faulty = false
  for (const [name, schema] of Object.entries(inputs)) {
    const place = pointer('/inputs', name)
    if (!isObject(schema)) {
      faulty = true
      const type = typeof schema === 'string' && schemaTypes.includes(schema) ? schema : 'string'
      const hint = `Write ${JSON.stringify(`${name}: {type: ${type}}`)}.`
      faults.problem('tweed.metadata.bad-inputs', place, 'is no map', hint)
      continue
    }
    const own = schema as JsonObject
    const refusal = refusalOf(own)
    if (refusal !== undefined) faulty = true
    if (tell({ place, findings: findingsOf(own, place), refusal }, faults))
      warnOfPlainSecret(name, own, '/inputs', faults)
  }
  const { compiled } = inputSchema(inputs)
  if (!faulty && compiled.kind === 'refused') {
    const [place, hint] = placeOfReference(inputs, compiled.message)
    faults.problem('tweed.metadata.bad-inputs', place, compiled.message, hint)
  }
}

function findingsOf(schema: JsonObject, place: string): readonly SchemaFinding[] {
  const { required, ...rest } = schema
  const reader = { at: place, compile: compileEither }
  return typeof required === 'string'
    ? [faultOfRequired(required, place), ...lintSchema(rest, reader)]
    : lintSchema(withoutRequiredFlag(schema), reader)
}

/** A schema that is refused keeps the pattern out; one that is only doubtful does not. Answers whether it says what it was meant to. */
function tell({ place, findings, refusal }: Judged, faults: Faults): boolean {
  const own = findings.filter(({ isDefault }) => !isDefault)
  for (const { pointer: at, message, hint } of own) {
    if (refusal === undefined) faults.warning('tweed.metadata.doubtful', at, message, hint)
    else faults.problem('tweed.metadata.bad-inputs', at, message, hint)
  }
  for (const { pointer: at, message, hint } of findings.filter(({ isDefault }) => isDefault))
    faults.warning('tweed.metadata.bad-default', at, message, hint)
  if (refusal !== undefined && own.length === 0) faults.problem('tweed.metadata.bad-inputs', place, refusal)
  return refusal === undefined && own.length === 0
}

interface Judged {
  readonly place: string
  readonly findings: readonly SchemaFinding[]
  readonly refusal: string | undefined
}

/** Where a reference stands that leads nowhere. */
function placeOfReference(inputs: JsonObject, message: string): readonly [string, string | undefined] {
  const found = Object.entries(inputs).find(([, schema]) => {
    const named = /"\$ref":"([^"]+)"/.exec(JSON.stringify(schema))?.[1]
    return named !== undefined && message.includes(named)
  })
  return found === undefined
    ? ['/inputs', undefined]
    : [
        pointer(pointer('/inputs', found[0]), '$ref'),
        'Write the schema itself, or a $ref to one that is there.',
      ]
}

/** The third draft's flag inside a property, as a text. */
function faultOfRequired(required: string, place: string): SchemaFinding {
  const flag = /^(true|yes|on|y)$/i.test(required)
  return {
    pointer: pointer(place, 'required'),
    message: `${JSON.stringify(required)} is a text (quoted, or no word of YAML 1.2), not true or false`,
    hint: `Write required: ${flag}, without quotation marks.`,
  }
}

function refusalOf(schema: JsonObject): string | undefined {
  // References lead to the whole document and are tried with it.
  if (JSON.stringify(schema).includes('"$ref":"#')) return undefined
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
