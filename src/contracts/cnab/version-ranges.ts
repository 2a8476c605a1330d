/** Semantic versions as dependencies ask for them: with or without "v", with wild cards, ranges and bounds. */

interface Version {
  readonly numbers: readonly [number, number, number]
  readonly prerelease: string
}

/** One bound: a comparison with a version. */
interface Bound {
  readonly sign: '>=' | '<=' | '>' | '<'
  readonly version: Version
}

const form = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/

function readVersion(text: string): Version | undefined {
  const found = form.exec(text)
  if (!found) return undefined
  const [, major, minor = '0', patch = '0', prerelease = ''] = found
  return { numbers: [Number(major), Number(minor), Number(patch)], prerelease }
}

/** Whether a text is a version that takes part in choices. */
export function isVersion(text: string): boolean {
  return readVersion(text) !== undefined
}

/** Order of two versions; what is none comes first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [readVersion(a), readVersion(b)]
  if (!left || !right) return Number(left !== undefined) - Number(right !== undefined)
  return compare(left, right)
}

function compare(a: Version, b: Version): number {
  for (const i of [0, 1, 2] as const) {
    const difference = a.numbers[i] - b.numbers[i]
    if (difference !== 0) return difference
  }
  if (a.prerelease === b.prerelease) return 0
  if (a.prerelease === '') return 1
  if (b.prerelease === '') return -1
  return comparePrereleases(a.prerelease.split('.'), b.prerelease.split('.'))
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i], b[i]]
    if (x === y) continue
    if (x === undefined) return -1
    if (y === undefined) return 1
    const numbers = [x, y].map((part) => /^\d+$/.test(part))
    if (numbers[0] && numbers[1]) return Number(x) - Number(y)
    if (numbers[0] !== numbers[1]) return numbers[0] ? -1 : 1
    return x < y ? -1 : 1
  }
  return 0
}

export interface RangeOptions {
  /** Whether versions that are not final count, too. */
  readonly prereleases: boolean
}

/** Whether a version lies in one of several ranges; undefined where a range cannot be read. */
export function inRanges(
  version: string,
  ranges: readonly string[],
  { prereleases }: RangeOptions,
): boolean | undefined {
  const read = readVersion(version)
  const bounds = ranges.flatMap((range) => range.split('||')).map((range) => boundsOf(range.trim()))
  if (read === undefined || bounds.some((list) => list === undefined)) return undefined
  return bounds.some(
    (list) =>
      (list ?? []).every((bound) => keeps(read, bound)) &&
      (prereleases || read.prerelease === '' || namesPrerelease(list ?? [])),
  )
}

function namesPrerelease(bounds: readonly Bound[]): boolean {
  return bounds.some(({ version }) => version.prerelease !== '')
}

function keeps(version: Version, { sign, version: other }: Bound): boolean {
  const order = compare(version, other)
  switch (sign) {
    case '>=':
      return order >= 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '<':
      return order < 0
  }
}

/** All bounds of one range; undefined where it cannot be read. */
function boundsOf(range: string): readonly Bound[] | undefined {
  const hyphen = /^(\S+)\s+-\s+(\S+)$/.exec(range)
  if (hyphen) {
    const [low, high] = [partOf(hyphen[1] ?? ''), partOf(hyphen[2] ?? '')]
    return low && high ? [...low.from, ...high.below] : undefined
  }
  const parts = range.split(/[\s,]+/).filter((part) => part !== '')
  const bounds = parts.map((part) => comparatorOf(part))
  return parts.length === 0 || bounds.some((list) => list === undefined)
    ? undefined
    : bounds.flatMap((list) => list ?? [])
}

function comparatorOf(text: string): readonly Bound[] | undefined {
  const [, sign = '', rest = ''] = /^(>=|<=|>|<|=|~|\^)?(.*)$/.exec(text) ?? []
  const part = partOf(rest)
  if (part === undefined) return undefined
  const [start] = part.from
  switch (sign) {
    case '>=':
      return part.from
    case '<':
      return start ? [{ sign: '<', version: start.version }] : []
    case '>':
      return part.below.map(({ sign: end, version }) => ({ sign: end === '<' ? '>=' : '>', version }))
    case '<=':
      return part.below
    case '~':
      return [...part.from, ...upTo(start, 1)]
    case '^':
      return [...part.from, ...upTo(start, 0)]
    default:
      return [...part.from, ...part.below]
  }
}

/** Below the next major (0) or minor (1) version. */
function upTo(start: Bound | undefined, place: 0 | 1): readonly Bound[] {
  if (start === undefined) return []
  const [major, minor] = start.version.numbers
  return [{ sign: '<', version: next(major, place === 0 ? undefined : minor) }]
}

function next(major: number, minor: number | undefined): Version {
  return { numbers: minor === undefined ? [major + 1, 0, 0] : [major, minor + 1, 0], prerelease: '' }
}

interface Part {
  readonly from: readonly Bound[]
  /** Inclusive at the precision it was written with. */
  readonly below: readonly Bound[]
}

/** A version, or one that leaves places open: `1`, `1.2.x`, `*`. */
function partOf(text: string): Part | undefined {
  if (/^[xX*]$/.test(text)) return { from: [], below: [] }
  const open = /^v?(\d+)(?:\.(\d+|[xX*]))?(?:\.([xX*]))?$/.exec(text)
  if (open) {
    const major = Number(open[1])
    const minor = open[2] === undefined || /\D/.test(open[2]) ? undefined : Number(open[2])
    return {
      from: [{ sign: '>=', version: { numbers: [major, minor ?? 0, 0], prerelease: '' } }],
      below: [{ sign: '<', version: next(major, minor) }],
    }
  }
  const version = readVersion(text)
  return version && { from: [{ sign: '>=', version }], below: [{ sign: '<=', version }] }
}
