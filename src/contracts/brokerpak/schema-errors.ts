/** Whether a schema can be used at all; the originals say so only when a service is ordered. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { compilePattern } from '../../kit/pattern.ts'

/** ours: every keyword of the specification, numeric and boolean exclusive bounds; messages as csb writes them. */
export type SchemaRules = 'ours' | 'csb' | 'v1'

const types = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string']
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
const numbers = ['minimum', 'maximum', 'multipleOf']
const depthMax = 100

/** The first fault of a schema, or undefined. */
export function schemaError(schema: JsonObject, rules: SchemaRules, depth = 0): string | undefined {
  if (depth > depthMax) return `the schema is nested deeper than ${depthMax}`
  return (
    typeError(schema['type']) ??
    numberError(schema) ??
    boundError(schema, rules) ??
    listError(schema) ??
    patternError(schema) ??
    childError(schema, rules, depth)
  )
}

function typeError(type: Json | undefined): string | undefined {
  for (const one of [type ?? []].flat()) {
    if (typeof one === 'string' && types.includes(one)) continue
    const valid = '[array boolean integer number null object string]'
    return `has a primitive type that is NOT VALID -- given: /${one}/ Expected valid values are:${valid}`
  }
  return undefined
}

function numberError(schema: JsonObject): string | undefined {
  for (const key of counts) {
    const value = schema[key]
    if (value === undefined) continue
    if (!Number.isInteger(value)) return `${key} must be of an integer`
    if ((value as number) < 0) return `${key} must be greater than or equal to 0`
  }
  for (const key of numbers) {
    const value = schema[key]
    if (value !== undefined && typeof value !== 'number') return `${key} must be of a number`
  }
  return undefined
}

function boundError(schema: JsonObject, rules: SchemaRules): string | undefined {
  for (const key of ['exclusiveMinimum', 'exclusiveMaximum']) {
    const value = schema[key]
    if (value === undefined || typeof value === 'boolean') continue
    if (typeof value !== 'number' || rules === 'csb') {
      return `Invalid type. Expected: boolean, given: ${key}`
    }
  }
  return undefined
}

function listError(schema: JsonObject): string | undefined {
  for (const key of ['required', 'enum']) {
    if (schema[key] !== undefined && !Array.isArray(schema[key])) return `${key} must be of an array`
  }
  for (const key of ['properties', 'patternProperties']) {
    if (schema[key] !== undefined && !isObject(schema[key])) return `${key} must be of type object`
  }
  return undefined
}

function patternError(schema: JsonObject): string | undefined {
  const { pattern } = schema
  if (pattern === undefined) return undefined
  if (typeof pattern !== 'string') return 'pattern must be of a string'
  const compiled = compilePattern(pattern)
  return compiled.kind === 'refused' ? compiled.message : undefined
}

function childError(schema: JsonObject, rules: SchemaRules, depth: number): string | undefined {
  for (const child of childrenOf(schema)) {
    const error = schemaError(child, rules, depth + 1)
    if (error !== undefined) return error
  }
  return undefined
}

function childrenOf(schema: JsonObject): readonly JsonObject[] {
  const maps = ['properties', 'patternProperties'].flatMap((key) => Object.values(schema[key] ?? {}))
  const lists = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => [schema[key] ?? []].flat())
  const single = ['items', 'not', 'additionalProperties', 'propertyNames'].flatMap((key) =>
    [schema[key] ?? []].flat(),
  )
  return [...maps, ...lists, ...single].filter((child) => isObject(child)) as readonly JsonObject[]
}
