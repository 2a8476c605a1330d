/** From tokens to the tree, by precedence climbing; stops at the first fault, as the original does. */
import { codePoints, Fault, type Place, placeOf } from '../place.ts'
import { quote } from './quote.ts'
import { scanner, type Token } from './scanner.ts'
import type { Index, Link, Literal, Node, Operator } from './tree.ts'

export interface Grammar {
  /** Index anything, and more than once; the original knows only one index behind a variable. */
  readonly chainedIndex: boolean
  readonly depthMax: number
}

interface Reader {
  readonly source: string
  readonly grammar: Grammar
  readonly scan: () => Token
  next: Token
  depth: number
}

const power: ReadonlyMap<string, number> = new Map([
  ['||', 1],
  ['&&', 2],
  ['==', 3],
  ['!=', 3],
  ['<', 4],
  ['<=', 4],
  ['>', 4],
  ['>=', 4],
  ['+', 5],
  ['-', 5],
  ['*', 6],
  ['/', 6],
  ['%', 6],
])
const loosest = 1
const intMax = 2n ** 63n - 1n

/** The tree of a template. Throws a Fault whose text is the original's. */
export function parseTemplate(source: string, grammar: Grammar): Node {
  const scan = scanner(source)
  const reader: Reader = { source, grammar, scan, next: scan(), depth: 0 }
  return sequence(reader, 'literal', 'end-of-text', peek(reader).at)
}

/** template = { literal | "${" expr "}" } */
function sequence(
  reader: Reader,
  literal: 'literal' | 'string',
  end: 'end-of-text' | 'close-quote',
  at: number,
): Node {
  const parts: Node[] = []
  for (;;) {
    const token = read(reader)
    if (token.kind === end) break
    if (token.kind === literal) {
      parts.push({ kind: 'literal', type: 'string', value: literalText(reader, token), at: token.at })
    } else if (token.kind === 'begin') {
      parts.push(expression(reader))
      const close = read(reader)
      if (close.kind !== 'end') throw expected(reader, '"}"', close)
    } else throw expected(reader, '"${"', token)
  }
  const [only] = parts
  if (only === undefined) return { kind: 'literal', type: 'string', value: '', at }
  // A lone text needs no output around it: its result is itself.
  if (parts.length === 1 && only.kind === 'literal' && only.type === 'string') return only
  return { kind: 'output', parts, at }
}

/** expr = or [ "?" expr ":" expr ] */
function expression(reader: Reader): Node {
  if (++reader.depth > reader.grammar.depthMax) {
    throw fault(reader, peek(reader), `nested deeper than ${reader.grammar.depthMax}`)
  }
  const { at } = peek(reader)
  const condition = binary(reader, loosest)
  const node = isSign(peek(reader), '?') ? conditional(reader, at, condition) : condition
  reader.depth--
  return node
}

function conditional(reader: Reader, at: number, condition: Node): Node {
  read(reader)
  const whenTrue = expression(reader)
  const colon = read(reader)
  if (!isSign(colon, ':')) throw expected(reader, ':', colon)
  return { kind: 'conditional', at, condition, whenTrue, whenFalse: expression(reader) }
}

/** Operators that bind at least so tightly; those of one precedence become one row. */
function binary(reader: Reader, least: number): Node {
  const { at } = peek(reader)
  let left = term(reader)
  for (let level = powerOf(peek(reader)); level >= least; level = powerOf(peek(reader))) {
    const links: Link[] = []
    while (powerOf(peek(reader)) === level) {
      const operator = read(reader).text as Operator
      links.push({ operator, operand: binary(reader, level + 1) })
    }
    left = { kind: 'chain', at, first: left, links }
  }
  return left
}

function term(reader: Reader): Node {
  const token = read(reader)
  switch (token.kind) {
    case 'open-quote':
      return indexed(reader, sequence(reader, 'string', 'close-quote', token.at))
    case 'integer':
      return { kind: 'literal', type: 'int', value: integer(reader, token), at: token.at }
    case 'float':
      return { kind: 'literal', type: 'float', value: float(reader, token), at: token.at }
    case 'bool':
      return { kind: 'literal', type: 'bool', value: token.text === 'true', at: token.at }
    case 'identifier':
      return named(reader, token)
    case 'sign':
      return signed(reader, token)
    default:
      throw expected(reader, 'expression', token)
  }
}

/** "(" expr ")", "-" term as 0 - term, "!" term as false == term */
function signed(reader: Reader, token: Token): Node {
  const { at } = token
  switch (token.text) {
    case '(': {
      const inner = expression(reader)
      close(reader, ')')
      return indexed(reader, inner)
    }
    case '-':
      return prefixed(reader, '-', { kind: 'literal', type: 'int', value: 0n, at })
    case '!':
      return prefixed(reader, '==', { kind: 'literal', type: 'bool', value: false, at })
    default:
      throw expected(reader, 'expression', token)
  }
}

