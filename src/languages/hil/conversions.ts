/** Which type becomes which where another is demanded, and how. */
import { Fault } from '../place.ts'
import {
  faultOf,
  type Parsed,
  parseBoolean,
  parseFloating,
  parseInteger,
  printFloat,
  truncate,
} from './numbers.ts'
import { type Type, text, typeName, type Value } from './values.ts'

type Scalar = 'string' | 'int' | 'float' | 'bool'
export type Converts = (from: Type, to: Type) => boolean

const table: Readonly<Record<Scalar, readonly Type[]>> = {
  float: ['int', 'string'],
  int: ['float', 'string'],
  string: ['int', 'float', 'bool'],
  bool: ['string'],
}

/** The conversions of the original; an element of a mixed container may turn out to be anything. */
export function converts(from: Type, to: Type): boolean {
  if (from === 'dynamic') return true
  return from in table && table[from as Scalar].includes(to)
}

/** An evaluation that came to a fault. It is handed on as an answer: to throw it costs more than most evaluations. */
export interface Broken {
  readonly kind: 'fault'
  readonly fault: Fault
}

/** A value as another type; only what `converts` allows is asked for. */
export function convert(value: Value, to: Type): Value | Broken {
  if (value.kind === to) return value
  switch (to) {
    case 'string':
      return text(printed(value))
    case 'int':
      if (value.kind === 'float') return { kind: 'int', value: truncate(value.value) }
      return read(value, parseInteger, { to, name: 'StringToInt', inner: 'ParseInt' })
    case 'float':
      if (value.kind === 'int') return { kind: 'float', value: Number(value.value) }
      return read(value, parseFloating, { to, name: 'StringToFloat', inner: 'ParseFloat' })
    case 'bool':
      return read(value, parseBoolean, { to, name: 'StringToBool', inner: 'ParseBool' })
    default:
      throw new Fault(`cannot use ${typeName(value.kind)} as ${typeName(to)}`)
  }
}

/** A scalar as text. */
export function printed(value: Value): string {
  switch (value.kind) {
    case 'string':
      return value.text
    case 'int':
    case 'bool':
      return String(value.value)
    case 'float':
      return printFloat(value.value)
    default:
      throw new Fault(`cannot use ${typeName(value.kind)} as TypeString`)
  }
}

/** Conversions are functions in the original, and their faults name them. */
function read<T, K extends Type>(
  value: Value,
  reader: (text: string) => Parsed<T>,
  { to, name, inner }: { readonly to: K; readonly name: string; readonly inner: string },
): { readonly kind: K; readonly value: T } | Broken {
  if (value.kind !== 'string') {
    throw new Fault(`cannot use ${typeName(value.kind)} where a text is wanted`)
  }
  const parsed = reader(value.text)
  if (parsed.kind === 'ok') return { kind: to, value: parsed.value }
  return { kind: 'fault', fault: faultOf(parsed.why, `__builtin_${name}: strconv.${inner}`, value.text) }
}
