/** The texts that are there more than once, each told once, in the order in which they are met again. */
export function repeated(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return [...new Set(texts.filter((text) => seen.size === seen.add(text).size))]
}
