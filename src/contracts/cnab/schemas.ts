/** The parameters of an action as platforms read them: one schema, only what users of the plan may send. */
import { draftFour, draftFourName, draftFourOf } from '../../kit/draft-four.ts'
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { OperatorChoice } from '../../model/package.ts'
import { appliesTo, type Bundle, type Definition, defaultOf, definitionOf, isInternal } from './bundle.ts'
import { sourcesOf } from './sources.ts'

/** The limit of the Open Service Broker API for a schema. */
const bytesMax = 64 * 1024

export interface SchemaOrder {
  readonly bundle: Bundle
  readonly action: string
  readonly operator: OperatorChoice
  /** Whether values that cannot change any more are left out. */
  readonly changeable: boolean
}

/** What a platform may check before it sends; the bundle's own definitions decide. */
export function schemaFor(order: SchemaOrder): JsonObject | undefined {
  const { bundle, operator } = order
  const open = openParameters(order)
  const required = open.filter(
    (name) =>
      bundle.parameters[name]?.required === true &&
      !Object.hasOwn(operator.defaults, name) &&
      defaultOf(definitionAt(bundle, name)) === undefined,
  )
  const wanted = required.length === 0 || order.changeable ? {} : { required }
  const whole = schemaOf(
    open.map((name) => [name, propertyFor(name, order)]),
    wanted,
  )
  if (fits(whole)) return whole
  // What is secret must be known to be, whatever else platforms can be told.
  const slim = schemaOf(
    open.map((name) => [name, outlineOf(definitionAt(bundle, name))]),
    wanted,
  )
  return fits(slim) ? slim : undefined
}

function schemaOf(properties: readonly (readonly [string, Json])[], more: JsonObject): JsonObject {
  return {
    $schema: draftFourName,
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
    ...more,
  }
}

function fits(schema: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(schema)) <= bytesMax
}

function outlineOf(definition: Definition): Json {
  if (!isObject(definition)) return {}
  const { type, writeOnly } = definition as JsonObject
  return { ...present({ type }), ...(writeOnly === true ? { writeOnly } : {}) }
}

/** What users may set: neither fixed nor of the authoring tool, and with no other source. */
function openParameters({ bundle, action, operator, changeable }: SchemaOrder): readonly string[] {
  return Object.entries(bundle.parameters).flatMap(([name, parameter]) => {
    const definition = definitionOf(bundle, parameter)
    const fixed = changeable && isObject(definition) && definition['readOnly'] === true
    const closed =
      Object.hasOwn(operator.inputs, name) ||
      (operator.allow !== undefined && !operator.allow.includes(name)) ||
      isInternal(definition) ||
      sourcesOf(bundle, name).length > 0
    return appliesTo(parameter, action) && !closed && !fixed ? [name] : []
  })
}

function definitionAt(bundle: Bundle, name: string): Definition {
  const parameter = bundle.parameters[name]
  return parameter ? definitionOf(bundle, parameter) : true
}

function propertyFor(name: string, { bundle, operator }: SchemaOrder): Json {
  const definition = definitionAt(bundle, name)
  const description = bundle.parameters[name]?.description
  if (!isObject(definition)) return draftFourOf(definition)
  const moved = referring(definition as JsonObject, `#${pointer('/properties', name)}`) as JsonObject
  return {
    ...draftFour(moved),
    ...present({ description }),
    ...(Object.hasOwn(operator.defaults, name) ? { default: operator.defaults[name] ?? null } : {}),
  }
}

/** References of a definition begin at itself; here it stands inside another schema. */
function referring(value: Json, place: string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => referring(item, place))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string' && item.startsWith('#')
        ? place + item.slice(1)
        : referring(item, place),
    ]),
  )
}
