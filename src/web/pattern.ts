/** Patterns of addresses below /ui: `/instances/:platform/:instance`. */

export type Params = Readonly<Record<string, string>>

/** What stands in a path for the names of a pattern; undefined: it does not fit. */
export function paramsOf(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(?<=.)\/$/, '').split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const word = given[i] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decoded(word)
    else if (part !== word) return undefined
  }
  return params
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}
