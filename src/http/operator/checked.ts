/** Checks a part of a request against its schema; all faults at once, each with its place. */
import type { TSchema } from 'typebox'
import { isObject, type Json, pointer } from '../../kit/json.ts'
import { compileSchema, type SchemaFault } from '../../kit/schema.ts'
import { nearest, printable, shorten } from '../../kit/text.ts'
import { failAll, type Problem } from '../../model/problem.ts'

/** The value itself, with the numbers and truth values of a query read as such. */
export function checked(schema: TSchema, given: unknown, source: 'path' | 'query' | 'body'): unknown {
  const value = source === 'query' ? withScalars(schema, given) : given
  const compiled = compileSchema(schema as unknown as Json)
  const faults =
    compiled.kind === 'check' ? compiled.check(value) : [{ pointer: '', message: compiled.message }]
  failAll(
    [...faults, ...unstorable(value, '')].map(
      ({ pointer: place, message }): Problem => ({
        code: 'request.malformed',
        detail: message,
        where: { source, pointer: place },
      }),
    ),
  )
  return value
}

/** The query; a parameter that the route does not know is refused, or a filter with a slip would filter nothing. */
export function checkedQuery(schema: TSchema | undefined, given: unknown): unknown {
  const properties: unknown = (schema as unknown as { properties?: unknown } | undefined)?.properties
  const known = isObject(properties) ? Object.keys(properties) : []
  const unknown = Object.keys(isObject(given) ? given : {}).filter((name) => !known.includes(name))
  failAll(
    unknown.map((name): Problem => {
      const near = nearest(name, known)
      const hint = near === undefined ? '' : `; did you mean ${near}?`
      const detail = `there is no parameter ${JSON.stringify(shorten(printable(name), 64))}${hint}`
      return { code: 'request.malformed', detail, where: { source: 'query', pointer: '' } }
    }),
  )
  return schema && checked(schema, given, 'query')
}

/** Databases refuse NUL, and half a surrogate pair is no text. */
function unstorable(value: unknown, at: string): readonly SchemaFault[] {
  if (typeof value === 'string') {
    return value.isWellFormed() && !value.includes('\0')
      ? []
      : [{ pointer: at, message: 'must be a text without NUL and without halves of characters' }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [
    ...unstorable(key, at),
    ...unstorable(each, pointer(at, key)),
  ])
}

function withScalars(schema: TSchema, given: unknown): unknown {
  const properties: unknown = (schema as unknown as { properties?: unknown }).properties
  if (!isObject(given) || !isObject(properties)) return given
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const property = properties[name]
      const type = isObject(property) ? property['type'] : undefined
      return [name, typeof value === 'string' ? scalarOf(value, type) : value]
    }),
  )
}

function scalarOf(text: string, type: unknown): string | number | boolean {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text
}
