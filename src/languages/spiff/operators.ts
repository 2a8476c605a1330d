/** The binary operators on values: arithmetic, addresses, comparison, concatenation. */
import {
  addressText,
  advance,
  moveInside,
  networkText,
  nextNetwork,
  parseAddress,
  parseNetwork,
  splitNetwork,
} from './ip.ts'
import { failure } from './issue.ts'
import { printLambda } from './print.ts'
import type { BinaryOp } from './tree.ts'
import { byBytes, type Cell, cellOf, Dict, List, type Value } from './value.ts'

/** Integers wrap around at 64 bits. */
export function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value)
}

type Arithmetic = '+' | '-' | '*' | '/' | '%'

const words: Readonly<Record<Arithmetic, string>> = {
  '+': 'non-IP address addition requires number arguments',
  '-': 'non-IP address subtration requires number arguments',
  '*': 'non-CIDR multiplication requires number arguments',
  '/': 'non-CIDR division requires number arguments',
  '%': 'integer operand required',
}

/** Arithmetic of two values; strings on the left are addresses. */
export function arithmetic(op: Arithmetic, a: Value, b: Value): Value {
  if (typeof a === 'string' && op !== '%') return addresses(op, a, b)
  if (typeof a === 'bigint' && typeof b === 'bigint') return integers(op, a, b)
  const [x, y] = [toFloat(a), toFloat(b)]
  if (x === undefined || y === undefined || op === '%') return failure(words[op])
  if (op === '/' && y === 0) return failure('division by zero')
  const result = { '+': x + y, '-': x - y, '*': x * y, '/': x / y }[op]
  return Number.isNaN(result) ? failure('result is not a number') : result
}

function toFloat(value: Value): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'bigint' ? Number(value) : undefined
}

function integers(op: Arithmetic, a: bigint, b: bigint): bigint {
  if ((op === '/' || op === '%') && b === 0n) return failure('division by zero')
  switch (op) {
    case '+':
      return wrap(a + b)
    case '-':
      return wrap(a - b)
    case '*':
      return wrap(a * b)
    case '/':
      return wrap(a / b)
    case '%':
      return a % b
  }
}

function addresses(op: '+' | '-' | '*' | '/', a: string, b: Value): Value {
  if (op === '+' || op === '-') return movedAddress(op, a, b)
  const word = op === '*' ? 'multiplication' : 'division'
  const network = parseNetwork(a)
  if (network === undefined)
    return failure(`first argument of ${word} must be CIDR or number: invalid CIDR address: ${a}`)
  if (typeof b !== 'bigint') return failure(`IP address ${word} requires an integer argument`)
  return networkText(op === '*' ? nextNetwork(network, b) : splitNetwork(network, b))
}

function movedAddress(op: '+' | '-', a: string, b: Value): Value {
  const network = parseNetwork(a)
  const address = network ?? parseAddress(a)
  const word = op === '+' ? 'addition' : 'substraction'
  if (address === undefined) return failure(`first argument for ${word} must be IP address, CIDR or number`)
  if (op === '-' && typeof b === 'string') {
    const other = parseNetwork(b) ?? parseAddress(b)
    if (other === undefined)
      return failure('second argument for substraction must be IP address, CIDR or number')
    return wrap(wide(address, other.bits) - wide(other, address.bits))
  }
  if (typeof b !== 'bigint') return failure(`${word} argument for an IP address requires an integer argument`)
  const by = op === '+' ? b : -b
  return network ? networkText(moveInside(network, by)) : addressText(advance(address, by))
}

/** Between the two kinds of addresses IPv4 counts as IPv4-mapped. */
function wide(address: { readonly bits: 32 | 128; readonly value: bigint }, other: number): bigint {
  return address.bits === 32 && other === 128 ? 0xffff00000000n + address.value : address.value
}

/** `==` by the rules of the left operand; nil only compares with nil. */
export function equal(a: Value, b: Value): boolean {
  if (a === null || b === null) return a === b ? true : failure('')
  switch (typeof a) {
    case 'string':
      return equalString(a, b)
    case 'bigint':
      return equalInteger(a, b)
    case 'boolean':
      if (typeof b === 'boolean') return a === b
      return typeof b === 'string' && b.toLowerCase() === String(a)
    case 'number':
      return (typeof b === 'number' || typeof b === 'bigint') && a === Number(b)
    default:
      return equalStructure(a, b)
  }
}

function equalString(a: string, b: Value): boolean {
  if (typeof b === 'string') return a === b
  if (typeof b === 'bigint' || typeof b === 'boolean') return a === String(b)
  if (typeof b === 'object' && b !== null && b.kind === 'lambda') return a === `lambda${printLambda(b)}`
  return failure('types uncomparable')
}

