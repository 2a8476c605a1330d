/** Credential sets and parameter sets: named lists of values and where they come from; read here, resolved elsewhere. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { Definition } from './bundle.ts'
import { typedValue } from './texts.ts'

/** What may stand for a value: itself, or where to look. Only operators may name the last three. */
export const sourceKinds = ['secret', 'value', 'env', 'path', 'command'] as const
export type SourceKind = (typeof sourceKinds)[number]

export interface ValueSet {
  readonly name: string
  /** Empty: for all. */
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly entries: readonly SetEntry[]
}

export interface SetEntry {
  readonly name: string
  /** Absent: the set names it without saying where it is; resolving it is an error. */
  readonly source?: { readonly kind: SourceKind; readonly value: Json }
  /** Of the source `value`. */
  readonly value?: Json
}

export type SetReading =
  | { readonly kind: 'set'; readonly set: ValueSet }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/** Versions of the two documents; older tools wrote a draft or nothing. */
const versions = /^1\.\d+\.\d+(?:-DRAFT\+[0-9A-Za-z]+)?$/

/** Reads the document of a set. */
export function readValueSet(document: Json, kind: 'credentials' | 'parameters'): SetReading {
  const problems: Problem[] = []
  const fault = (pointer: string, detail: string) =>
    problems.push({ code: 'cnab.set.invalid', detail, where: { pointer } })
  if (!isObject(document))
    return { kind: 'refused', problems: [{ code: 'cnab.set.invalid', detail: 'it is no map' }] }
  const { name, namespace, schemaVersion, schemaType, labels } = document as JsonObject
  if (typeof name !== 'string' || name === '') fault('/name', 'a name is missing')
  const wanted = kind === 'credentials' ? 'CredentialSet' : 'ParameterSet'
  if (typeof schemaType === 'string' && schemaType.toLowerCase() !== wanted.toLowerCase())
    fault('/schemaType', `is ${schemaType}, not ${wanted}`)
  const unversioned = schemaVersion === undefined || schemaVersion === null || schemaVersion === ''
  if (!unversioned && !versions.test(String(schemaVersion)))
    fault('/schemaVersion', `${String(schemaVersion)} is no version of a ${wanted}`)
  const list = document[kind] ?? null
  if (list !== null && !Array.isArray(list)) fault(`/${kind}`, 'must be a list')
  const entries = (Array.isArray(list) ? list : []).flatMap((entry: Json, i) =>
    entryOf(entry, `/${kind}/${i}`, fault),
  )
  const [first, ...rest] = problems
  if (first) return { kind: 'refused', problems: [first, ...rest] }
  const texts = isObject(labels) ? Object.entries(labels).map(([key, text]) => [key, String(text)]) : []
  return {
    kind: 'set',
    set: {
      name: String(name),
      namespace: typeof namespace === 'string' ? namespace : '',
      labels: Object.fromEntries(texts) as Readonly<Record<string, string>>,
      entries,
    },
  }
}

function entryOf(
  entry: Json,
  at: string,
  fault: (pointer: string, detail: string) => void,
): readonly SetEntry[] {
  if (!isObject(entry) || typeof entry['name'] !== 'string' || entry['name'] === '') {
    fault(at, 'must be a map with a name')
    return []
  }
  const { name, source } = entry as { readonly name: string; readonly source?: Json }
  if (source === undefined || source === null) return [{ name }]
  const read = readSource(source)
  if (typeof read === 'string') {
    fault(`${at}/source`, read)
    return []
  }
  if (read === undefined) return [{ name }]
  return [{ name, source: read, ...(read.kind === 'value' ? { value: read.value } : {}) }]
}

/** One source, nothing, or what is wrong with it. */
export function readSource(source: Json): SetEntry['source'] | string {
  if (!isObject(source)) return 'must be a map with one key'
  const [only, ...more] = Object.entries(source as JsonObject)
  if (more.length > 0) return 'multiple key/value pairs specified for source but only one may be defined'
  if (only === undefined) return undefined
  const [word, value] = only
  const kind = sourceKinds.find((one) => one === word.toLowerCase())
  if (kind === undefined) return `invalid value source: ${word}. Valid sources are: ${sourceKinds.join(', ')}`
  if (kind !== 'value' && typeof value !== 'string') return `${kind} must be followed by a text`
  return { kind, value }
}

/** A value of a parameter set for a definition: typed already, or a text that means one. */
export function valueFor(definition: Definition, value: Json): ReturnType<typeof typedValue> {
  return typeof value === 'string' ? typedValue(definition, value) : { kind: 'value', value }
}
