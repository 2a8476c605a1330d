/** The conditions that `validate` knows by name. */

import { certificateFault, privateKeyFault, publicKeyFault } from '../../../kit/certificates.ts'
import { parseVersion } from '../../../kit/semver/masterminds.ts'
import type { Call } from '../env.ts'
import { floatText, goQuote } from '../go-text.ts'
import { parseAddress, parseNetwork } from '../ip.ts'
import { failure } from '../issue.ts'
import { equalOr } from '../operators.ts'
import { byBytes, Dict, List, typeName, type Value } from '../value.ts'
import { domainFaults, labelFaults, wildcardFaults } from './names.ts'
import { matches, pattern } from './pattern.ts'
import { semverFaults } from './semver.ts'

interface Verdict {
  readonly ok: boolean
  readonly message: string
}

interface Subject {
  readonly call: Call
  readonly value: Value
  readonly args: readonly Value[]
  judge(value: Value, condition: Value): Verdict
}

type Validator = (subject: Subject) => Verdict

function verdict(ok: boolean, good: string, bad: string): Verdict {
  return { ok, message: ok ? good : bad }
}

function string(value: Value, name: string): string {
  return typeof value === 'string'
    ? value
    : failure(`${name}: ${name} requires string, but got ${typeName(value)}`)
}

/** A string that has no faults of a kind. */
function named(name: string, what: string, faults: (text: string) => readonly string[]): Validator {
  return ({ value }) => {
    const found = faults(string(value, name))
    return verdict(found.length === 0, `is ${what}`, `is no ${what}: [${found.join(' ')}]`)
  }
}

function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length
  if (value instanceof List) return value.size
  return value instanceof Dict ? value.cells.size : failure(`invalid type for empty: ${typeName(value)}`)
}

function empty({ value }: Subject): Verdict {
  return verdict(sizeOf(value) === 0, 'is empty', 'is not empty')
}

function ip({ value }: Subject): Verdict {
  const text = string(value, 'ip')
  return verdict(parseAddress(text) !== undefined, 'is ip address', `is no ip address: ${text}`)
}

function cidr({ value }: Subject): Verdict {
  const text = string(value, 'cidr')
  return verdict(parseNetwork(text) !== undefined, 'is CIDR', `is no CIDR: invalid CIDR address: ${text}`)
}

function semver({ call, value, args }: Subject): Verdict {
  const text = string(value, 'semver')
  const version = parseVersion(text)
  if (version === undefined) return verdict(false, '', `semver: "${text}": Invalid Semantic Version`)
  const constraints = args.map((arg) =>
    typeof arg === 'string' ? arg : failure('semver: constraint must be a string'),
  )
  const faults = semverFaults(version, constraints, call.name)
  return verdict(faults.length === 0, 'is semver', `[${faults.join(' ')}]`)
}

function type({ value, args }: Subject): Verdict {
  const names = args.map((arg) =>
    typeof arg === 'string' ? arg : failure('type: type name must be a string'),
  )
  if (names.length === 0) return failure('type: type name required')
  const own = typeName(value)
  const bad = names.map((name) => `is not of type ${name}`)
  return verdict(
    names.includes(own),
    `is of type ${own}`,
    bad.length === 1 ? (bad[0] ?? '') : `(${bad.join(' and ')})`,
  )
}

function shown(value: Value): string {
  if (typeof value === 'string') return ` ${goQuote(value)}`
  if (typeof value === 'number') return ` ${floatText(value)}`
  return typeof value === 'bigint' || typeof value === 'boolean' ? ` ${value}` : ''
}

function valueset({ value, args }: Subject): Verdict {
  const [set] = args
  if (!(set instanceof List)) return failure('valueset: list of values required')
  const known = set.cells.some((cell) => equalOr(value, cell.value))
  return verdict(known, `valid value${shown(value)}`, `invalid value${shown(value)}`)
}

function value({ value: own, args }: Subject): Verdict {
  const [wanted] = args
  if (wanted === undefined) return failure('value: value required')
  return verdict(equalOr(own, wanted), `valid value${shown(own)}`, `invalid value${shown(own)}`)
}

function order(own: Value, bound: Value | undefined): number {
  if (typeof bound === 'string')
    return typeof own === 'string' ? byBytes(own, bound) : failure('must be string to compare to string')
  if (typeof bound !== 'bigint' && typeof bound !== 'number')
    return failure('number or string required to compare to')
  if (typeof own !== 'bigint' && typeof own !== 'number')
    return failure('must be number to compare to number')
  if (own < bound) return -1
  return own > bound ? 1 : 0
}

function compared(holds: (order: number) => boolean, good: string, bad: string): Validator {
  return ({ value: own, args }) => {
    const bound = typeof args[0] === 'string' ? args[0] : shown(args[0] ?? null).trim()
    return verdict(holds(order(own, args[0])), `${good} ${bound}`, `${bad} ${bound}`)
  }
}

