/** The one door to YAML for documents of our own and of packages: parsed with places, every fault listed. */
import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  stringify,
  visit,
} from 'yaml'
import { type ExactNumber, exactInteger, isExact } from './exact.ts'
import { type Json, pointer, stepsOf } from './json.ts'
import { present } from './present.ts'
import { tellingFaults } from './yaml-faults.ts'

export interface YamlFault {
  /** value: it is YAML, but says what JSON cannot say. */
  readonly kind: 'syntax' | 'value'
  readonly message: string
  /** What to do, where the parser's words do not say it. */
  readonly hint?: string
  readonly line: number
  readonly column: number
}

/** What a fault of a document says, where and what to do, as problems of any code tell it. */
export function toldFault(
  { message, hint, line, column }: YamlFault,
  source: string,
): {
  readonly detail: string
  readonly where: { readonly source: string; readonly line: number; readonly column: number }
  readonly hint?: string
} {
  return { detail: message, where: { source, line, column }, ...present({ hint }) }
}

export interface YamlReading {
  /** The document's value; undefined when there are faults. */
  readonly value: Json | undefined
  readonly faults: readonly YamlFault[]
  /** Line and column of the node at a JSON pointer, or of its nearest ancestor. */
  place(path: string): { readonly line: number; readonly column: number } | undefined
  /** How the scalar at a JSON pointer is spelt: `1.10` is not `1.1`. */
  spelling(path: string): string | undefined
}

export interface YamlOptions {
  /** Honour merge keys (`<<`), as the Go libraries do. */
  readonly merge?: boolean
  readonly aliasesMax?: number
  /** Keep integers of any size, take any scalar as a key, and refuse what JSON cannot say. */
  readonly exact?: boolean
}

/** Reads exactly one YAML 1.2 document of JSON values. */
export function readYaml(text: string, options: YamlOptions = {}): YamlReading {
  if (nestsTooDeep(text)) return unread('the lists and maps are nested too deep')
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    // The library compares every key with every other one, which a hostile document turns into minutes.
    uniqueKeys: false,
    prettyErrors: false,
    merge: options.merge ?? false,
    intAsBigInt: options.exact ?? false,
    logLevel: 'silent',
  })
  const list = Array.isArray(documents) ? documents : []
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const faultAt = (kind: YamlFault['kind'], message: string, offset: number, hint?: string): YamlFault => ({
    kind,
    message,
    ...at(offset),
    ...present({ hint }),
  })
  const [document, second] = list
  const faults = list.flatMap(({ errors, contents }) =>
    tellingFaults(errors).map(({ message, hint, offset }) =>
      faultAt('syntax', firstLine(message), openQuote(contents, message) ?? offset, hint),
    ),
  )
  if (second) {
    const hint = 'Keep one of them, and take out the line "---" between them.'
    faults.push(faultAt('syntax', 'there is more than one document', second.range[0], hint))
  }
  for (const offset of repeatedKeys(document?.contents, options.merge ?? false)) {
    const hint = 'Remove one of the two: the map has this key already.'
    faults.push(faultAt('syntax', 'Map keys must be unique', offset, hint))
  }
  const contents = document?.contents
  const place = (path: string) => {
    const offset = rangeStart(find(contents, path).nearest)
    return offset === undefined ? undefined : at(offset)
  }
  const spelling = (path: string) => {
    const { node } = find(contents, path)
    return isScalar(node) ? (node.source ?? String(node.value)) : undefined
  }
  if (faults.length > 0) return { value: undefined, faults, place, spelling }
  try {
    const maxAliasCount = options.aliasesMax ?? 100
    const value = options.exact
      ? toJson(document?.toJS({ maxAliasCount, mapAsMap: true }), '')
      : ((document?.toJS({ maxAliasCount }) ?? null) as Json)
    return { value, faults, place, spelling }
  } catch (error) {
    const fault =
      error instanceof Unsayable
        ? { kind: 'value' as const, message: error.message, ...(place(error.path) ?? at(0)) }
        : valueFault(error, document, faultAt)
    return { value: undefined, faults: [fault], place, spelling }
  }
}

/** Why a document that was parsed has no value: an alias without its anchor, or too many of them. */
function valueFault(
  error: unknown,
  document: Parameters<typeof visit>[0] | undefined,
  faultAt: (kind: 'syntax', message: string, offset: number) => YamlFault,
): YamlFault {
  const message = error instanceof Error ? firstLine(error.message) : 'not readable'
  const alias = /^Unresolved alias .*: (.*)$/.exec(message)?.[1]
  if (alias === undefined || document === undefined) return faultAt('syntax', message, 0)
  const hint = 'Quote a text that begins with *, or set the anchor before it: &name.'
  return { ...faultAt('syntax', message, aliasAt(document, alias)), hint }
}