function prefixed(reader: Reader, operator: Operator, first: Literal): Node {
  if (++reader.depth > reader.grammar.depthMax) {
    throw fault(reader, peek(reader), `nested deeper than ${reader.grammar.depthMax}`)
  }
  const operand = term(reader)
  reader.depth--
  return { kind: 'chain', at: first.at, first, links: [{ operator, operand }] }
}

/** identifier "(" [ expr { "," expr } [","] ] ")" or identifier [ "[" expr "]" ] */
function named(reader: Reader, token: Token): Node {
  const { at, text: name } = token
  if (isSign(peek(reader), '(')) {
    read(reader)
    const args: Node[] = []
    while (!isSign(peek(reader), ')')) {
      args.push(expression(reader))
      if (!isSign(peek(reader), ',')) break
      read(reader)
    }
    close(reader, ')')
    return indexed(reader, { kind: 'call', at, name, args })
  }
  const variable: Node = { kind: 'variable', at, name }
  if (!isSign(peek(reader), '[')) return variable
  return indexed(reader, index(reader, variable))
}

function indexed(reader: Reader, target: Node): Node {
  const outer = reader.depth
  let node = target
  while (reader.grammar.chainedIndex && isSign(peek(reader), '[')) {
    if (++reader.depth > reader.grammar.depthMax) {
      throw fault(reader, peek(reader), `nested deeper than ${reader.grammar.depthMax}`)
    }
    node = index(reader, node)
  }
  reader.depth = outer
  return node
}

function index(reader: Reader, target: Node): Index {
  const { at } = read(reader)
  const key = expression(reader)
  close(reader, ']')
  return { kind: 'index', at, target, key }
}

function close(reader: Reader, sign: ')' | ']'): void {
  const token = read(reader)
  if (!isSign(token, sign)) throw expected(reader, `"${sign}"`, token)
}

function integer(reader: Reader, token: Token): bigint {
  const digits = token.text.startsWith('0') ? token.text.replace(/^0+(?=[0-9])/, '') : token.text
  const value = digits.length > 19 ? intMax + 1n : BigInt(digits)
  if (value <= intMax) return value
  throw fault(
    reader,
    token,
    `invalid integer: strconv.Atoi: parsing ${quote(token.text)}: value out of range`,
  )
}

function float(reader: Reader, token: Token): number {
  const value = Number(token.text)
  if (Number.isFinite(value)) return value
  throw fault(
    reader,
    token,
    `invalid float: strconv.ParseFloat: parsing ${quote(token.text)}: value out of range`,
  )
}

/** `$$` is one `$` everywhere; backslashes mean something in quotes only. */
function literalText(reader: Reader, token: Token): string {
  const plain = token.text.includes('$$') ? token.text.replaceAll('$$', () => '$') : token.text
  if (token.kind === 'literal' || !token.text.includes('\\')) return plain
  return token.text.replace(/\$\$|\\(.)?/gsu, (sign, escaped: string | undefined, offset: number) => {
    if (sign === '$$') return '$'
    if (escaped === '\\' || escaped === '"') return escaped
    if (escaped === 'n') return '\n'
    const { line, column } = placeOf(reader.source, token.at)
    const place = { line, column: column + codePoints(token.text, 0, offset) }
    throw faultAt(place, `${escaped === undefined ? 'unfinished' : 'invalid'} backslash escape sequence`)
  })
}

function peek(reader: Reader): Token {
  return reader.next
}

function read(reader: Reader): Token {
  const token = reader.next
  reader.next = reader.scan()
  return token
}

function isSign(token: Token, sign: string): boolean {
  return token.kind === 'sign' && token.text === sign
}

function powerOf(token: Token): number {
  return (token.kind === 'sign' ? power.get(token.text) : undefined) ?? 0
}

function expected(reader: Reader, wanted: string, found: Token): Fault {
  return fault(reader, found, `expected ${wanted} but found ${describe(found)}`)
}

function fault(reader: Reader, token: Token, message: string): Fault {
  const { line, column } = placeOf(reader.source, token.at)
  return faultAt({ line, column: column + (token.off ?? 0) }, message)
}

function faultAt(place: Place, message: string): Fault {
  return new Fault(`parse error at ${place.line}:${place.column}: ${message}`, place)
}

function describe({ kind, text }: Token): string {
  switch (kind) {
    case 'end-of-text':
      return 'end of string'
    case 'invalid':
      return `invalid sequence ${quote(text)}`
    case 'integer':
    case 'float':
      return `${kind} ${text}`
    case 'string':
    case 'literal':
      return `${kind} ${quote(text)}`
    case 'open-quote':
      return 'opening quote'
    case 'close-quote':
      return 'closing quote'
    default:
      return ['&&', '||', '!=', '>=', '<='].includes(text) ? text : quote(text)
  }
}
