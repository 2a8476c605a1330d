/** The inputs as platforms read them: JSON Schema draft 4, only what users of the plan may send. */
import { draftFour, draftFourName, draftFourOf } from '../../kit/draft-four.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { compileSchema } from '../../kit/schema.ts'
import type { OperatorChoice } from '../../model/package.ts'
import type { InputSchema } from './inputs.ts'

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
    $schema: draftFourName,
    // Rules across parameters could ask for one that the operator has fixed.
    ...(whole
      ? draftFour(schema)
      : draftFour(pick(schema, ['title', 'description', '$defs', 'definitions']))),
    type: 'object',
    properties: Object.fromEntries(
      open.map(([name, property]) => [name, withDefault(draftFourOf(property), choice.defaults, name)]),
    ),
    additionalProperties: !declared.open || choice.allow !== undefined ? false : draftFourOf(rest(schema)),
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
