/** Reads YAML as the original does: its scalars, string keys, merge keys as plain keys, shared aliases. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  parseAllDocuments,
  Scalar,
} from 'yaml'
import { floatText, textOf } from './go-text.ts'
import { type Cell, Dict, List, type Value } from './value.ts'
import { isDate, resolveScalar } from './yaml-scalar.ts'

/** Why a text is no document. */
export class DocumentFault {
  readonly message: string
  readonly source: string
  readonly line: number
  readonly column: number
  constructor(message: string, source: string, place: { line: number; column: number }) {
    this.message = message
    this.source = source
    this.line = place.line
    this.column = place.column
  }
}

export interface ReadLimits {
  readonly documentMax: number
  readonly nestingMax: number
  readonly elementsMax: number
}

/** All documents of a text; throws DocumentFault. */
export function readDocuments(text: string, source: string, limits: ReadLimits): readonly Cell[] {
  if (text.length > limits.documentMax)
    throw new DocumentFault(`a document of more than ${limits.documentMax} characters`, source, start)
  const lines = new LineCounter()
  const documents = parseText(text, source, lines)
  const cells = documents.map((document) => read(document, source, lines, limits.nestingMax))
  for (const { value } of cells)
    if ((value instanceof List || value instanceof Dict) && value.weight > limits.elementsMax)
      throw new DocumentFault(`more than ${limits.elementsMax} elements`, source, start)
  // A marker at the very end opens no document.
  if (cells.length > 1 && cells.at(-1)?.value === null && isBlank(documents.at(-1))) cells.pop()
  return cells.length === 0 ? [{ kind: 'cell', value: null, source, flags: 0 }] : cells
}

/** The only document of a text; throws DocumentFault. */
export function readDocument(text: string, source: string, limits: ReadLimits): Cell {
  const [only, second] = readDocuments(text, source, limits)
  if (second !== undefined) throw new DocumentFault('multi document not possible', source, start)
  return only ?? { kind: 'cell', value: null, source, flags: 0 }
}

const start = { line: 1, column: 1 }

function isBlank(document: Document.Parsed | undefined): boolean {
  return document === undefined || document.contents === null || isEmptyScalar(document.contents)
}

function isEmptyScalar(node: unknown): boolean {
  return isScalar(node) && node.type === Scalar.PLAIN && node.source === ''
}

function parseText(text: string, source: string, lines: LineCounter): readonly Document.Parsed[] {
  try {
    const parsed = parseAllDocuments(text, {
      schema: 'failsafe',
      uniqueKeys: false,
      merge: false,
      logLevel: 'silent',
      lineCounter: lines,
      prettyErrors: false,
    })
    return Array.isArray(parsed) ? parsed : []
  } catch (error) {
    // The library parses nested collections by recursion.
    if (error instanceof RangeError) throw new DocumentFault('nested too deeply', source, start)
    throw error
  }
}

/** An anchored node that is not read to its end. */
const open = Symbol('open')

interface Reader {
  readonly document: Document.Parsed
  readonly source: string
  readonly lines: LineCounter
  readonly nestingMax: number
  /** What anchored nodes became, the latest of a name: aliases share it. */
  readonly anchors: Map<string, Value | typeof open>
}

function read(document: Document.Parsed, source: string, lines: LineCounter, nestingMax: number): Cell {
  const [error] = document.errors
  if (error?.message.includes('call stack')) throw new DocumentFault('nested too deeply', source, start)
  if (error) throw new DocumentFault(error.message, source, placeOf(lines, error.pos[0]))
  const reader: Reader = { document, source, lines, nestingMax, anchors: new Map() }
  return { kind: 'cell', value: convert(reader, document.contents, 0), source, flags: 0 }
}

function placeOf(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}

function faultAt(reader: Reader, node: Node | null, message: string): DocumentFault {
  return new DocumentFault(message, reader.source, placeOf(reader.lines, node?.range?.[0] ?? 0))
}

function convert(reader: Reader, node: ParsedNode | Node | null, depth: number): Value {
  if (node === null) return null
  if (depth > reader.nestingMax) throw faultAt(reader, node, 'nested too deeply')
  if (isAlias(node)) return aliased(reader, node)
  const anchor = 'anchor' in node && node.anchor ? node.anchor : undefined
  if (anchor !== undefined) reader.anchors.set(anchor, open)
  const value = structure(reader, node, depth)
  if (anchor !== undefined) reader.anchors.set(anchor, value)
  return value
}

function aliased(reader: Reader, alias: Alias): Value {
  const value = reader.anchors.get(alias.source)
  if (value === undefined) throw faultAt(reader, alias, `missing anchor: '${alias.source}'`)
  if (value === open) throw faultAt(reader, alias, `anchor '${alias.source}' contains itself`)
  return value
}

function structure(reader: Reader, node: Node, depth: number): Value {
  const cell = (value: Value): Cell => ({ kind: 'cell', value, source: reader.source, flags: 0 })
  if (isSeq(node))
    return new List(node.items.map((item) => cell(convert(reader, pairToMap(reader, item), depth + 1))))
  if (isMap(node)) {
    const cells = new Map<string, Cell>()
    for (const { key, value } of node.items as readonly Pair<Node, Node | null>[])
      cells.set(keyOf(reader, key), cell(convert(reader, value ?? null, depth + 1)))
    return new Dict(cells)
  }
  return isScalar(node) ? scalarOf(reader, node) : null
}

/** `[a: 1]` holds a pair where a map is meant. */
function pairToMap(reader: Reader, item: unknown): Node | null {
  if (item === null || typeof item !== 'object') return null
  if ('key' in item && !('items' in item)) return reader.document.createNode([item]) as Node
  return item as Node
}

function scalarOf(reader: Reader, node: Scalar): Value {
  const tag = node.tag
  if (tag === 'tag:yaml.org,2002:binary')
    return textOf(new Uint8Array(Buffer.from(node.source ?? '', 'base64')))
  const tagged = tag !== undefined && tag !== '!'
  const text = node.source ?? ''
  if (node.type !== Scalar.PLAIN && !tagged) return text
  if (node.type === undefined) throw faultAt(reader, node, 'unknown scalar')
  return resolveScalar(text)
}

function keyOf(reader: Reader, node: Node | null): string {
  const simple = node === null || isScalar(node) || isAlias(node)
  const value = simple ? convert(reader, node, 0) : undefined
  if (typeof value === 'string') {
    if (isScalar(node) && node.type === Scalar.PLAIN && isDate(value))
      throw faultAt(reader, node, `map key must be a string: ${value}`)
    return value
  }
  throw faultAt(reader, node, `map key must be a string: ${keyText(value)}`)
}

function keyText(value: Value | undefined): string {
  if (value === null) return '<nil>'
  if (typeof value === 'number') return floatText(value)
  return value === undefined || typeof value === 'object' ? 'a list or map' : String(value)
}