function equalInteger(a: bigint, b: Value): boolean {
  if (typeof b === 'bigint') return a === b
  if (typeof b === 'number') return Number(a) === b
  if (typeof b === 'boolean') return a === (b ? 1n : 0n)
  return typeof b === 'string' && integerIn(b) === a
}

/** The integer a text is when it is compared with one. */
export function integerIn(text: string): bigint | undefined {
  return /^[-+]?[0-9]+$/.test(text) ? BigInt(text.replace('+', '')) : undefined
}

function equalStructure(a: Exclude<Value, string | number | bigint | boolean | null>, b: Value): boolean {
  if (typeof b !== 'object' || b === null || a.kind !== b.kind) return false
  if (a instanceof List)
    return (
      b instanceof List &&
      a.cells.length === b.cells.length &&
      a.cells.every((cell, i) => equalInside(cell, b.cells[i]))
    )
  if (a instanceof Dict)
    return (
      b instanceof Dict &&
      a.cells.size === b.cells.size &&
      [...a.cells].every(([key, cell]) => equalInside(cell, b.get(key)))
    )
  if (a.kind === 'lambda') return b.kind === 'lambda' && printLambda(a) === printLambda(b)
  return b.kind === 'template' && sameData(a.original.value, b.original.value)
}

/** Inside of lists and maps what cannot be compared is unequal. */
function equalInside(a: Cell, b: Cell | undefined): boolean {
  return b !== undefined && equalOr(a.value, b.value)
}

/** Equality where failing to compare means no. */
export function equalOr(a: Value, b: Value): boolean {
  if (a === null || b === null) return a === b
  if (typeof a === 'string' && typeof b === 'object' && b.kind !== 'lambda') return false
  if (typeof a === 'string' && typeof b === 'number') return false
  return equal(a, b)
}

/** The same data, without any conversion. */
export function sameData(a: Value, b: Value): boolean {
  if (a instanceof List)
    return (
      b instanceof List &&
      a.cells.length === b.cells.length &&
      a.cells.every((cell, i) => sameData(cell.value, b.cells[i]?.value ?? null))
    )
  if (a instanceof Dict)
    return (
      b instanceof Dict &&
      a.cells.size === b.cells.size &&
      [...a.cells].every(([key, cell]) => b.cells.has(key) && sameData(cell.value, b.get(key)?.value ?? null))
    )
  return a === b || (typeof a === 'object' && a !== null && equalOr(a, b))
}

type Order = '<' | '<=' | '>' | '>='

/** Order of numbers and of strings. */
export function ordered(op: Order, a: Value, b: Value): boolean {
  const numbers = isNumber(a) && isNumber(b)
  if (typeof a === 'bigint' && !numbers) return failure(`comparision ${op} only for integers or strings`)
  if (typeof a === 'string' && typeof b !== 'string')
    return failure(`comparision ${op} only for strings or integers`)
  if (!numbers && !(typeof a === 'string' && typeof b === 'string')) return false
  const order = typeof a === 'string' ? byBytes(a, b as string) : compareNumbers(a as number, b as number)
  return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[op]
}

function isNumber(value: Value): boolean {
  return typeof value === 'bigint' || typeof value === 'number'
}

function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (a === b) return 0
  if (a < b) return -1
  return a > b ? 1 : 0
}

/** Juxtaposition: strings, lists and maps; other values cannot be joined. */
export function concat(a: Value, b: Value): Value | undefined {
  const left = simpleText(a)
  if (left !== undefined) {
    const right = simpleText(b) ?? lambdaText(b)
    if (right !== undefined) return left + right
  }
  if (a instanceof List) {
    if (b instanceof List) return List.joined(a, b)
    return b === null ? a : List.joined(a, new List([cellOf(b, '')]))
  }
  if (a instanceof Dict && (b === null || b instanceof Dict)) return b === null ? a : Dict.joined(a, b)
  return undefined
}

function simpleText(value: Value): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : undefined
}

function lambdaText(value: Value): string | undefined {
  return typeof value === 'object' && value !== null && value.kind === 'lambda'
    ? `lambda${printLambda(value)}`
    : undefined
}

/** Whether an operator only computes with two values. */
export function isArithmetic(op: BinaryOp): op is Arithmetic {
  return op === '+' || op === '-' || op === '*' || op === '/' || op === '%'
}

export function isOrder(op: BinaryOp): op is Order {
  return op === '<' || op === '<=' || op === '>' || op === '>='
}
