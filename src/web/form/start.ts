/** What a value starts with: what must be there and can be known, and nothing else. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { choiceIn, join, membersOf, type Rooted, rowSchema, typesOf } from './join.ts'
import { fits, resolve } from './resolve.ts'

const depthMax = 6

/** The start of something that must be there; undefined where only the user can know. */
export function startOf(rooted: Rooted, depth = 0): Json | undefined {
  if (depth > depthMax) return undefined
  const schema = resolve(rooted, undefined)
  const { root } = rooted
  const told = schema['default']
  // A default that breaks its own schema starts nothing.
  if (told !== undefined && fits({ schema: withoutDefault(schema), root }, told) !== 'no') return told
  if (schema['const'] !== undefined) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'].length === 1 ? schema['enum'][0] : undefined
  const choice = choiceIn(schema)
  if (choice !== undefined) {
    const [first = true] = choice.branches
    return startOf(
      { schema: join(resolve({ schema: first, root }, undefined), choice.beside), root },
      depth + 1,
    )
  }
  switch (typesOf(schema)[0]) {
    case 'object':
      return withStarts({ schema, root }, {}, depth)
    case 'array':
      return rowsAtFirst({ schema, root }, depth)
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return undefined
  }
}

function withoutDefault({ default: _default, ...rest }: JsonObject): JsonObject {
  return rest
}

/** An object with what its required members start with, where it lacks them. */
export function withStarts({ schema, root }: Rooted, given: JsonObject, depth = 0): JsonObject {
  const resolved = resolve({ schema, root }, given)
  const required = Array.isArray(resolved['required']) ? resolved['required'] : []
  const started = membersOf(resolved).flatMap(([name, member]): readonly (readonly [string, Json])[] => {
    if (!required.includes(name) || Object.hasOwn(given, name)) return []
    const value = startOf({ schema: member, root }, depth + 1)
    return value === undefined ? [] : [[name, value]]
  })
  return { ...given, ...Object.fromEntries(started) }
}

function rowsAtFirst({ schema, root }: { schema: JsonObject; root: Json }, depth: number): Json {
  const { minItems } = schema
  const count = typeof minItems === 'number' ? Math.min(minItems, 20) : 0
  return Array.from({ length: count }, (_, i) => freshRow({ schema: rowSchema(schema, i), root }, depth + 1))
}

/** A further row: what it starts with, an empty text, or nothing yet. */
export function freshRow(rooted: Rooted, depth = 0): Json {
  const started = startOf(rooted, depth)
  if (started !== undefined) return started
  const schema = resolve(rooted, undefined)
  const types = typesOf(schema)
  if (Array.isArray(schema['enum']) || choiceIn(schema) !== undefined) return null
  return types.length === 0 || types[0] === 'string' ? '' : null
}