/** Where an alias stands first. */
function aliasAt(document: Parameters<typeof visit>[0], name: string): number {
  let found = 0
  visit(document, {
    Alias: (_key, node) => {
      if (node.source !== name) return undefined
      found = rangeStart(node) ?? 0
      return visit.BREAK
    },
  })
  return found
}

/** A rough count is enough: it only keeps the reader from minutes of running out of stack. */
function nestsTooDeep(text: string): boolean {
  let open = 0
  for (const sign of text) {
    if (sign === '[' || sign === '{') open++
    else if (sign === ']' || sign === '}') open--
    if (open > nestingMax) return true
  }
  return false
}

function unread(message: string): YamlReading {
  const fault = { kind: 'syntax', message, line: 1, column: 1 } as const
  return { value: undefined, faults: [fault], place: () => undefined, spelling: () => undefined }
}

/** Prints a value as YAML. */
export function writeYaml(value: Json): string {
  return stringify(value, (_key, item: unknown) => (isExact(item) ? wide(item) : item), { lineWidth: 110 })
}

/** The same for readers of YAML 1.1: texts that would be `true`, a number or a time there are quoted, and nothing is an alias. */
export function writeOlderYaml(value: Json): string {
  return stringify(value, { lineWidth: 110, compat: 'yaml-1.1', aliasDuplicateObjects: false })
}

function wide({ rawJSON }: ExactNumber): bigint | number {
  return /^-?\d+$/.test(rawJSON) ? BigInt(rawJSON) : Number(rawJSON)
}

const nestingMax = 10_000

/** Raised inside this file for a value that JSON has no words for. */
class Unsayable extends Error {
  readonly path: string
  constructor(message: string, path: string) {
    super(message)
    this.path = path
  }
}

function toJson(value: unknown, path: string): Json {
  if (value === undefined || value === null) return null
  if (typeof value === 'bigint') return exactInteger(String(value))
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new Unsayable('JSON has no infinite number and no "not a number"', path)
  }
  if (Array.isArray(value)) return value.map((item, i) => toJson(item, pointer(path, i)))
  if (!(value instanceof Map)) return value as Json
  const members = new Map<string, Json>()
  for (const [key, item] of value) {
    if (typeof key === 'object' && key !== null) throw new Unsayable('a key must not be a map or list', path)
    const name = String(key)
    const place = pointer(path, name)
    if (members.has(name)) throw new Unsayable(`two keys are both ${JSON.stringify(name)} as text`, place)
    members.set(name, toJson(item, place))
  }
  return Object.fromEntries(members)
}

function* repeatedKeys(contents: unknown, merge: boolean): Generator<number> {
  const open = [contents]
  for (let node = open.pop(); open.length > 0 || node !== undefined; node = open.pop()) {
    if (isSeq(node)) open.push(...node.items.toReversed().filter(isCollection))
    if (!isMap(node)) continue
    const seen = new Set<unknown>()
    for (const { key, value } of node.items) {
      if (isScalar(key) && !(merge && (key.value === '<<' || typeof key.value === 'symbol'))) {
        if (seen.has(key.value)) yield rangeStart(key) ?? 0
        seen.add(key.value)
      }
      if (isCollection(key)) open.push(key)
      if (isCollection(value)) open.push(value)
    }
  }
}

/** Where a text begins whose closing quote the parser has looked for to the end of the document. */
function openQuote(contents: unknown, message: string): number | undefined {
  if (!message.startsWith('Missing closing')) return undefined
  let node = contents
  while (isCollection(node)) {
    const last: unknown = node.items.at(-1)
    node = isPair(last) ? (last.value ?? last.key) : last
  }
  return isScalar(node) && /^QUOTE/.test(node.type ?? '') ? rangeStart(node) : undefined
}

/** The node at a JSON pointer, if there is one, and the nearest one above that has a place. */
function find(contents: unknown, path: string): { readonly node: unknown; readonly nearest: unknown } {
  let node = contents
  let nearest = node
  for (const step of stepsOf(path)) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === step,
      )
      if (!pair) return { node: undefined, nearest }
      nearest = pair.key
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(step)]
      nearest = isNode(node) ? node : nearest
    } else return { node: undefined, nearest }
    if (isAlias(node)) return { node: undefined, nearest }
  }
  return { node, nearest }
}

function rangeStart(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+:?$/, '')
}
