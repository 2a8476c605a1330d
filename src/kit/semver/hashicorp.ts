/** Versions as go-version reads them, the library of Terraform and cloud-service-broker: any count of numbers; their order, and constraints. */
import { order } from './prerelease.ts'

export interface Version {
  /** At least three. */
  readonly numbers: readonly bigint[]
  /** How many of them were written. */
  readonly given: number
  readonly prerelease: string
}

const metadata = '(?:\\+[0-9A-Za-z~-]+(?:\\.[0-9A-Za-z~-]+)*)?'
const form = `v?([0-9]+(?:\\.[0-9]+)*)(?:-([0-9]+[0-9A-Za-z~-]*(?:\\.[0-9A-Za-z~-]+)*)|-?([A-Za-z~-]+[0-9A-Za-z~-]*(?:\\.[0-9A-Za-z~-]+)*))?${metadata}`
const versionForm = new RegExp(`^${form}$`)
const constraintForm = new RegExp(`^\\s*(!=|>=|<=|~>|=|>|<|)\\s*(${form})\\s*$`)
const numberMax = 2n ** 63n
const textMax = 1000

/** A version; missing numbers are zero. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > textMax) return undefined
  const [, core, digits, words] = versionForm.exec(text) ?? []
  if (core === undefined) return undefined
  const numbers = core.split('.').map(BigInt)
  if (numbers.some((one) => one >= numberMax)) return undefined
  const given = numbers.length
  while (numbers.length < 3) numbers.push(0n)
  return { numbers, given, prerelease: digits ?? words ?? '' }
}

/** -1, 0 or 1; build data does not count. */
export function compareVersions(a: Version, b: Version): number {
  return compareNumbers(a, b) || comparePrereleases(a.prerelease, b.prerelease)
}

function compareNumbers(a: Version, b: Version): number {
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
    const compared = order(a.numbers[i] ?? 0n, b.numbers[i] ?? 0n)
    if (compared !== 0) return compared
  }
  return 0
}

function comparePrereleases(a: string, b: string): number {
  if (a === b) return 0
  if (a === '') return 1
  if (b === '') return -1
  const left = a.split('.')
  const right = b.split('.')
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const compared = compareParts(left[i] ?? '', right[i] ?? '')
    if (compared !== 0) return compared
  }
  return 0
}

/** Unlike semver: a part that is missing is lower than a number, and higher than a word. */
function compareParts(a: string, b: string): number {
  if (a === b) return 0
  const [x, y] = [numberOf(a), numberOf(b)]
  if (a === '') return y === undefined ? 1 : -1
  if (b === '') return x === undefined ? -1 : 1
  if (x !== undefined && y !== undefined) return order(x, y)
  if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1
  return order(a, b)
}

function numberOf(part: string): bigint | undefined {
  if (!/^-?[0-9]+$/.test(part)) return undefined
  const value = BigInt(part)
  return value < numberMax && value >= -numberMax ? value : undefined
}

export interface Constraint {
  readonly operator: string
  readonly version: Version
}

/** Conditions that must all hold, by commas; undefined for what is no constraint. */
export function parseConstraints(text: string): readonly Constraint[] | undefined {
  if (text.length > textMax) return undefined
  const constraints: Constraint[] = []
  for (const part of text.split(',')) {
    const [, operator = '', written = ''] = constraintForm.exec(part) ?? []
    const version = parseVersion(written)
    if (version === undefined) return undefined
    constraints.push({ operator, version })
  }
  return constraints
}

export function satisfies(version: Version, constraints: readonly Constraint[]): boolean {
  return constraints.every((constraint) => holds(version, constraint))
}

function holds(version: Version, { operator, version: bound }: Constraint): boolean {
  const compared = compareVersions(version, bound)
  if (operator === '' || operator === '=') return compared === 0
  if (operator === '!=') return compared !== 0
  if (!mayCompare(version, bound)) return false
  switch (operator) {
    case '>':
      return compared > 0
    case '<':
      return compared < 0
    case '>=':
      return compared >= 0
    case '<=':
      return compared <= 0
    default:
      return compared >= 0 && isNear(version, bound)
  }
}

/** Pre-releases fit only what speaks of one of the same numbers. */
function mayCompare(version: Version, bound: Version): boolean {
  if (version.prerelease === '') return true
  return bound.prerelease !== '' && compareNumbers(version, bound) === 0
}

/** `~>`: all numbers that were written but the last are the same. */
function isNear(version: Version, bound: Version): boolean {
  if (bound.prerelease !== '' && version.prerelease === '') return false
  if (bound.numbers.length > version.numbers.length) return false
  const last = bound.numbers.length - 1
  const same = bound.numbers.slice(0, bound.given - 1).every((one, i) => one === version.numbers[i])
  return same && (version.numbers[last] ?? 0n) >= (bound.numbers[last] ?? 0n)
}
