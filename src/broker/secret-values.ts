/** Which values of a document are secret: whatever any schema that applies to them marks as `writeOnly`, however deep it stands. */
import { isObject, type Json, type JsonObject } from '../kit/json.ts'
import { compilePattern } from '../kit/pattern.ts'

/** A document that is parted into what may be shown and what may not. */
export interface Parted {
  /** The document without its secrets; undefined when all of it is one. */
  readonly shown: Json | undefined
  readonly secrets: readonly Json[]
}

/** Keywords whose schemas hold for the same value; which of several holds is not asked: one that marks is enough. */
const joined = ['allOf', 'anyOf', 'oneOf'] as const
const single = ['if', 'then', 'else', 'not'] as const

/** Parts a value by the schemas that are held against it. */
export function partSecrets(value: Json, schemas: readonly (JsonObject | undefined)[]): Parted {
  const secrets: Json[] = []
  const rooted = schemas.flatMap((schema): readonly Rooted[] => (schema ? [{ schema, root: schema }] : []))
  const shown = part(value, rooted, secrets)
  return { shown, secrets }
}

interface Rooted {
  readonly schema: JsonObject
  /** What its references start from. */
  readonly root: JsonObject
}

function part(value: Json, given: readonly Rooted[], secrets: Json[]): Json | undefined {
  if (given.length === 0) return value
  const schemas = given.flatMap((one) => [...applicable(one, new Set())])
  if (schemas.some(({ schema }) => schema['writeOnly'] === true)) {
    secrets.push(value)
    return undefined
  }
  if (Array.isArray(value))
    return value
      .map((item, index) =>
        part(
          item,
          schemas.flatMap((one) => ofItem(one, index)),
          secrets,
        ),
      )
      .filter((item) => item !== undefined)
  if (!isObject(value)) return value
  const members = Object.entries(value).flatMap(([name, item]): readonly (readonly [string, Json])[] => {
    const shown = part(
      item as Json,
      schemas.flatMap((one) => ofProperty(one, name)),
      secrets,
    )
    return shown === undefined ? [] : [[name, shown]]
  })
  return Object.fromEntries(members)
}

/** A schema and all that it brings in for the same value. */
function* applicable({ schema, root }: Rooted, seen: Set<unknown>): Generator<Rooted> {
  if (seen.has(schema)) return
  seen.add(schema)
  yield { schema, root }
  const inner = [
    referred(schema, root),
    ...single.map((keyword) => schema[keyword]),
    ...joined.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : [])),
    ...Object.values(isObject(schema['dependentSchemas']) ? schema['dependentSchemas'] : {}),
    ...Object.values(isObject(schema['dependencies']) ? schema['dependencies'] : {}),
  ]
  for (const one of inner) if (isSchema(one)) yield* applicable({ schema: one, root }, seen)
}

/** What a reference within the same document names. */
function referred(schema: JsonObject, root: JsonObject): unknown {
  const reference = schema['$ref'] ?? schema['$dynamicRef'] ?? schema['$recursiveRef']
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return withAnchor(root, reference.slice(1))
  let at: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const name = decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
    at = typeof at === 'object' && at !== null ? (at as Readonly<Record<string, unknown>>)[name] : undefined
  }
  return at
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function withAnchor(root: JsonObject, anchor: string): unknown {
  const shelves = [root['$defs'], root['definitions']].filter(isSchema)
  return shelves
    .flatMap((shelf) => Object.values(shelf))
    .find(
      (one) =>
        isSchema(one) &&
        (one['$anchor'] === anchor || one['$dynamicAnchor'] === anchor || one['$id'] === `#${anchor}`),
    )
}

function ofProperty({ schema, root }: Rooted, name: string): readonly Rooted[] {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema
  const found: unknown[] = []
  if (isObject(properties) && Object.hasOwn(properties, name)) found.push(properties[name])
  if (isObject(patternProperties)) {
    for (const [pattern, inner] of Object.entries(patternProperties))
      if (holds(pattern, name)) found.push(inner)
  }
  if (found.length === 0) found.push(additionalProperties, unevaluatedProperties)
  return found.filter(isSchema).map((inner) => ({ schema: inner, root }))
}

/** A pattern that cannot be read may be meant for any name. */
function holds(pattern: string, name: string): boolean {
  const compiled = compilePattern(pattern)
  return compiled.kind === 'refused' || compiled.found(name)
}

function ofItem({ schema, root }: Rooted, index: number): readonly Rooted[] {
  const { items, prefixItems, additionalItems, contains, unevaluatedItems } = schema
  const listed: readonly unknown[] = [prefixItems, items].find((one) => Array.isArray(one)) ?? []
  const rest = [Array.isArray(items) ? additionalItems : items, unevaluatedItems]
  const found = index < listed.length ? [listed[index]] : rest
  return [...found, contains].filter(isSchema).map((inner) => ({ schema: inner, root }))
}

function isSchema(value: unknown): value is JsonObject {
  return isObject(value)
}
