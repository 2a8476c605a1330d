/** Functions on lists and maps. */
import type { Call, SpiffFunction } from '../env.ts'
import { isLambda } from '../env.ts'
import { byteLength } from '../go-text.ts'
import { Failure, failure, issueOf } from '../issue.ts'
import { callLambda } from '../lambda.ts'
import { equalOr, integerIn } from '../operators.ts'
import {
  byBytes,
  type Cell,
  cellOf,
  Dict,
  extentOf,
  type Lambda,
  List,
  typeName,
  type Value,
} from '../value.ts'
import { count, list, newList, simple, text } from './arguments.ts'
import { stableSort } from './stable-sort.ts'

export const listFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['uniq', uniq],
  ['element', element],
  ['contains', contains],
  ['index', (call) => position(call, false)],
  ['lastindex', (call) => position(call, true)],
  ['sort', sort],
  ['reverse', reverse],
  ['intersect', intersect],
  ['compact', compact],
  ['keys', keys],
  ['list_to_map', listToMap],
  ['makemap', makemap],
]

/** Simple values that were seen, so that what is equal to one by `==` is found without comparing with each. */
class Simple {
  /** What a string on the left is equal to, and what an integer is. */
  private readonly texts = new Set<string>()
  private readonly numbers = new Set<bigint>()

  add(value: string | bigint): void {
    this.texts.add(String(value))
    const number = typeof value === 'bigint' ? value : integerIn(value)
    if (number !== undefined) this.numbers.add(number)
  }

  has(value: string | bigint): boolean {
    return typeof value === 'bigint' ? this.numbers.has(value) : this.texts.has(value)
  }
}

function isSimple(value: Value): value is string | bigint {
  return typeof value === 'string' || typeof value === 'bigint'
}

/** Accounts for comparing an element with so many others. */
function compares(call: Call, others: number, { value }: Cell): void {
  call.env.run.budget.work(others * (1 + (extentOf(value) >> 3)))
}

/** Keeps the first of equal values; simple ones are looked up, so that long lists stay fast. */
function uniq(call: Call): Value {
  count(call, 1, 1, 'uniq takes exactly 1 argument')
  const source = list(call.args[0], 'invalid type for function uniq')
  const seen = new Simple()
  const kept: Cell[] = []
  const others: Value[] = []
  for (const cell of source.cells) {
    const { value } = cell
    if (isSimple(value) && seen.has(value)) continue
    const rivals = isSimple(value) ? others : kept.map((one) => one.value)
    compares(call, rivals.length, cell)
    if (rivals.some((rival) => equalOr(value, rival))) continue
    kept.push(cell)
    if (isSimple(value)) seen.add(value)
    else others.push(value)
  }
  return new List(kept)
}

function element(call: Call): Value {
  count(call, 2, 2, 'element takes exactly 2 arguments')
  const [source, at] = call.args
  if (source === null || at === null) return failure('function element does not take nil arguments')
  if (source instanceof List) {
    const index = elementIndex(at)
    if (index >= BigInt(source.size)) return failure('index greater or equal list size')
    if (index < 0n) return failure('index lower than 0')
    return source.at(Number(index))?.value ?? null
  }
  if (!(source instanceof Dict)) return failure('invalid type for first argument of function element')
  if (typeof at !== 'string') return failure(`map key (${String(at)}) must be of type string`)
  const found = source.get(at)
  return found === undefined ? failure(`map key '${at}' not found`) : found.value
}

function elementIndex(at: Value | undefined): bigint {
  if (typeof at === 'bigint') return at
  if (typeof at !== 'string') return failure('invalid type of index argument for function element')
  return /^[-+]?[0-9]+$/.test(at)
    ? BigInt(at.replace('+', ''))
    : failure(`invalid value '${at}' of index argument for function element`)
}

function contains(call: Call): Value {
  count(call, 2, 2, 'function contains takes exactly two arguments')
  const [source, wanted = null] = call.args
  if (source instanceof List)
    return wanted !== null && source.cells.some((cell) => equalOr(cell.value, wanted))
  if (source instanceof Dict) return typeof wanted === 'string' && source.cells.has(wanted)
  if (typeof source !== 'string')
    return failure('list or string expected for argument one of function contains')
  return source.includes(simple(wanted) ?? failure('invalid type for check string'))
}

function position(call: Call, last: boolean): Value {
  count(call, 2, 2, `function ${call.name} takes exactly two arguments`)
  const [source, wanted = null] = call.args
  if (source instanceof List) {
    if (wanted === null) return -1n
    const same = (cell: Cell): boolean => equalOr(cell.value, wanted)
    return BigInt(last ? source.cells.findLastIndex(same) : source.cells.findIndex(same))
  }
  if (typeof source !== 'string')
    return failure(`list or string expected for argument one of function ${call.name}`)
  const search = simple(wanted) ?? failure('invalid type for check string')
  const at = last ? source.lastIndexOf(search) : source.indexOf(search)
  return BigInt(at < 0 ? -1 : byteLength(source.slice(0, at)))
}

