/** Writes YAML as the original does: block style, sequences not indented, its choice of quotes and folds. */
import { toBase64 } from '../../kit/bytes.ts'
import { bytesOf, floatText, goQuote, hasRawBytes } from './go-text.ts'
import { printLambda } from './print.ts'
import { type Cell, Dict, flag, List, type Value } from './value.ts'
import { isDate, resolveScalar } from './yaml-scalar.ts'

/** A value as one YAML document. */
export function writeYaml(value: Value): string {
  const out: Output = { pieces: [], simpleKeys: new Map() }
  block(out, { value: shown(value), flags: 0 }, 0, 0)
  return out.pieces.join('')
}

interface Output {
  readonly pieces: string[]
  /** How keys are written that need no line of their own: the same few come again and again. */
  readonly simpleKeys: Map<string, string>
}

type Printed = Pick<Cell, 'value' | 'flags'>

/** Where maps and lists nest: `indent` columns in, text begins at `column`. */
function block(out: Output, cell: Printed, indent: number, column: number): void {
  const { value } = cell
  if (value instanceof List && value.cells.length > 0) blockList(out, value, indent)
  else if (value instanceof Dict && value.cells.size > 0) blockMap(out, value, indent)
  else out.pieces.push(scalarText(cell, indent === 0 && column === 0 ? 2 : indent, column), '\n')
}

function blockList(out: Output, list: List, indent: number): void {
  for (const [i, cell] of list.cells.entries()) {
    if (i > 0) out.pieces.push(' '.repeat(indent))
    out.pieces.push('- ')
    block(out, { value: shown(cell.value), flags: cell.flags }, indent + 2, indent + 2)
  }
}

function blockMap(out: Output, map: Dict, indent: number): void {
  const { pieces } = out
  const { cells } = map
  for (const [i, key] of map.keys.entries()) {
    if (i > 0) pieces.push(' '.repeat(indent))
    const simple = isSimple(key)
    const text = simple ? simpleKey(out, key) : complexKey(key, indent)
    pieces.push(text)
    const { value: kept = null, flags = 0 } = cells.get(key) ?? {}
    const cell = { value: shown(kept), flags }
    const column = indent + (simple ? text.length + 1 : 2)
    // Lists stand below their key without indentation; behind a complex key everything follows on its line.
    const below = cell.value instanceof List && simple ? indent : indent + 2
    const nests = isFilled(cell.value)
    if (nests && simple) pieces.push('\n', ' '.repeat(below))
    else pieces.push(' ')
    if (nests) block(out, cell, below, below)
    else pieces.push(scalarText(cell, indent + 2, column), '\n')
  }
}

function isFilled(value: Value): boolean {
  if (value instanceof List) return value.size > 0
  return value instanceof Dict && value.cells.size > 0
}

/** Templates print as their source, lambdas as an expression. */
function shown(value: Value): Value {
  if (value === null || typeof value !== 'object') return value
  if (value.kind === 'template') return shown(value.original.value)
  return value.kind === 'lambda' ? `(( lambda${printLambda(value)} ))` : value
}

function isSimple(key: string): boolean {
  return key.length <= 128 && !key.includes('\n')
}

function simpleKey({ simpleKeys }: Output, key: string): string {
  let text = simpleKeys.get(key)
  if (text === undefined) {
    text = `${stringText(key, -1, 0)}:`
    simpleKeys.set(key, text)
  }
  return text
}

function complexKey(key: string, indent: number): string {
  return `? ${stringText(key, indent + 2, indent + 2)}\n${' '.repeat(indent)}:`
}

/** A scalar; an indent below 0 means that it must stay on one line. */
function scalarText({ value, flags }: Printed, indent: number, column: number): string {
  const plain = shown(value)
  if ((flags & flag.binary) !== 0 && typeof plain === 'string') return binaryText(plain)
  if (plain === null) return 'null'
  switch (typeof plain) {
    case 'boolean':
    case 'bigint':
      return String(plain)
    case 'number':
      return numberText(plain)
    case 'string':
      return stringText(plain, indent, column)
    default:
      return plain instanceof List ? '[]' : '{}'
  }
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan'
  if (!Number.isFinite(value)) return value > 0 ? '+.inf' : '-.inf'
  return floatText(value)
}

function binaryText(text: string): string {
  return `!!binary ${toBase64(bytesOf(text))}`
}

