/** Versions of engines and providers: which texts are versions, and which is higher. */

interface Version {
  readonly numbers: readonly number[]
  readonly prerelease: string
}

/** The version in a text, or undefined; as many numbers as one likes, a prerelease and build data. */
function parse(text: string): Version | undefined {
  const found = /^v?(\d+(?:\.\d+)*)(?:-?([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/.exec(
    text,
  )
  if (found?.[1] === undefined) return undefined
  if (found[2] !== undefined && /^\d/.test(found[2]) && !text.includes('-')) return undefined
  return { numbers: found[1].split('.').map(Number), prerelease: found[2] ?? '' }
}

/** Whether a text is a version. */
export function isVersion(text: string): boolean {
  return parse(text) !== undefined
}

/** Order of two versions; what is no version comes first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  if (left === undefined || right === undefined)
    return Number(left !== undefined) - Number(right !== undefined)
  for (let i = 0; i < Math.max(left.numbers.length, right.numbers.length); i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0)
    if (difference !== 0) return difference
  }
  if (left.prerelease === right.prerelease) return 0
  if (left.prerelease === '') return 1
  if (right.prerelease === '') return -1
  return comparePrereleases(left.prerelease.split('.'), right.prerelease.split('.'))
}

function comparePrereleases(left: readonly string[], right: readonly string[]): number {
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [a, b] = [left[i], right[i]]
    if (a === b) continue
    if (a === undefined) return -1
    if (b === undefined) return 1
    const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)]
    if (isNumberA && isNumberB) return Number(a) - Number(b)
    if (isNumberA !== isNumberB) return isNumberA ? -1 : 1
    return a < b ? -1 : 1
  }
  return 0
}
