/** Functions between types, on numbers, and to text formats. */
import type { Call, SpiffFunction } from '../env.ts'
import { floatText } from '../go-text.ts'
import { failure } from '../issue.ts'
import { writeJson } from '../json-write.ts'
import { Dict, List, typeName, type Value } from '../value.ts'
import { parseFloating } from '../yaml-scalar.ts'
import { writeYaml } from '../yaml-write.ts'
import { count } from './arguments.ts'

export const convertFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['type', type],
  ['string', string],
  ['integer', integer],
  ['float', float],
  ['bool', bool],
  ['asjson', (call) => one(call, 'asjson takes exactly one argument', writeJson)],
  ['asyaml', (call) => one(call, 'asyaml takes exactly one argument', writeYaml)],
  ...rounding(),
  ...real(),
  ['abs', abs],
]

function one(call: Call, message: string, run: (value: Value) => string): Value {
  count(call, 1, 1, message)
  call.env.run.budget.print(call.args[0] ?? null)
  const text = run(call.args[0] ?? null)
  call.env.run.budget.text(text.length)
  return text
}

/** Undefined has a type of its own. */
function type(call: Call): Value {
  if (call.env.info.undefined) {
    call.env.info.undefined = false
    return 'undef'
  }
  return call.args.length === 0 ? failure('type requires one argument') : typeName(call.args[0] ?? null)
}

function goType(value: Value): string {
  if (value === null) return '<nil>'
  if (value instanceof List) return '[]yaml.Node'
  if (value instanceof Dict) return 'map[string]yaml.Node'
  return typeof value === 'object' ? typeName(value) : `${typeName(value)}`
}

function string(call: Call): Value {
  const [value, base] = call.args
  if (typeof value === 'bigint') {
    count(call, 1, 2, 'string for integers requires one or two arguments')
    if (base === undefined) return String(value)
    if (typeof base !== 'bigint') return failure('base argument for string requires integer value')
    if (base < 2n || base > 36n)
      return failure('base argument for string requires integer value >=2 and <=36 ')
    return value.toString(Number(base))
  }
  count(call, 1, 1, 'string requires one argument')
  if (typeof value === 'string') return value
  if (typeof value === 'number') return floatText(value)
  return typeof value === 'boolean'
    ? String(value)
    : failure(`cannot convert ${goType(value ?? null)} to string`)
}

const smallest = -(2n ** 63n)

/** Truncates; what does not fit becomes the smallest integer. */
function toInteger(value: number): bigint {
  if (!(Math.abs(value) < 2 ** 63)) return smallest
  return BigInt(Math.trunc(value))
}

function integer(call: Call): Value {
  count(call, 1, 1, 'integer requires one argument')
  const [value = null] = call.args
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return toInteger(value)
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value !== 'string') return failure(`cannot convert ${goType(value)} to integer`)
  const parsed = /^[-+]?[0-9]+$/.test(value) ? BigInt(value.replace('+', '')) : undefined
  if (parsed !== undefined && BigInt.asIntN(64, parsed) === parsed) return parsed
  return failure(`"${value}" is no integer value`)
}

function float(call: Call): Value {
  count(call, 1, 1, 'float requires one argument')
  const [value = null] = call.args
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return failure(`cannot convert ${goType(value)} to float`)
  if (/^[-+]?(?:inf|infinity)$/i.test(value))
    return value.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return parseFloating(value) ?? failure(`"${value}" is no float value`)
}

const truths = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const falsehoods = new Set(['', '0', 'f', 'F', 'FALSE', 'false', 'False'])

function bool(call: Call): Value {
  count(call, 1, 1, 'bool requires one argument')
  const [value = null] = call.args
  if (value === null) return false
  if (typeof value === 'boolean') return value
  if (typeof value === 'bigint') return value !== 0n
  if (typeof value === 'number') return value !== 0
  if (typeof value !== 'string') return failure(`cannot convert ${goType(value)} to bool`)
  if (truths.has(value)) return true
  return falsehoods.has(value) ? false : failure(`"${value}" is no bool value`)
}

function rounding(): readonly (readonly [string, SpiffFunction])[] {
  const table: Readonly<Record<string, (value: number) => number>> = {
    ceil: Math.ceil,
    floor: Math.floor,
    // Half away from zero, as Go rounds.
    round: (value) => Math.sign(value) * Math.round(Math.abs(value)),
    roundtoeven: (value) => {
      const floor = Math.floor(value)
      if (value - floor !== 0.5) return Math.round(value)
      return floor % 2 === 0 ? floor : floor + 1
    },
  }
  return Object.entries(table).map(([name, round]) => [name, (call) => rounded(call, round)] as const)
}

function rounded(call: Call, round: (value: number) => number): Value {
  count(call, 1, 1, `${call.name} requires one argument`)
  const [value = null] = call.args
  if (typeof value === 'bigint') return value
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value !== 'number') return failure(`invalid argument type for ${call.name}: ${typeName(value)}`)
  return toInteger(round(value))
}

function real(): readonly (readonly [string, SpiffFunction])[] {
  const { sin, cos, sinh, cosh, asin, acos, asinh, acosh, sqrt, exp, log, log10 } = Math
  const table = { sin, cos, sinh, cosh, asin, acos, asinh, acosh, sqrt, exp, log, log10 }
  return Object.entries(table).map(([name, run]) => [name, (call) => realOf(call, run)] as const)
}

function realOf(call: Call, run: (value: number) => number): Value {
  count(call, 1, 1, `${call.name} requires one argument`)
  const [value = null] = call.args
  if (typeof value !== 'bigint' && typeof value !== 'number')
    return failure(`invalid argument type for ${call.name}: ${typeName(value)}`)
  const result = run(Number(value))
  return Number.isNaN(result) ? failure(`${call.name}: NaN`) : result
}

function abs(call: Call): Value {
  count(call, 1, 1, 'abs requires one argument')
  const [value = null] = call.args
  if (typeof value === 'bigint') return BigInt.asIntN(64, value < 0n ? -value : value)
  return typeof value === 'number'
    ? Math.abs(value)
    : failure(`invalid argument type for abs: ${typeName(value)}`)
}
