/** Which type becomes which where another is demanded, and how. */
import { Fault } from '../place.ts'
import {
  must,
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

/** A value as another type; only what `converts` allows is asked for. */
export function convert(value: Value, to: Type): Value {
  if (value.kind === to) return value
  switch (to) {
    case 'string':
      return text(printed(value))
    case 'int':
      if (value.kind === 'float') return { kind: 'int', value: truncate(value.value) }
      return { kind: 'int', value: read(value, parseInteger, 'StringToInt', 'ParseInt') }
    case 'float':
      if (value.kind === 'int') return { kind: 'float', value: Number(value.value) }
      return { kind: 'float', value: read(value, parseFloating, 'StringToFloat', 'ParseFloat') }
    case 'bool':
      return { kind: 'bool', value: read(value, parseBoolean, 'StringToBool', 'ParseBool') }
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
function read<T>(value: Value, reader: (text: string) => Parsed<T>, name: string, inner: string): T {
  if (value.kind !== 'string') {
    throw new Fault(`cannot use ${typeName(value.kind)} where a text is wanted`)
  }
  const parsed = reader(value.text)
  return must(parsed, `__builtin_${name}: strconv.${inner}`, value.text)
}
