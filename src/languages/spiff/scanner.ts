/** The cursor of the parser: text, offset, how deep it is nested, and the furthest point it failed at. */
import type { Assign, Expr } from './tree.ts'

export interface Cursor {
  readonly text: string
  at: number
  depth: number
  /** Where a number stands that is out of range; no other reading of it is meant. */
  overflow: number | undefined
  /** Whether it is noted what was expected: only once it is known that the text is no expression. */
  readonly explains: boolean
  /** The furthest offset at which something was expected, and what. */
  furthest: number
  expected: Set<string>
  /** Results of rules that are tried again at the same place; keeps ordered choice linear. */
  readonly memo: Map<string, Map<number, Remembered>>
  /** The rules that others nest. */
  readonly rules: Rules
  /** Called now and then. */
  readonly pause: (() => void) | undefined
  /** Rules that were run. */
  runs: number
}

export interface Rules {
  expression(c: Cursor): Expr | undefined
  or(c: Cursor): Expr | undefined
  lambda(c: Cursor): Expr | undefined
  assigns(c: Cursor): readonly Assign[] | undefined
}

interface Remembered {
  readonly result: unknown
  readonly end: number
}

export const nestingMax = 400

/** Between two pauses so many rules are run. */
const runsBetweenPauses = 10_000

export function cursor(text: string, how: Pick<Cursor, 'rules' | 'explains' | 'pause'>): Cursor {
  return {
    ...how,
    text,
    runs: 0,
    at: 0,
    depth: 0,
    overflow: undefined,
    furthest: 0,
    expected: new Set(),
    memo: new Map(),
  }
}

/** Notes what would have helped here. */
export function expecting(c: Cursor, what: string): undefined {
  if (!c.explains) return undefined
  if (c.at > c.furthest) {
    c.furthest = c.at
    c.expected = new Set()
  }
  if (c.at === c.furthest) c.expected.add(what)
  return undefined
}

/** Takes a literal text. */
export function take(c: Cursor, literal: string): boolean {
  if (!c.text.startsWith(literal, c.at)) {
    if (c.explains) expecting(c, `'${literal}'`)
    return false
  }
  c.at += literal.length
  return true
}

/** Takes what a sticky pattern matches. */
export function takeMatch(c: Cursor, pattern: RegExp, what: string): string | undefined {
  pattern.lastIndex = c.at
  const found = pattern.exec(c.text)
  if (found === null) return expecting(c, what)
  c.at += found[0].length
  return found[0]
}

const isBlank = (code: number): boolean => code === 32 || code === 10 || code === 9 || code === 13

/** Skips blanks; tells whether there were any. */
export function blanks(c: Cursor): boolean {
  const from = c.at
  while (isBlank(c.text.charCodeAt(c.at))) c.at++
  if (c.at > from) return true
  expecting(c, 'a blank')
  return false
}

/** Tries a rule; on failure the cursor is where it was. */
export function attempt<T>(c: Cursor, rule: (c: Cursor) => T | undefined): T | undefined {
  const from = c.at
  const result = rule(c)
  if (result === undefined) c.at = from
  return result
}

/** Tries rules in order; the first that matches is final. */
export function firstOf<T>(c: Cursor, rules: readonly ((c: Cursor) => T | undefined)[]): T | undefined {
  for (const rule of rules) {
    const result = attempt(c, rule)
    if (result !== undefined) return result
  }
  return undefined
}

/** Runs a rule once per place and remembers what it found. */
export function once<T>(c: Cursor, name: string, rule: (c: Cursor) => T | undefined): T | undefined {
  let places = c.memo.get(name)
  if (places === undefined) {
    places = new Map()
    c.memo.set(name, places)
  }
  const from = c.at
  const known = places.get(from)
  if (known) {
    c.at = known.end
    return known.result as T | undefined
  }
  if (c.depth >= nestingMax) return expecting(c, 'less nesting')
  c.depth++
  if (++c.runs % runsBetweenPauses === 0) c.pause?.()
  const result = attempt(c, rule)
  c.depth--
  places.set(from, { result, end: c.at })
  return result
}

/** `item { separator item }`; undefined when the first is missing. */
export function separated<T>(
  c: Cursor,
  item: (c: Cursor) => T | undefined,
  separator: string,
): readonly T[] | undefined {
  const first = attempt(c, item)
  if (first === undefined) return undefined
  const items = [first]
  for (;;) {
    const next = attempt(c, (at) => (take(at, separator) ? item(at) : undefined))
    if (next === undefined) return items
    items.push(next)
  }
}