const greater = compared((o) => o > 0, 'greater than', 'less or equal to')
// The original mixes these two up; the words are compared.
const less = compared((o) => o < 0, 'less than', 'greater than')
const atLeast = compared((o) => o >= 0, 'greater or equal to', 'less than')
const atMost = compared((o) => o <= 0, 'less or equal to', 'greater or equal to')

function match({ call, value: own, args }: Subject): Verdict {
  const [source] = args
  if (typeof source !== 'string') return failure('regexp required')
  if (typeof own !== 'string') return failure('no string to match regexp')
  const re = pattern(call, source, own.length, `regexp ${source}: `)
  return verdict(
    matches(re, own, 1).length > 0,
    `valid value ${goQuote(own)}`,
    `invalid value ${goQuote(own)}`,
  )
}

function listOf({ value: own, args, judge }: Subject): Verdict {
  if (!(own instanceof List)) return verdict(false, '', 'is no list')
  for (const [i, cell] of own.cells.entries())
    for (const [j, condition] of args.entries()) {
      const result = judge(cell.value, condition)
      if (!result.ok) return verdict(false, '', `entry ${i} condition ${j} ${result.message}`)
    }
  return verdict(true, 'all entries match all conditions', '')
}

function mapOf({ value: own, args, judge }: Subject): Verdict {
  if (!(own instanceof Dict)) return verdict(false, '', 'is no map')
  const [keyCondition, valueCondition] = args.length > 1 ? args : [undefined, args[0]]
  for (const key of own.keys) {
    const byKey = keyCondition === undefined ? undefined : judge(key, keyCondition)
    if (byKey !== undefined && !byKey.ok)
      return verdict(false, '', `map key ${goQuote(key)} ${byKey.message}`)
    const byValue =
      valueCondition === undefined ? undefined : judge(own.get(key)?.value ?? null, valueCondition)
    if (byValue !== undefined && !byValue.ok)
      return verdict(false, '', `map entry ${goQuote(key)} ${byValue.message}`)
  }
  return verdict(true, 'all map entries and keys match', '')
}

function field(required: boolean): Validator {
  return ({ value: own, args: [name, condition], judge }) => {
    if (typeof name !== 'string') return failure('field name required')
    if (!(own instanceof Dict)) return verdict(false, '', 'is no map')
    const cell = own.get(name)
    if (cell === undefined)
      return verdict(!required, `has no field ${goQuote(name)}`, `has no field ${goQuote(name)}`)
    const result = condition === undefined ? undefined : judge(cell.value, condition)
    if (result === undefined || result.ok) return verdict(true, `map entry ${goQuote(name)} valid`, '')
    return verdict(false, '', `map entry ${goQuote(name)} ${result.message}`)
  }
}

function and({ value: own, args, judge }: Subject): Verdict {
  const results = args.map((condition) => judge(own, condition))
  const bad = results.find(({ ok }) => !ok)
  return (
    bad ??
    verdict(
      true,
      results.length === 1 ? (results[0]?.message ?? '') : `(${results.map((r) => r.message).join(' and ')})`,
      '',
    )
  )
}

/** With a single alternative the original always succeeds. */
function or({ value: own, args, judge }: Subject): Verdict {
  const results = args.map((condition) => judge(own, condition))
  const good = results.find(({ ok }) => ok)
  if (good !== undefined) return good
  const message = results.map((result) => result.message).join(' and ')
  return verdict(results.length === 1, message, `(${message})`)
}

function not({ value: own, args, judge }: Subject): Verdict {
  const [condition] = args
  if (condition === undefined) return failure('validator argument required')
  const result = judge(own, condition)
  return { ok: !result.ok, message: result.message }
}

/** The table of conditions. */
export const validators: Readonly<Record<string, Validator>> = Object.assign(Object.create(null), {
  empty,
  ip,
  cidr,
  semver,
  type,
  valueset,
  value,
  '=': value,
  gt: greater,
  '>': greater,
  lt: less,
  '<': less,
  ge: atLeast,
  '>=': atLeast,
  le: atMost,
  '<=': atMost,
  match,
  '~=': match,
  list: listOf,
  map: mapOf,
  mapfield: field(true),
  optionalfield: field(false),
  and,
  or,
  not,
  '!': not,
  dnslabel: named('dnslabel', 'dns label', labelFaults),
  dnsdomain: named('dnsdomain', 'dns domain', domainFaults),
  wildcarddnsdomain: named('wildcarddnsdomain', 'wildcard dns domain', wildcardFaults),
  dnsname: named('dnsname', 'dns name', (text) =>
    text.startsWith('*.') ? wildcardFaults(text) : domainFaults(text),
  ),
  publickey: pem('publickey', 'public key', publicKeyFault),
  privatekey: pem('privatekey', 'private key', privateKeyFault),
  certificate: pem('certificate', 'certificate', (text) => certificateFault(text, false)),
  ca: pem('ca', 'certificate', (text) => certificateFault(text, true)),
})

function pem(name: string, what: string, fault: (text: string) => string | undefined): Validator {
  return ({ value: own }) => {
    const found = fault(string(own, name))
    return verdict(found === undefined, `is ${what}`, `is no ${what}: ${found}`)
  }
}