/** Chooses among plain, literal, single and double quotes. */
function stringText(text: string, indent: number, column: number): string {
  if (hasRawBytes(text)) return binaryText(text)
  if (resolveScalar(text) !== text || isDate(text) || text === '') return doubleQuoted(text, indent, column)
  // Only printable ASCII and newlines stand outside of double quotes.
  if (/[^\x20-\x7e\n]/.test(text) || / \n/.test(text)) return doubleQuoted(text, indent, column)
  if (text.includes('\n')) {
    if (indent < 0 || text.endsWith(' ')) return doubleQuoted(text, indent, column)
    return literal(text, indent)
  }
  return isPlain(text)
    ? folded(text, indent, column)
    : `'${folded(text.replaceAll("'", "''"), indent, column + 1)}'`
}

const indicator = /^[#,[\]{}&*!|>'"%@`]/

function isPlain(text: string): boolean {
  if (text.startsWith(' ') || text.endsWith(' ') || indicator.test(text)) return false
  if (text.startsWith('---') || text.startsWith('...')) return false
  if (/^[-?:](?:\s|$)/.test(text)) return false
  return !/:(?:\s|$)/.test(text) && !/ #/.test(text)
}

function literal(text: string, indent: number): string {
  const hint = text.startsWith(' ') || text.startsWith('\n') ? '2' : ''
  const chomp = text.endsWith('\n') ? '+' : '-'
  const pad = ' '.repeat(indent)
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  const body = lines.map((line) => (line === '' ? '' : pad + line)).join('\n')
  return `|${hint}${chomp}\n${body}`
}

const width = 80

/** Breaks a long line at single blanks beyond the width. */
function folded(text: string, indent: number, column: number): string {
  if (indent < 0 || column + text.length <= width) return text
  const lines: string[] = []
  // The line that is open began here, in this column.
  let from = 0
  let start = column
  for (let i = text.indexOf(' ', 1); i > 0 && i < text.length - 1; i = text.indexOf(' ', i + 1)) {
    if (text[i - 1] === ' ' || text[i + 1] === ' ' || start + i - from <= width) continue
    lines.push(text.slice(from, i))
    from = i + 1
    start = indent
  }
  lines.push(text.slice(from))
  return lines.join(`\n${' '.repeat(indent)}`)
}

const named: Readonly<Record<number, string>> = {
  0: '\\0',
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  27: '\\e',
  34: '\\"',
  92: '\\\\',
  133: '\\N',
  160: '\\_',
  8232: '\\L',
  8233: '\\P',
}

function doubleQuoted(text: string, indent: number, column: number): string {
  const pieces = ['"']
  let at = column + 1
  const put = (piece: string): void => {
    pieces.push(piece)
    at += piece.length
  }
  let from = 0
  for (let i = text.indexOf(' '); i >= 0; i = text.indexOf(' ', from)) {
    if (i > from) put(escapedText(text.slice(from, i)))
    from = i + 1
    if (indent >= 0 && at > width && i > 0 && i < text.length - 1 && text[i - 1] !== ' ') {
      pieces.push(`\n${' '.repeat(indent)}${text[i + 1] === ' ' ? '\\' : ''}`)
      at = indent
    } else put(' ')
  }
  pieces.push(escapedText(text.slice(from)), '"')
  return pieces.join('')
}

function escapedText(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/gu, escaped)
}

function escaped(sign: string): string {
  const code = sign.codePointAt(0) ?? 0
  const known = named[code]
  if (known !== undefined) return known
  if (code >= 0x20 && code < 0x7f) return sign
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** Cells as they are printed by messages: short, on one line. */
export function shortText(value: Value): string {
  if (value === null) return 'nil'
  if (value instanceof List) return `[${value.cells.map((cell: Cell) => shortText(cell.value)).join(', ')}]`
  if (value instanceof Dict)
    return `{${value.keys
      .filter((key) => key !== '_')
      .map((key) => `${key}: ${shortText(value.get(key)?.value ?? null)}`)
      .join(', ')}}`
  if (typeof value === 'string') return value
  if (typeof value === 'number') return floatText(value)
  if (typeof value !== 'object') return String(value)
  return value.kind === 'lambda' ? `lambda${printLambda(value)}` : `template ${goQuote(value.path)}`
}
