/** What lists and maps know of their content without looking again, and how that adds up when they share elements. */

export interface Facts {
  /** Whether a cell in it carries flags. */
  readonly flagged: boolean
  /** Whether something in it would be evaluated again. */
  readonly code: boolean
  /** Whether processing could change it: expressions, parts, merge keys, key declarations. */
  readonly live: boolean
  /** How many values it holds when what is shared is counted each time. */
  readonly weight: number
  /** How many characters and values there are to look at, counted the same way. */
  readonly extent: number
  /** How many lists and maps stand inside each other. */
  readonly height: number
}

/** Of what holds nothing. */
export const nothing: Facts = { flagged: false, code: false, live: false, weight: 1, extent: 2, height: 1 }

export function factsOfBoth(a: Facts, b: Facts): Facts {
  return {
    flagged: a.flagged || b.flagged,
    code: a.code || b.code,
    live: a.live || b.live,
    weight: a.weight + b.weight - 1,
    extent: a.extent + b.extent - 2,
    height: Math.max(a.height, b.height),
  }
}

/** The facts of all rests of a list, the shortest last, from those of each element. */
export function factsFromTheEnd<T>(elements: readonly T[], factsOf: (element: T) => Facts): readonly Facts[] {
  const rests = [nothing]
  let facts = nothing
  for (const element of elements.toReversed()) {
    facts = factsOfBoth(factsOf(element), facts)
    rests.push(facts)
  }
  return rests.reverse()
}

/** The parts of something that was joined from two, from left to right, without deep recursion. */
export function partsOf<T extends { readonly joined: readonly [T, T] | undefined }>(whole: T): readonly T[] {
  const parts: T[] = []
  const open: T[] = [whole]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.joined === undefined) parts.push(next)
    else open.push(next.joined[1], next.joined[0])
  }
  return parts
}

/** Accounts for elements that are made, and for lists of elements that others have, too. */
export interface Costs {
  make(count: number): void
  share(count: number): void
}

/** What a list or map tells of its content. */
export abstract class Summed {
  protected abstract get known(): Facts

  get flagged(): boolean {
    return this.known.flagged
  }
  get code(): boolean {
    return this.known.code
  }
  get live(): boolean {
    return this.known.live
  }
  get weight(): number {
    return this.known.weight
  }
  get extent(): number {
    return this.known.extent
  }
  get height(): number {
    return this.known.height
  }
}
