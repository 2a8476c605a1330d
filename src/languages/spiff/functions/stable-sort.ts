/** A stable sort that asks whether one is less than another in the order in which the original asks. */

const block = 20

/** Sorts by insertion in blocks, then merges them; `less` may throw. */
export function stableSort<T>(items: readonly T[], less: (a: T, b: T) => boolean): readonly T[] {
  let sorted = [...items]
  for (let start = 0; start < sorted.length; start += block) insert(sorted, start, less)
  for (let width = block; width < sorted.length; width *= 2) sorted = mergeAll(sorted, width, less)
  return sorted
}

function insert<T>(items: T[], start: number, less: (a: T, b: T) => boolean): void {
  const end = Math.min(start + block, items.length)
  for (let i = start + 1; i < end; i++)
    for (let j = i; j > start; j--) {
      const [before, here] = [items[j - 1] as T, items[j] as T]
      if (!less(here, before)) break
      items[j - 1] = here
      items[j] = before
    }
}

function mergeAll<T>(items: readonly T[], width: number, less: (a: T, b: T) => boolean): T[] {
  const merged: T[] = []
  for (let start = 0; start < items.length; start += 2 * width) {
    const middle = Math.min(start + width, items.length)
    const end = Math.min(start + 2 * width, items.length)
    let right = middle
    for (let left = start; left < middle; left++) {
      while (right < end && less(items[right] as T, items[left] as T)) merged.push(items[right++] as T)
      merged.push(items[left] as T)
    }
    while (right < end) merged.push(items[right++] as T)
  }
  return merged
}
