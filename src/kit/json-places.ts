/** Where things stand in a JSON text: every key and every item of a list, in their order. */
import { pointer } from './json.ts'

export interface JsonPlace {
  readonly pointer: string
  /** Where the key or the item begins in the text. */
  readonly index: number
  /** The object has had this key before. */
  readonly isAgain: boolean
}

interface Level {
  readonly at: string
  /** The keys so far; none in a list. */
  readonly keys: Set<string> | undefined
  /** How many items a list has before this one, and the key of an object. */
  step: number | string
  awaitsKey: boolean
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/g

/** All of them; the text must have been parsed before. */
export function* placesIn(text: string): Generator<JsonPlace> {
  const levels: Level[] = []
  for (const { 0: part, index } of text.matchAll(token)) {
    const level = levels.at(-1)
    if (part === '{' || part === '[') {
      const at = level === undefined ? '' : pointer(level.at, level.step)
      const isObject = part === '{'
      levels.push({ at, keys: isObject ? new Set() : undefined, step: 0, awaitsKey: isObject })
      if (!isObject) yield* itemAfter(text, index, pointer(at, 0))
    } else if (part === '}' || part === ']') levels.pop()
    else if (level !== undefined && part === ',') {
      if (level.keys !== undefined) level.awaitsKey = true
      else {
        level.step = Number(level.step) + 1
        yield* itemAfter(text, index, pointer(level.at, level.step))
      }
    } else if (level?.keys !== undefined && level.awaitsKey) {
      // Written in two ways it is one key all the same.
      const key = String(JSON.parse(part))
      yield { pointer: pointer(level.at, key), index, isAgain: level.keys.has(key) }
      level.keys.add(key)
      level.step = key
      level.awaitsKey = false
    }
  }
}

/** An empty list has none. */
function* itemAfter(text: string, index: number, at: string): Generator<JsonPlace> {
  const blanks = /[^\s]/g
  blanks.lastIndex = index + 1
  const next = blanks.exec(text)
  if (next !== null && next[0] !== ']') yield { pointer: at, index: next.index, isAgain: false }
}

export interface Position {
  readonly line: number
  readonly column: number
}

/** Line and column of what pointers name; of what is not there, of the nearest thing around it. */
export function positionsOf(text: string, pointers: Iterable<string>): ReadonlyMap<string, Position> {
  const wanted = new Set([...pointers].flatMap(withParents))
  const found = new Map<string, number>([['', Math.max(0, text.search(/\S/))]])
  for (const { pointer: at, index } of placesIn(text)) if (wanted.has(at)) found.set(at, index)
  const positions = [...pointers].map((one): [string, Position] => {
    const nearest = withParents(one).find((at) => found.has(at)) ?? ''
    return [one, positionAt(text, found.get(nearest) ?? 0)]
  })
  return new Map(positions)
}

/** A pointer, then those of what is around it. */
function withParents(at: string): readonly string[] {
  const parts = at.split('/')
  return parts.map((_part, i) => parts.slice(0, parts.length - i).join('/'))
}

function positionAt(text: string, index: number): Position {
  const before = text.slice(0, index)
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: index - start + 1 }
}
