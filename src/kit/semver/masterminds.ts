/** Semantic versions as Masterminds' library reads them, which Porter and spiff ask: leniently; their order, and constraints. */
import { comparePrereleases, order } from './prerelease.ts'

export interface Version {
  readonly prefix: string
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  readonly prerelease: string
  readonly metadata: string
}

const form =
  /^(v?)([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/

const numberMax = 2n ** 64n

/** A version; missing parts are zero. */
export function parseVersion(text: string): Version | undefined {
  const found = form.exec(text)
  if (found === null || found.slice(2, 5).some((one) => BigInt(one ?? '0') >= numberMax)) return undefined
  const [, prefix = '', major = '0', minor = '0', patch = '0', prerelease = '', metadata = ''] = found
  return { prefix, major: BigInt(major), minor: BigInt(minor), patch: BigInt(patch), prerelease, metadata }
}

export function versionText({ prefix, major, minor, patch, prerelease, metadata }: Version): string {
  const tail = `${prerelease === '' ? '' : `-${prerelease}`}${metadata === '' ? '' : `+${metadata}`}`
  return `${prefix}${major}.${minor}.${patch}${tail}`
}

/** -1, 0 or 1; metadata does not count. */
export function compareVersions(a: Version, b: Version): number {
  return (
    order(a.major, b.major) ||
    order(a.minor, b.minor) ||
    order(a.patch, b.patch) ||
    comparePrereleases(a.prerelease, b.prerelease)
  )
}

interface Constraint {
  readonly op: string
  readonly version: Version
  /** The version as written. */
  readonly text: string
  /** Parts that were left out or wild. */
  readonly wild: 'none' | 'patch' | 'minor' | 'all'
}

/** Conditions that must all hold. */
interface Alternative {
  readonly constraints: readonly Constraint[]
  /** Whether one of them speaks of a pre-release: only then do pre-releases match any of them. */
  readonly prereleases: boolean
}

export type Constraints = { readonly alternatives: readonly Alternative[] } | { readonly fault: string }

// The library takes a bar for a digit; where that changes what is found, it is done as there.
const digits = '[0-9|xX*]+'
const tail = '(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?'
const loose = `v?${digits}(?:\\.${digits})?(?:\\.${digits})?${tail}`
const sign = '(?:=>|>=|=<|<=|!=|~>|~|\\^|=|>|<|)'
const rangeForm = new RegExp(`\\s*(${loose})\\s+-\\s+(${loose})\\s*`, 'g')
const listForm = new RegExp(`^\\s*${sign}\\s*${loose}\\s*(?:(?:\\s+|,\\s*)${sign}\\s*${loose}\\s*)*$`)
const partForm = new RegExp(`(${sign})\\s*(${loose})`, 'g')
const textMax = 1000

/** Alternatives by `||`, conditions by comma or blank, ranges by hyphen. */
export function parseConstraints(text: string): Constraints {
  const fault = { fault: `improper constraint: ${text}` }
  if (text.length > textMax) return fault
  // One blank reads as many do, and leaves a pattern nothing to try.
  const ranged = text.replace(/\s+/g, ' ').replace(rangeForm, '>= $1, <= $2 ')
  const alternatives: Alternative[] = []
  for (const alternative of ranged.split('||')) {
    if (!listForm.test(alternative)) return fault
    const constraints: Constraint[] = []
    for (const [, op = '', version = ''] of alternative.matchAll(partForm)) {
      const parsed = constraintOf(op, version)
      if (!parsed) return fault
      constraints.push(parsed)
    }
    alternatives.push({
      constraints,
      prereleases: constraints.some(({ version }) => version.prerelease !== ''),
    })
  }
  return { alternatives }
}

function constraintOf(op: string, text: string): Constraint | undefined {
  const [core = ''] = text.split(/[-+]/)
  const parts = core.replace(/^v/, '').split('.')
  const at = parts.findIndex((one) => /^[xX*]$/.test(one))
  const given = at < 0 ? parts.length : at
  const wild = (['all', 'minor', 'patch', 'none'] as const)[given] ?? 'none'
  const [prerelease = ''] = /-[^+]*/.exec(text.slice(core.length)) ?? []
  const filled = [0, 1, 2].map((i) => (i < given ? (parts[i] ?? '0') : '0')).join('.')
  const version = parseVersion(wild === 'none' ? text : `${filled}${prerelease}`)
  return version && { op, version, text, wild }
}

/** Why no alternative holds; nothing where one does. */
export function checkConstraints(version: Version, alternatives: readonly Alternative[]): readonly string[] {
  const faults: string[] = []
  for (const { constraints, prereleases } of alternatives) {
    const own = constraints.flatMap((one) => check(version, one, prereleases) ?? [])
    if (own.length === 0) return []
    faults.push(...own)
  }
  return faults
}

function check(version: Version, constraint: Constraint, prereleases: boolean): string | undefined {
  const shown = versionText(version)
  if (version.prerelease !== '' && !prereleases)
    return `${shown} is a prerelease version and the constraint is only looking for release versions`
  return (operators[constraint.op] ?? tilde)(version, constraint, shown)
}

type Check = (version: Version, constraint: Constraint, shown: string) => string | undefined

const operators: Readonly<Record<string, Check>> = {
  '': equalTo,
  '=': equalTo,
  '!=': differs,
  '>': above,
  '<': (v, c, shown) =>
    compareVersions(v, c.version) < 0 ? undefined : `${shown} is greater than or equal to ${c.text}`,
  '>=': atLeast,
  '=>': atLeast,
  '<=': atMost,
  '=<': atMost,
  '~': tilde,
  '~>': tilde,
  '^': caret,
}

function equalTo(v: Version, c: Constraint, shown: string): string | undefined {
  if (c.wild !== 'none') return tilde(v, c, shown)
  return compareVersions(v, c.version) === 0 ? undefined : `${shown} is not equal to ${c.text}`
}

function differs(v: Version, c: Constraint, shown: string): string | undefined {
  return isSame(v, c) ? `${shown} is equal to ${c.text}` : undefined
}

function isSame(v: Version, { version, wild }: Constraint): boolean {
  if (wild === 'none' || wild === 'all') return compareVersions(v, version) === 0
  if (v.major !== version.major) return false
  if (wild === 'minor') return true
  return v.minor === version.minor && v.prerelease === version.prerelease
}

function above(v: Version, c: Constraint, shown: string): string | undefined {
  const { version, wild } = c
  const isMajor = wild !== 'none' && v.major !== version.major
  const holds = (): boolean => {
    if (isMajor) return v.major > version.major
    if (wild === 'minor') return false
    return wild === 'patch' ? v.minor > version.minor : compareVersions(v, version) > 0
  }
  return holds() ? undefined : `${shown} is less than or equal to ${c.text}`
}

function atLeast(v: Version, c: Constraint, shown: string): string | undefined {
  return compareVersions(v, c.version) >= 0 ? undefined : `${shown} is less than ${c.text}`
}

function atMost(v: Version, c: Constraint, shown: string): string | undefined {
  const { version, wild } = c
  const isMinorAbove = v.major === version.major && v.minor > version.minor && wild !== 'minor'
  const holds = wild === 'none' ? compareVersions(v, version) <= 0 : v.major <= version.major && !isMinorAbove
  return holds ? undefined : `${shown} is greater than ${c.text}`
}

function tilde(v: Version, c: Constraint, shown: string): string | undefined {
  const { version, wild } = c
  if (compareVersions(v, version) < 0) return `${shown} is less than ${c.text}`
  const isZero = version.major === 0n && version.minor === 0n && version.patch === 0n
  // All of them zero accepts everything, and so does a wild card alone.
  if (isZero && (wild === 'none' || wild === 'all')) return undefined
  if (v.major !== version.major) return `${shown} does not have same major version as ${c.text}`
  if (wild !== 'minor' && v.minor !== version.minor)
    return `${shown} does not have same major and minor version as ${c.text}`
  return undefined
}

function caret(v: Version, c: Constraint, shown: string): string | undefined {
  const { version, wild } = c
  if (compareVersions(v, version) < 0) return `${shown} is less than ${c.text}`
  if (version.major > 0n || wild === 'minor')
    return v.major === version.major ? undefined : `${shown} does not have same major version as ${c.text}`
  if (v.major > 0n) return `${shown} does not have same major version as ${c.text}`
  if (version.minor > 0n || wild === 'patch')
    return v.minor === version.minor
      ? undefined
      : `${shown} does not have same minor version as ${c.text}. Expected minor versions to match when constraint major version is 0`
  if (v.minor > 0n || v.patch !== version.patch)
    return `${shown} does not equal ${c.text}. Expect version and constraint to equal when major and minor versions are 0`
  return undefined
}
