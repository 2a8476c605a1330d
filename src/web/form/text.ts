/** A form as YAML and back: two views of one value, secrets left out of the text and kept all the same. */
import { isObject, type Json, type JsonObject, stepsOf, at as valueAt } from '../../kit/json.ts'
import { readYaml, writeYaml, type YamlFault } from '../../kit/yaml.ts'
import { put, withoutSecrets } from './places.ts'
import { same } from './resolve.ts'

export type TextReading =
  | { readonly kind: 'value'; readonly value: JsonObject }
  | { readonly kind: 'faults'; readonly faults: readonly Pick<YamlFault, 'message' | 'line' | 'column'>[] }

/** The value as YAML; each secret that is set is named in a comment instead. */
export function toText(value: JsonObject, secrets: readonly string[], note: string): string {
  const hidden = secrets.filter((place) => valueAt(value, place) !== undefined)
  const shown = withoutSecrets(value, hidden)
  const body = Object.keys(shown).length === 0 ? '' : faithful(shown)
  return [...hidden.map((place) => `# ${place}: ${note}\n`), body].join('')
}

/** The value that a text says; secrets that it does not name stay as they were. */
export function fromText(text: string, before: JsonObject, secrets: readonly string[]): TextReading {
  if (text.replaceAll(/^\s*#.*$/gm, '').trim() === '') {
    return { kind: 'value', value: withSecrets({}, before, secrets) }
  }
  const { value, faults } = readYaml(text, { exact: true })
  if (faults.length > 0) return { kind: 'faults', faults }
  if (!isObject(value)) {
    return { kind: 'faults', faults: [{ message: 'must be a map', line: 1, column: 1 }] }
  }
  return { kind: 'value', value: withSecrets(value as JsonObject, before, secrets) }
}

/** One value in a text of its own: YAML, so JSON too. */
export function valueIn(text: string): { readonly value: Json } | { readonly fault: string } {
  const { value, faults } = readYaml(text, { exact: true })
  const [first] = faults
  return first === undefined ? { value: value ?? null } : { fault: first.message }
}

/** One value as a text of its own. */
export function textOfValue(value: Json | undefined): string {
  return value === undefined ? '' : faithful(value).trimEnd()
}

/** YAML that reads as what was written; texts of blanks do not always, and JSON is YAML, too. */
function faithful(value: Json): string {
  const text = writeYaml(value)
  return same(readYaml(text.trimEnd(), { exact: true }).value, value)
    ? text
    : `${JSON.stringify(value, null, 2)}\n`
}

function withSecrets(value: JsonObject, before: JsonObject, secrets: readonly string[]): JsonObject {
  return secrets.reduce((sum, place) => {
    const secret = valueAt(before, place) as Json | undefined
    if (secret === undefined || typeof valueAt(sum, place) === 'string') return sum
    const parent = stepsOf(place).length === 1 ? sum : valueAt(sum, place.slice(0, place.lastIndexOf('/')))
    return parent === undefined ? sum : put(sum, place, secret)
  }, value)
}
