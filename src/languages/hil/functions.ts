/** The functions a definition may call; what lies outside of the expression comes through ports. */
import { toBase64 } from '../../kit/bytes.ts'
import { compilePattern } from '../../kit/pattern.ts'
import { Fault } from '../place.ts'
import type { Budget } from './budget.ts'
import type { Functions, HilFunction } from './scope.ts'
import { byCodePoint, type Value } from './values.ts'

/** What an evaluation may reach; a function whose port is absent ends with a fault. */
export interface Ports {
  /** Nanoseconds since 1970. */
  nanoseconds?(): bigint
  /** 1, 2, 3 … for the whole process. */
  nextCount?(): bigint
  random?(bytes: number): Uint8Array
  environment?(name: string): string | undefined
  configuration?(name: string): string | undefined
}

export interface FunctionOptions {
  /** Cut texts inside a character, as the originals do, instead of before it. */
  readonly cutInsideCharacters?: boolean
}

const string = 'string'
const randomBytesMax = 1 << 16
const patternMax = 10_000
/** What one character of an expression may take to compile, a class of Unicode being the worst. */
const compilingUnits = 256

/** The table of all functions of both brokers. */
export function brokerFunctions(ports: Ports, options: FunctionOptions = {}): Functions {
  return new Map([...texts(options), ...structures(), ...surroundings(ports)])
}

function texts(options: FunctionOptions): readonly (readonly [string, HilFunction])[] {
  return [
    [
      'str.truncate',
      {
        args: ['int', string],
        returns: string,
        doc: 'The first n bytes of a text.',
        run: ([length, text]) => ofText(cut(textOf(text), intOf(length), options)),
      },
    ],
    [
      'str.queryEscape',
      {
        args: [string],
        returns: string,
        doc: 'The text as a part of a URL query; a space becomes "+".',
        run: ([text]) => ofText(queryEscape(textOf(text))),
      },
    ],
    [
      'regexp.matches',
      {
        args: [string, string],
        returns: 'bool',
        doc: 'Whether a regular expression (RE2) is found in a text.',
        run: ([pattern, text], budget) => ofBool(matches(textOf(pattern), textOf(text), budget)),
      },
    ],
    [
      'assert',
      {
        args: ['bool', string],
        returns: 'bool',
        doc: 'Ends the evaluation with a message unless the condition holds.',
        run: ([condition, message]) => {
          if (condition?.kind === 'bool' && condition.value) return condition
          throw new Fault(`assertion failed: ${textOf(message)}`)
        },
      },
    ],
  ]
}

function structures(): readonly (readonly [string, HilFunction])[] {
  return [
    [
      'json.marshal',
      {
        args: ['any'],
        returns: string,
        doc: 'A value as compact JSON with sorted keys; scalars inside lists and maps are texts.',
        run: ([value]) => {
          const whole = value ?? { kind: 'list', items: [] }
          return ofText(whole.kind === 'list' && whole.items.length === 0 ? 'null' : marshal(whole))
        },
      },
    ],
    [
      'map.flatten',
      {
        args: [string, string, 'map'],
        returns: string,
        doc: 'The entries of a map as "key separator value", sorted and joined.',
        run: ([between, after, map], budget) => {
          const entries = map?.kind === 'map' ? [...map.entries] : []
          budget.spend(entries.length * (textOf(between).length + textOf(after).length))
          return ofText(
            entries
              .map(([key, item]) => `${key}${textOf(between)}${goText(item)}`)
              .sort(byCodePoint)
              .join(textOf(after)),
          )
        },
      },
    ],
  ]
}

