/** Keys that one object of a JSON text has twice: readers differ in which of the two they take. */
import { pointer } from './json.ts'

const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/g
const mostTold = 10

interface Level {
  readonly at: string
  /** The keys so far; none in a list. */
  readonly keys: Set<string> | undefined
  /** How many items a list has before this one, and the key of an object. */
  step: number | string
  awaitsKey: boolean
}

/** Where they are, as JSON pointers; the text must have been parsed before. */
export function repeatedKeys(text: string): readonly string[] {
  const levels: Level[] = []
  const found: string[] = []
  for (const [part] of text.matchAll(token)) {
    const level = levels.at(-1)
    if (part === '{' || part === '[') {
      const at = level === undefined ? '' : pointer(level.at, level.step)
      const isObject = part === '{'
      levels.push({ at, keys: isObject ? new Set() : undefined, step: 0, awaitsKey: isObject })
    } else if (part === '}' || part === ']') levels.pop()
    else if (level !== undefined) next(level, part, found)
    if (found.length >= mostTold) break
  }
  return found
}

function next(level: Level, part: string, found: string[]): void {
  const { keys } = level
  if (part === ',') {
    if (keys === undefined) level.step = Number(level.step) + 1
    else level.awaitsKey = true
  } else if (keys !== undefined && level.awaitsKey) {
    // Written in two ways it is one key all the same.
    const key = String(JSON.parse(part))
    if (keys.has(key)) found.push(pointer(level.at, key))
    keys.add(key)
    level.step = key
    level.awaitsKey = false
  }
}
