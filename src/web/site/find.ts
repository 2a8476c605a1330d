/** Finds sections of documents: every word must begin a word there; the more telling the place, the higher. */

/** A page: its path, its title, its sections as anchor, title and text. */
export type Entry = readonly [
  path: string,
  title: string,
  sections: readonly (readonly [anchor: string, title: string, text: string])[],
]

export interface Found {
  readonly path: string
  readonly anchor: string
  readonly page: string
  readonly title: string
  /** The text where the first word was found, its hits told apart. */
  readonly around: readonly { readonly text: string; readonly isHit: boolean }[]
}

const shownMax = 12
const charactersBefore = 40
const charactersShown = 160

/** The best first. */
export function find(entries: readonly Entry[], text: string): readonly Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const patterns = words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${literal(word)}`, 'giu'))
  return entries
    .flatMap(([path, page, sections]) =>
      sections.flatMap(([anchor, title, body]) => {
        const weight = weightOf(patterns, { page, title, body })
        return weight === 0 ? [] : [{ weight, path, anchor, page, title, body }]
      }),
    )
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, shownMax)
    .map(({ path, anchor, page, title, body }) => ({
      path,
      anchor,
      page,
      title,
      around: partsOf(body, patterns),
    }))
}

function weightOf(
  patterns: readonly RegExp[],
  { page, title, body }: { readonly page: string; readonly title: string; readonly body: string },
): number {
  let sum = 0
  for (const pattern of patterns) {
    const inTitle = countOf(title, pattern)
    const inBody = countOf(body, pattern)
    const inPage = countOf(page, pattern)
    if (inTitle + inBody === 0 && inPage === 0) return 0
    // Long sections hold every word; what counts is how much of them it is.
    sum +=
      30 * Math.min(1, inTitle) +
      8 * Math.min(1, inPage) +
      Math.min(10, inBody) / Math.log10(10 + body.length / 100)
  }
  return sum
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function partsOf(body: string, patterns: readonly RegExp[]): Found['around'] {
  const first = Math.max(0, Math.min(...patterns.map((one) => indexOf(body, one))))
  const from = Math.max(0, Number.isFinite(first) ? first - charactersBefore : 0)
  const begin = from === 0 ? 0 : body.indexOf(' ', from) + 1
  const shown = `${begin > 0 ? '… ' : ''}${body.slice(begin, begin + charactersShown)}${begin + charactersShown < body.length ? ' …' : ''}`
  const any = new RegExp(patterns.map(({ source }) => source).join('|'), 'giu')
  const parts: { text: string; isHit: boolean }[] = []
  let at = 0
  for (const { index, 0: hit } of shown.matchAll(any)) {
    parts.push({ text: shown.slice(at, index), isHit: false }, { text: hit, isHit: true })
    at = index + hit.length
  }
  return [...parts, { text: shown.slice(at), isHit: false }].filter(({ text }) => text !== '')
}

function indexOf(text: string, pattern: RegExp): number {
  const at = text.search(pattern)
  return at < 0 ? Number.POSITIVE_INFINITY : at
}

function literal(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