function surroundings(ports: Ports): readonly (readonly [string, HilFunction])[] {
  return [
    [
      'time.nano',
      {
        args: [],
        returns: string,
        doc: 'Nanoseconds since 1970 in UTC.',
        run: () => ofText(String(granted(ports.nanoseconds, 'the time')())),
      },
    ],
    [
      'counter.next',
      {
        args: [],
        returns: 'int',
        doc: 'One more than at the last call, beginning with 1 when the process starts.',
        run: () => ({ kind: 'int', value: granted(ports.nextCount, 'a counter')() }),
      },
    ],
    [
      'rand.base64',
      {
        args: ['int'],
        returns: string,
        doc: 'So many random bytes in URL-safe Base64 with padding.',
        run: ([count]) => {
          const bytes = Number(intOf(count))
          if (bytes < 0 || bytes > randomBytesMax) {
            throw new Fault(`cannot make ${bytes} random bytes: only 0 to ${randomBytesMax}`)
          }
          return ofText(urlSafe(granted(ports.random, 'randomness')(bytes)))
        },
      },
    ],
    [
      'env',
      {
        args: [string],
        returns: string,
        doc: 'An environment variable of the broker.',
        run: ([name]) =>
          ofText(
            present(
              granted(ports.environment, 'the environment')(textOf(name)),
              'environment variable',
              name,
            ),
          ),
      },
    ],
    [
      'config',
      {
        args: [string],
        returns: string,
        doc: 'A value of the configuration of the broker.',
        run: ([name]) =>
          ofText(
            present(granted(ports.configuration, 'the configuration')(textOf(name)), 'config value', name),
          ),
      },
    ],
  ]
}

function granted<T>(port: T | undefined, what: string): T {
  if (port === undefined) throw new Fault(`${what} is not granted here`)
  return port
}

function present(value: string | undefined, what: string, name: Value | undefined): string {
  if (value === undefined) throw new Fault(`missing ${what} ${textOf(name)}`)
  return value
}

function matches(source: string, text: string, budget: Budget): boolean {
  if (source.length > patternMax) {
    throw new Fault(`a regular expression of more than ${patternMax} characters`)
  }
  budget.spend(source.length * compilingUnits)
  const pattern = compilePattern(source)
  if (pattern.kind === 'refused') throw new Fault(pattern.message)
  budget.spend(Math.ceil((text.length * pattern.weight) / 4))
  return pattern.found(text)
}

function cut(text: string, length: bigint, options: FunctionOptions): string {
  if (length < 0n) throw new Fault(`cannot cut to ${length} bytes`)
  let left = Number(length)
  let kept = 0
  for (const sign of text) {
    const size = bytesOf(sign)
    if (size > left) {
      // The bytes of half a character are shown as one replacement each.
      const halves = options.cutInsideCharacters ? '\ufffd'.repeat(left) : ''
      return `${text.slice(0, kept)}${halves}`
    }
    left -= size
    kept += sign.length
  }
  return text
}

function bytesOf(sign: string): number {
  const code = sign.codePointAt(0) ?? 0
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}

/** What forms write otherwise than components of addresses. */
const formSigns: Readonly<Record<string, string>> = {
  '%20': '+',
  '!': '%21',
  '*': '%2A',
  "'": '%27',
  '(': '%28',
  ')': '%29',
}

function queryEscape(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%20|[!*'()]/g, (sign) => formSigns[sign] ?? sign)
}

function urlSafe(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_')
}

function marshal(value: Value): string {
  switch (value.kind) {
    case 'string':
      return marshalText(value.text)
    case 'int':
    case 'bool':
      return String(value.value)
    case 'float':
      if (!Number.isFinite(value.value)) throw new Fault(`json: unsupported value: ${goFloat(value.value)}`)
      return Object.is(value.value, -0) ? '-0' : String(value.value)
    case 'list':
      return `[${value.items.map(marshal).join(',')}]`
    case 'map':
      return `{${sorted(value.entries)
        .map(([key, item]) => `${marshalText(key)}:${marshal(item)}`)
        .join(',')}}`
    case 'unknown':
      return 'null'
  }
}

function marshalText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function goFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}

/** Lists and maps inside a flattened map look as Go prints them. */
function goText(value: Value): string {
  switch (value.kind) {
    case 'list':
      return `[${value.items.map(goText).join(' ')}]`
    case 'map':
      return `map[${sorted(value.entries)
        .map(([key, item]) => `${key}:${goText(item)}`)
        .join(' ')}]`
    default:
      return textOf(value)
  }
}

function sorted(entries: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  return [...entries].sort(([a], [b]) => byCodePoint(a, b))
}

function textOf(value: Value | undefined): string {
  return value?.kind === 'string' ? value.text : ''
}

function intOf(value: Value | undefined): bigint {
  return value?.kind === 'int' ? value.value : 0n
}

function ofText(text: string): Value {
  return { kind: 'string', text }
}

function ofBool(value: boolean): Value {
  return { kind: 'bool', value }
}
