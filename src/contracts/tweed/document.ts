/** One map out of what a pattern prints: UTF-8, one YAML 1.2 document, every integer exact. */
import { isExact } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { readYaml, type YamlFault, type YamlReading } from '../../kit/yaml.ts'

export type PrintedMap =
  | { readonly kind: 'map'; readonly value: JsonObject; readonly yaml: YamlReading }
  | { readonly kind: 'fault'; readonly fault: DocumentFault; readonly faults: readonly YamlFault[] }

export type DocumentFault = 'not-yaml' | 'not-a-map' | 'not-json'

/** The map that some bytes hold. Merge keys are for bind output: the Go world its authors live in honours them. */
export function readMap(bytes: Uint8Array, options: { readonly merge: boolean }): PrintedMap {
  const text = utf8(bytes)
  if (text === undefined) {
    return { kind: 'fault', fault: 'not-yaml', faults: [notUtf8(bytes)] }
  }
  const yaml = readYaml(text, { exact: true, merge: options.merge, aliasesMax: 100 })
  if (yaml.faults.length > 0) {
    const syntax = yaml.faults.some(({ kind }) => kind === 'syntax')
    return { kind: 'fault', fault: syntax ? 'not-yaml' : 'not-json', faults: yaml.faults }
  }
  const { value } = yaml
  if (value === undefined || !isObject(value) || isExact(value)) {
    return { kind: 'fault', fault: 'not-a-map', faults: [] }
  }
  return { kind: 'map', value, yaml }
}

/** Where the first sign stands that is none. */
function notUtf8(bytes: Uint8Array): YamlFault {
  const read = Buffer.from(bytes).toString('utf8').split('\ufffd', 1)[0] ?? ''
  const lines = read.split('\n')
  return {
    kind: 'syntax',
    message: 'the bytes are not UTF-8',
    hint: 'Save it as UTF-8.',
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
  }
}

/** The text of some bytes without a byte order mark, if they are UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** A scalar as text, spelt as written where that is known; undefined for a map or list. */
export function scalarText(value: Json, spelling: string | undefined): string | undefined {
  if (isExact(value)) return spelling ?? value.rawJSON
  if (typeof value === 'object' && value !== null) return undefined
  return spelling ?? String(value)
}
