/** Semantic versions: reading them leniently, their order, and constraints on them. */

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

/** A version; missing parts are zero. */
export function parseVersion(text: string): Version | undefined {
  const found = form.exec(text)
  if (found === null) return undefined
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

function order<T extends bigint | string>(a: T, b: T): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function comparePrereleases(a: string, b: string): number {
  if (a === b) return 0
  if (a === '') return 1
  if (b === '') return -1
  const left = a.split('.')
  const right = b.split('.')
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const compared = compareParts(left[i], right[i])
    if (compared !== 0) return compared
  }
  return 0
}

function compareParts(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a === undefined) return -1
  if (b === undefined) return 1
  const [x, y] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)]
  if (x && y) return order(BigInt(a), BigInt(b))
  if (x !== y) return x ? -1 : 1
  return order(a, b)
}

interface Constraint {
  readonly op: string
  readonly version: Version
  /** The version as written. */
  readonly text: string
  /** Parts that were left out or wild. */
  readonly wild: 'none' | 'patch' | 'minor' | 'all'
}

export type Constraints =
  | { readonly alternatives: readonly (readonly Constraint[])[] }
  | { readonly fault: string }

const part =
  /^\s*(=>|>=|=<|<=|!=|~>|~|\^|=|>|<|)\s*(v?(?:[0-9]+|x|X|\*)(?:\.(?:[0-9]+|x|X|\*))?(?:\.(?:[0-9]+|x|X|\*))?(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)\s*/

/** Alternatives by `||`, conditions by comma or blank, ranges by hyphen. */
export function parseConstraints(text: string): Constraints {
  const ranged = text.replace(/(\S+)\s+-\s+(\S+)/g, '>=$1 <=$2')
  const alternatives: Constraint[][] = []
  for (const alternative of ranged.split('||')) {
    const list: Constraint[] = []
    let rest = alternative.trim()
    if (rest === '') return { fault: `improper constraint: ${text}` }
    while (rest !== '') {
      const found = part.exec(rest)
      const parsed = found && constraintOf(found[1] ?? '', found[2] ?? '')
      if (!parsed) return { fault: `improper constraint: ${text}` }
      list.push(parsed)
      rest = rest.slice(found[0].length).replace(/^,\s*/, '')
    }
    alternatives.push(list)
  }
  return { alternatives }
}

function constraintOf(op: string, text: string): Constraint | undefined {
  const [core = '', ...tail] = text.split(/(?=[-+])/)
  const parts = core.replace(/^v/, '').split('.')
  const at = parts.findIndex((one) => /^[xX*]$/.test(one))
  const given = at < 0 ? parts.length : at
  const wild = (['all', 'minor', 'patch', 'none'] as const)[given] ?? 'none'
  const filled = [0, 1, 2].map((i) => (i < given ? (parts[i] ?? '0') : '0')).join('.')
  const version = parseVersion(`${filled}${tail.join('')}`)
  return version && { op, version, text, wild }
}

/** The faults of the first alternative that fails, or none if any holds. */
export function checkConstraints(
  version: Version,
  alternatives: readonly (readonly Constraint[])[],
): readonly string[] {
  const faults: string[] = []
  for (const alternative of alternatives) {
    const own = alternative.flatMap((constraint) => check(version, constraint) ?? [])
    if (own.length === 0) return []
    faults.push(...own)
  }
  return faults
}

function check(version: Version, constraint: Constraint): string | undefined {
  const shown = versionText(version)
  // Pre-releases match only where the constraint speaks of one.
  if (version.prerelease !== '' && constraint.version.prerelease === '' && constraint.op !== '!=')
    return `${shown} is a prerelease version and the constraint is only looking for release versions`
  const holds = operators[constraint.op] ?? tilde
  return holds(version, constraint, shown)
}

type Check = (version: Version, constraint: Constraint, shown: string) => string | undefined

const operators: Readonly<Record<string, Check>> = {
  '': (v, c, shown) => (c.wild === 'none' ? equalTo(v, c, shown) : tilde(v, c, shown)),
  '=': (v, c, shown) => (c.wild === 'none' ? equalTo(v, c, shown) : tilde(v, c, shown)),
  '!=': (v, c, shown) => {
    const same = c.wild === 'none' ? compareVersions(v, c.version) === 0 : withinWild(v, c)
    return same ? `${shown} is equal to ${c.text}` : undefined
  },
  '>': (v, c, shown) => {
    const above = compareVersions(v, c.version) > 0 && !(c.wild !== 'none' && withinWild(v, c))
    return above ? undefined : `${shown} is less than or equal to ${c.text}`
  },
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
  return compareVersions(v, c.version) === 0 ? undefined : `${shown} is not equal to ${c.text}`
}

function atLeast(v: Version, c: Constraint, shown: string): string | undefined {
  return compareVersions(v, c.version) >= 0 ? undefined : `${shown} is less than ${c.text}`
}

function atMost(v: Version, c: Constraint, shown: string): string | undefined {
  const below = compareVersions(v, c.version) <= 0 || (c.wild !== 'none' && withinWild(v, c))
  return below ? undefined : `${shown} is greater than ${c.text}`
}

function withinWild(v: Version, c: Constraint): boolean {
  if (c.wild === 'all') return true
  return v.major === c.version.major && (c.wild === 'minor' || v.minor === c.version.minor)
}

function tilde(v: Version, c: Constraint, shown: string): string | undefined {
  if (c.wild === 'all') return undefined
  if (compareVersions(v, c.version) < 0) return `${shown} is less than ${c.text}`
  if (v.major !== c.version.major) return `${shown} does not have same major version as ${c.text}`
  if (c.wild !== 'minor' && v.minor !== c.version.minor)
    return `${shown} does not have same major and minor version as ${c.text}`
  return undefined
}

function caret(v: Version, c: Constraint, shown: string): string | undefined {
  if (c.wild === 'all') return undefined
  if (compareVersions(v, c.version) < 0) return `${shown} is less than ${c.text}`
  if (c.version.major > 0n || c.wild === 'minor')
    return v.major === c.version.major ? undefined : `${shown} does not have same major version as ${c.text}`
  if (v.major > 0n) return `${shown} does not have same major version as ${c.text}`
  if (c.version.minor > 0n || c.wild === 'patch')
    return v.minor === c.version.minor
      ? undefined
      : `${shown} does not have same minor version as ${c.text}. Expected minor versions to match when constraint major version is 0`
  if (v.minor > 0n || v.patch !== c.version.patch)
    return `${shown} does not equal ${c.text}. Expect version and constraint to equal when major and minor versions are 0`
  return undefined
}
