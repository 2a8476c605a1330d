/** Keys that an author must have meant otherwise: nearly those that are known. */
import type { JsonObject } from './json.ts'
import { nearest } from './text.ts'

export interface NearKey {
  /** As it is written. */
  readonly key: string
  /** As it is known. */
  readonly meant: string
}

/** No misspelt word is longer, and comparing long ones takes time. */
const keyMax = 40

/** The unknown keys of a map that are nearly a known one which the map lacks, or another word for it. */
export function nearKeys(
  value: JsonObject,
  words: readonly string[],
  otherWords: Readonly<Record<string, string>> = {},
): readonly NearKey[] {
  return Object.keys(value).flatMap((key) => {
    if (words.includes(key) || key.length > keyMax) return []
    const other = Object.hasOwn(otherWords, key) ? otherWords[key] : undefined
    const meant =
      words.find((word) => word.toLowerCase() === key.toLowerCase() || word === other) ?? nearest(key, words)
    // Where both stand, the other one has a purpose of its own.
    return meant === undefined || Object.hasOwn(value, meant) ? [] : [{ key, meant }]
  })
}

/** The keywords of JSON Schema, drafts 4 to 7. */
export const schemaKeywords: readonly string[] = [
  ...['$id', '$schema', '$ref', '$comment', 'title', 'description', 'default', 'readOnly', 'writeOnly'],
  ...['examples', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength'],
  ...['minLength', 'pattern', 'additionalItems', 'items', 'maxItems', 'minItems', 'uniqueItems', 'contains'],
  ...['maxProperties', 'minProperties', 'required', 'additionalProperties', 'definitions', 'properties'],
  ...['patternProperties', 'dependencies', 'propertyNames', 'const', 'enum', 'type', 'format'],
  ...['contentMediaType', 'contentEncoding', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'not'],
]
