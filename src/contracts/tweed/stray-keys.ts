/** Keys of a map that the contract does not know, each with the one that was probably meant. */
import { meantKey } from '../../kit/text.ts'

export interface StrayKey {
  readonly key: string
  /** Known, and not there itself. */
  readonly meant?: string
  readonly detail: string
  readonly hint: string
}

/** All of them, in their order. */
export function strayKeys(
  map: { readonly [key: string]: unknown },
  known: readonly string[],
  synonyms: Readonly<Record<string, string>>,
): readonly StrayKey[] {
  const open = known.filter((key) => !Object.hasOwn(map, key))
  return Object.keys(map)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const synonym = Object.hasOwn(synonyms, key) ? synonyms[key] : undefined
      const meant = synonym !== undefined && open.includes(synonym) ? synonym : meantKey(key, open)
      const detail = `${JSON.stringify(key)} is not known`
      if (meant === undefined) return { key, detail, hint: 'Remove it: nothing reads it.' }
      return { key, meant, detail, hint: `Write ${JSON.stringify(meant)} instead.` }
    })
}
