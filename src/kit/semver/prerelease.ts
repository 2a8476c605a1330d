/** The order of pre-releases as semver 2 has it, and of numbers of any length. */

/** -1, 0 or 1. */
export function order<T extends bigint | string>(a: T, b: T): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Orders what stands behind the hyphen of two equal versions; nothing there is higher than anything. */
export function comparePrereleases(a: string, b: string): number {
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
