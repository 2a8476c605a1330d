/** What an expression works on, and how JSON becomes it and is made of it again. */
import { isExact } from '../../kit/exact.ts'
import { isObject, type Json } from '../../kit/json.ts'
import { Fault } from '../place.ts'
import { plainDecimal } from './numbers.ts'

export type Value =
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, Value> }
  | { readonly kind: 'unknown' }

/** The types of the checker; dynamic is an element of a mixed container, known only when it runs. */
export type Type = Value['kind'] | 'any' | 'dynamic'

/** What leaves an evaluation: all scalars are texts. */
export type Plain = string | readonly Plain[] | { readonly [key: string]: Plain }

/** The text that stands for a value not known yet. */
const unknownMark = '74D93920-ED26-11E3-AC10-0800200C9A66'

/** A text as a value. */
export function text(value: string): Value {
  return value === unknownMark ? { kind: 'unknown' } : { kind: 'string', text: value }
}

/** Deeper values than this are refused, lest they use up the stack. */
const depthMax = 500

/** A JSON value as the brokers hand it over: every scalar becomes a text. */
export function fromJson(value: Json, depth = 0): Value {
  if (depth > depthMax) throw new Fault(`a value is nested deeper than ${depthMax}`)
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return { kind: 'string', text: plainDecimal(value) }
  if (typeof value === 'boolean') return { kind: 'string', text: value ? '1' : '0' }
  if (value === null) return { kind: 'string', text: '' }
  if (isExact(value)) return { kind: 'string', text: value.rawJSON }
  if (Array.isArray(value)) return { kind: 'list', items: value.map((item) => fromJson(item, depth + 1)) }
  return {
    kind: 'map',
    entries: new Map(
      Object.entries(isObject(value) ? value : {}).map(([key, item]) => [
        key,
        fromJson(item as Json, depth + 1),
      ]),
    ),
  }
}

/** A list or map as plain data; scalars in it are texts. */
export function toPlain(value: Value): Plain {
  switch (value.kind) {
    case 'string':
      return value.text
    case 'list':
      return value.items.map(toPlain)
    case 'map':
      return Object.fromEntries([...value.entries].map(([key, item]) => [key, toPlain(item)]))
    case 'int':
    case 'float':
    case 'bool':
      return String(value.value)
    case 'unknown':
      return unknownMark
  }
}

/** Whether a value or anything in it is unknown. */
export function holdsUnknown(value: Value): boolean {
  if (value.kind === 'list') return value.items.some(holdsUnknown)
  if (value.kind === 'map') return [...value.entries.values()].some(holdsUnknown)
  return value.kind === 'unknown'
}

/** Order by code points, which is the order of the bytes of UTF-8. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Surrogates stand for what lies behind all other units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2000 : unit
}

/** "TypeString": the name of a type in messages about operands. */
export function typeName(type: Type): string {
  return `Type${type.charAt(0).toUpperCase()}${type.slice(1)}`
}
