/** The schemas directly in a JSON Schema. */
import { isObject, type Json, type JsonObject, pointer } from './json.ts'

const maps = ['properties', 'patternProperties', '$defs', 'definitions']
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']
const singles = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames']

/** Each with its place. */
export function innerSchemas(schema: JsonObject, at: string): readonly (readonly [string, JsonObject])[] {
  const entries = Object.entries(schema).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
    const place = pointer(at, key)
    const isList = lists.includes(key) && Array.isArray(value)
    if ((maps.includes(key) && isObject(value)) || isList)
      return Object.entries(value as JsonObject).map(([name, inner]) => [pointer(place, name), inner])
    return singles.includes(key) ? [[place, value as Json]] : []
  })
  return entries.flatMap(([place, inner]) => (isObject(inner) ? [[place, inner as JsonObject] as const] : []))
}
