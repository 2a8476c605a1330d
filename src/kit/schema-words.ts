/** The words of JSON Schema, for telling what an author of one has misspelt. */
import { type JsonObject, pointer } from './json.ts'
import { type NearKey, nearKeys } from './near-keys.ts'
import type { SchemaFinding } from './schema-finding.ts'

/** The keywords of drafts 4 to 7. */
const keywords: readonly string[] = [
  ...['$id', '$schema', '$ref', '$comment', 'title', 'description', 'default', 'readOnly', 'writeOnly'],
  ...['examples', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength'],
  ...['minLength', 'pattern', 'additionalItems', 'items', 'maxItems', 'minItems', 'uniqueItems', 'contains'],
  ...['maxProperties', 'minProperties', 'required', 'additionalProperties', 'definitions', 'properties'],
  ...['patternProperties', 'dependencies', 'propertyNames', 'const', 'enum', 'type', 'format'],
  ...['contentMediaType', 'contentEncoding', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'not'],
]

/** Keywords of 2019-09 and 2020-12 that draft 7 did not have, the name of draft 4 for `$id`, and a word of OpenAPI. */
const newerKeywords: readonly string[] = [
  ...['$defs', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor'],
  ...['$vocabulary', 'prefixItems', 'minContains', 'maxContains', 'dependentRequired', 'dependentSchemas'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema', 'deprecated', 'id', 'nullable'],
]

const known = new Set([...keywords, ...newerKeywords])
/** Short words are near to anything. */
const candidates = keywords.filter((word) => word.length > 3)

/** What other languages of parameters call them. */
const otherWords: Readonly<Record<string, string>> = {
  ...{ options: 'enum', values: 'enum', choices: 'enum', allowed: 'enum', regex: 'pattern' },
  ...{ regexp: 'pattern', maxLen: 'maxLength', minLen: 'minLength', property: 'properties' },
  ...{ secret: 'writeOnly', sensitive: 'writeOnly', label: 'title', help: 'description' },
}

/** What bounds values of a type from below, and from above. */
export const boundsOf: Readonly<Record<string, readonly [low: string, high: string]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
}

export const schemaTypes: readonly string[] = [
  ...['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'],
]

/** What other languages call these types. */
export const typeSynonyms: Readonly<Record<string, string>> = {
  ...{ int: 'integer', int32: 'integer', int64: 'integer', long: 'integer', float: 'number' },
  ...{ double: 'number', decimal: 'number', numeric: 'number', bool: 'boolean', text: 'string' },
  ...{ str: 'string', password: 'string', list: 'array', map: 'object', dict: 'object', hash: 'object' },
  ...{ nil: 'null' },
}

export const schemaFormats: readonly string[] = [
  ...['date', 'time', 'date-time', 'iso-time', 'iso-date-time', 'duration', 'uri', 'uri-reference'],
  ...['uri-template', 'url', 'email', 'hostname', 'ipv4', 'ipv6', 'regex', 'uuid', 'json-pointer'],
  ...['json-pointer-uri-fragment', 'relative-json-pointer', 'byte', 'int32', 'int64', 'float', 'double'],
  ...['password', 'binary', 'idn-email', 'idn-hostname', 'iri', 'iri-reference'],
]

/** The keys of a schema that stand for a keyword which the schema lacks. */
export function nearKeywords(schema: JsonObject): readonly NearKey[] {
  const [min, max] = schema['type'] === undefined ? ['minimum', 'maximum'] : bounds(schema)
  const words = { ...otherWords, ...(min && max ? { min, max } : {}) }
  return nearKeys(schema, candidates, words).filter(
    // Words of other tools begin with x- or $.
    ({ key, meant }) =>
      !known.has(key) && !key.startsWith('x-') && (!key.startsWith('$') || meant.startsWith('$')),
  )
}

function bounds({ type }: JsonObject): readonly string[] {
  return boundsOf[String(type)] ?? []
}

/** Words that say nothing, each with the one that was probably meant. */
export function strayWords(schema: JsonObject, at: string): readonly SchemaFinding[] {
  return nearKeywords(schema).map(({ key, meant }) => ({
    pointer: pointer(at, key),
    message: `${JSON.stringify(key)} says nothing in a JSON Schema; did you mean ${JSON.stringify(meant)}?`,
    hint: `Write ${JSON.stringify(meant)} instead.`,
  }))
}
