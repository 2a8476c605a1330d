/** Keys that are not known, each with the one that an author must have meant. */
import { nearest } from './text.ts'

/** No misspelt key is longer, and comparing long ones takes time. */
export const keyMax = 40

export interface NearKey {
  /** As it is written. */
  readonly key: string
  /** As it is known. */
  readonly meant: string
}

export interface StrayKey {
  readonly key: string
  /** Known, and not there itself. */
  readonly meant?: string
  readonly detail: string
  readonly hint: string
}

/** The key that was meant by one that is not known: the same in other letters or with other signs between them, another word for it, or a near one. */
export function meantKey(
  key: string,
  known: readonly string[],
  otherWords: Readonly<Record<string, string>> = {},
): string | undefined {
  if (key.length > keyMax) return undefined
  const plain = (word: string): string => word.toLowerCase().replaceAll(/[-_ ]/g, '')
  const asked = plain(key)
  const other = Object.hasOwn(otherWords, key) ? otherWords[key] : undefined
  return (
    known.find((one) => plain(one) === asked) ?? known.find((one) => one === other) ?? nearest(key, known)
  )
}

/** What to say of a key of a map that is not known. */
export function strayKey(
  key: string,
  map: object,
  ...words: readonly [known: readonly string[], otherWords?: Readonly<Record<string, string>>]
): StrayKey {
  const meant = meantKey(key, ...words)
  const detail = `${JSON.stringify(key)} is not known here`
  // Where both stand, the other one has a purpose of its own.
  return meant === undefined || Object.hasOwn(map, meant)
    ? { key, detail, hint: 'Remove it: nothing reads it.' }
    : { key, meant, detail, hint: `Write ${JSON.stringify(meant)} instead.` }
}

/** The keys of a map that are not known, in their order. */
export function strayKeys(
  map: object,
  known: readonly string[],
  otherWords?: Readonly<Record<string, string>>,
): readonly StrayKey[] {
  return Object.keys(map)
    .filter((key) => !known.includes(key))
    .map((key) => strayKey(key, map, known, otherWords))
}

/** Those of them that are nearly a known one, or another word for it. */
export function nearKeys(...map: Parameters<typeof strayKeys>): readonly (StrayKey & NearKey)[] {
  return strayKeys(...map).filter((one): one is StrayKey & NearKey => one.meant !== undefined)
}
