/** Runs work on many items, a few at a time. */

/** The results in the order of the items; the first failure stops new work and is thrown. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  let next = 0
  let failed = false
  const lane = async (): Promise<void> => {
    for (let i = next++; i < items.length && !failed; i = next++) {
      try {
        results[i] = await work(items[i] as Item, i)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, lane))
  for (const end of lanes) if (end.status === 'rejected') throw end.reason
  return results
}
