/** Reads YAML 1.1 as Go's older libraries do: a tree whose scalars keep their source text, for readers that type each field. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import type { Json } from './json.ts'
import { present } from './present.ts'
import { tellingFaults } from './yaml-faults.ts'

export interface YamlPlace {
  readonly line: number
  readonly column: number
}

export type YamlTree = YamlScalar | YamlList | YamlMap

export interface YamlScalar {
  readonly kind: 'scalar'
  /** What stands in the document, without quotes. */
  readonly text: string
  /** Quoted or a block: a text whatever it looks like. */
  readonly quoted: boolean
  /** What an untyped field gets: null, boolean, number (also infinite) or text by the rules of YAML 1.1. */
  readonly value: null | boolean | number | string
  readonly at: YamlPlace
}

export interface YamlList {
  readonly kind: 'list'
  readonly items: readonly YamlTree[]
  readonly at: YamlPlace
}

export interface YamlMap {
  readonly kind: 'map'
  /** By the text of the key; merge keys are resolved, the last of two equal keys counts. */
  readonly members: ReadonlyMap<string, YamlTree>
  /** Where each key of the map itself stands. */
  readonly keys: ReadonlyMap<string, YamlPlace>
  readonly at: YamlPlace
}

export type YamlTreeReading =
  | { readonly kind: 'tree'; readonly tree: YamlTree }
  | { readonly kind: 'refused'; readonly message: string; readonly hint?: string; readonly at: YamlPlace }

const origin: YamlPlace = { line: 1, column: 1 }

/** Reads the first document of a text. An alias shares the tree of its anchor, so that repetition costs nothing. */
export function readYamlTree(text: string): YamlTreeReading {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.1',
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const placeOf = (offset: number): YamlPlace => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const [fault] = tellingFaults(document.errors.filter(({ code }) => code !== 'MULTIPLE_DOCS'))
  if (fault) {
    const { message, hint, offset } = fault
    return { kind: 'refused', message, at: placeOf(offset), ...present({ hint }) }
  }
  try {
    return { kind: 'tree', tree: new TreeBuilder(document.contents, placeOf).build() }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { kind: 'refused', message: error.message, at: error.at }
  }
}

/** Raised inside this file where a document cannot become a tree. */
class Unreadable extends Error {
  readonly at: YamlPlace
  constructor(message: string, at: YamlPlace) {
    super(message)
    this.at = at
  }
}

/** Anchors are resolved in the order of the document, as a name may be given twice. */
class TreeBuilder {
  readonly #anchors = new Map<string, YamlTree>()
  readonly #root: Node | null
  readonly #placeOf: (offset: number) => YamlPlace

  constructor(root: Node | null, placeOf: (offset: number) => YamlPlace) {
    this.#root = root
    this.#placeOf = placeOf
  }

  build(): YamlTree {
    return this.#tree(this.#root, 0)
  }

  #tree(node: unknown, depth: number): YamlTree {
    const at = this.#at(node)
    if (depth > nestingMax) throw new Unreadable('the lists and maps are nested too deep', at)
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source)
      if (target === undefined) throw new Unreadable(`unknown anchor '${node.source}' referenced`, at)
      return target
    }
    const tree = this.#own(node, depth, at)
    const anchor = isScalar(node) || isSeq(node) || isMap(node) ? node.anchor : undefined
    if (anchor !== undefined) this.#anchors.set(anchor, tree)
    return tree
  }

  #own(node: unknown, depth: number, at: YamlPlace): YamlTree {
    if (isSeq(node)) return { kind: 'list', items: node.items.map((item) => this.#tree(item, depth + 1)), at }
    if (isMap(node)) return this.#map(node, depth, at)
    if (!isScalar(node)) return { kind: 'scalar', text: '', quoted: false, value: null, at }
    const text = node.source ?? String(node.value ?? '')
    const quoted = node.type !== 'PLAIN' || node.tag === 'tag:yaml.org,2002:str'
    return { kind: 'scalar', text, quoted, value: quoted ? text : resolvePlain(text), at }
  }

  #map(
    node: { readonly items: readonly { key: unknown; value: unknown }[] },
    depth: number,
    at: YamlPlace,
  ): YamlMap {
    const own = new Map<string, YamlTree>()
    const keys = new Map<string, YamlPlace>()
    const merged = new Map<string, YamlTree>()
    for (const { key, value } of node.items) {
      const name = this.#tree(key, depth + 1)
      const tree = this.#tree(value, depth + 1)
      if (name.kind !== 'scalar') throw new Unreadable('a key must not be a map or list', this.#at(key))
      if (name.text === '<<' && !name.quoted) this.#merge(merged, tree, this.#at(key))
      else {
        own.set(name.text, tree)
        keys.set(name.text, this.#at(key))
      }
    }
    return { kind: 'map', members: new Map([...merged, ...own]), keys, at }
  }

  /** Of several merged maps the first that has a key gives it. */
  #merge(merged: Map<string, YamlTree>, tree: YamlTree, at: YamlPlace): void {
    const maps = tree.kind === 'list' ? tree.items : [tree]
    for (const map of maps) {
      if (map.kind !== 'map')
        throw new Unreadable('map merge requires map or sequence of maps as the value', at)
      for (const [key, value] of map.members) if (!merged.has(key)) merged.set(key, value)
    }
  }

  #at(node: unknown): YamlPlace {
    const range = (node as Partial<Node> | null)?.range
    return range ? this.#placeOf(range[0]) : origin
  }
}

const nestingMax = 1000

const words: ReadonlyMap<string, null | boolean | number> = new Map<string, null | boolean | number>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(
    (word) => [word, true] as const,
  ),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(
    (word) => [word, false] as const,
  ),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
])

/** What an unquoted scalar means: times and base-60 numbers stay texts, as Go's reader leaves them. */
function resolvePlain(text: string): null | boolean | number | string {
  const word = words.get(text)
  if (word !== undefined) return word
  if (!/^[-+.\d]/.test(text)) return text
  const plain = text.replaceAll('_', '')
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/s.exec(plain) ?? []
  const negative = sign === '-' ? -1 : 1
  if (/^0x[\da-f]+$/i.test(digits) || /^0b[01]+$/.test(digits)) return negative * Number(digits)
  if (/^0o?[0-7]+$/.test(digits)) return negative * Number.parseInt(digits.replace('0o', '0'), 8)
  return /^(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(digits) ? negative * Number(digits) : text
}

/** How many nodes a converted tree may have: aliases can make a short text mean a huge value. */
const nodesMax = 100_000

/** The tree as a JSON value; undefined where it says what JSON cannot say, or far more than the text is long. */
export function jsonOfTree(tree: YamlTree): Json | undefined {
  let left = nodesMax
  const convert = (node: YamlTree): Json => {
    left -= 1
    if (left < 0) throw new Unreadable('too large', node.at)
    switch (node.kind) {
      case 'list':
        return node.items.map(convert)
      case 'map':
        return Object.fromEntries([...node.members].map(([key, item]) => [key, convert(item)]))
      default:
        if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
          throw new Unreadable('not a JSON number', node.at)
        }
        return node.value
    }
  }
  try {
    return convert(tree)
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}