function sort(call: Call): Value {
  count(call, 1, 2, 'sort takes one or two arguments')
  const source = list(call.args[0], 'argument for sort must be a list')
  const less = call.args[1]
  if (less !== undefined && !isLambda(less))
    return failure('second argument for sort must be a lambda function')
  call.env.run.budget.make(source.cells.length)
  try {
    const before = less === undefined ? naturalOrder(source) : lambdaOrder(call, less)
    return new List(stableSort(source.cells, (a, b) => before(a.value, b.value)))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(issueOf('sort failed', [error.issue], true))
  }
}

type Before = (a: Value, b: Value) => boolean

function naturalOrder(source: List): Before {
  const values = source.cells.map((cell) => cell.value)
  if (values.every((value) => typeof value === 'string'))
    return (a, b) => byBytes(a as string, b as string) < 0
  if (values.every((value) => typeof value === 'bigint')) return (a, b) => (a as bigint) < (b as bigint)
  return failure('list elements must either be strings or integers')
}

function lambdaOrder(call: Call, less: Lambda): Before {
  return (a, b) => {
    const result = callLambda(less, [a, b], call.env)
    if (typeof result === 'boolean') return result
    return typeof result === 'bigint' ? result < 0n : failure('lambda must return a bool or integer')
  }
}

function reverse(call: Call): Value {
  count(call, 1, 1, 'reverse requires one argument')
  return new List(list(call.args[0], 'argument for reverse must be a list').cells.toReversed())
}

function intersect(call: Call): Value {
  const lists = call.args.flatMap((value, i) => {
    if (value === null) return []
    return value instanceof List
      ? [value]
      : failure(`intersect: argument ${i}: type '${typeName(value)}' cannot be intersected`)
  })
  const [first, ...rest] = lists
  if (first === undefined) return newList(call, [])
  const others = rest.map(comparable)
  return new List(
    first.cells.filter((cell) => {
      const { value } = cell
      return others.every(({ seen, all, rest: odd }) => {
        if (isSimple(value) && seen.has(value)) return true
        // Lists and maps are equal to none but their like.
        const rivals = typeof value === 'boolean' || typeof value === 'number' ? all : odd
        compares(call, rivals.length, cell)
        return rivals.some((one) => equalOr(value, one.value))
      })
    }),
  )
}

function comparable({ cells }: List): { seen: Simple; all: readonly Cell[]; rest: readonly Cell[] } {
  const seen = new Simple()
  for (const { value } of cells) if (isSimple(value)) seen.add(value)
  return { seen, all: cells, rest: cells.filter(({ value }) => !isSimple(value)) }
}

function compact(call: Call): Value {
  count(call, 1, 1, 'compact takes exactly 1 argument')
  const source = list(call.args[0], 'invalid type for function compact')
  return new List(source.cells.filter(({ value }) => !isEmpty(value)))
}

function isEmpty(value: Value): boolean {
  if (value === null || value === '') return true
  if (value instanceof List) return value.size === 0
  return value instanceof Dict && value.cells.size === 0
}

function keys(call: Call): Value {
  count(call, 1, 1, 'one argument required for keys')
  const [map] = call.args
  return map instanceof Dict ? newList(call, map.keys) : failure('map argument required for keys')
}

/** The key field becomes the key and leaves the entries. */
function listToMap(call: Call): Value {
  count(call, 1, 2, 'list_to_map requires one or two arguments')
  const source = list(call.args[0], 'list_to_map requires a list as first argument')
  const given = call.args[1]
  const field =
    given === undefined
      ? call.env.info.key || 'name'
      : text(given, 'second argument of list_to_map must be a key name')
  const cells = new Map<string, Cell>()
  for (const { value, source: origin } of source.cells) {
    if (!(value instanceof Dict)) return failure('list entries must by maps')
    const key = value.get(field)
    if (key === undefined) return failure(`key field '${field}' not found`)
    const name = text(key.value, `key field '${field}' contains no string value`)
    const rest = new Map(value.cells)
    rest.delete(field)
    cells.set(name, cellOf(new Dict(rest), origin))
  }
  return new Dict(cells)
}

function makemap(call: Call): Value {
  const { args } = call
  if (args.length === 1) return mapOfEntries(args[0])
  if (args.length % 2 !== 0) return failure('mapentry takes one or two arguments')
  const cells = new Map<string, Cell>()
  for (let i = 0; i < args.length; i += 2) {
    const key = simple(args[i]) ?? failure(`invalid type for key value of arument pair ${i / 2}`)
    cells.set(key, cellOf(args[i + 1] ?? null, call.env.stand.made))
  }
  return new Dict(cells)
}

function mapOfEntries(value: Value | undefined): Value {
  const source = list(value, 'single argument flavor of mapentry requires a list')
  const cells = new Map<string, Cell>()
  for (const [i, { value: entry }] of source.cells.entries()) {
    if (!(entry instanceof Dict)) return failure(`entry ${i} is no map entry`)
    const key = entry.get('key') ?? failure(`entry ${i} has no entry 'key'`)
    const item = entry.get('value') ?? failure(`entry ${i} has no entry 'value'`)
    const name = simple(key.value) ?? failure(`invalid type for 'key' value of entry ${i}`)
    cells.set(name, item)
  }
  return new Dict(cells)
}
