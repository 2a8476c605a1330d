/** Refuses what is valid JSON and yet too much of it: nested too deep, too many keys, a text too long. */
import { isExact } from '../kit/exact.ts'
import { isObject, pointer } from '../kit/json.ts'
import { fail } from '../model/problem.ts'

export interface BodyLimits {
  readonly bytes: number
  /** Lists and objects inside one another. */
  readonly depth: number
  /** Keys of all objects together. */
  readonly keys: number
  /** Bytes of one text or key, in UTF-8. */
  readonly text: number
}

interface Excess {
  readonly what: string
  readonly setting: string
  /** From the inside out. */
  readonly steps: (string | number)[]
}

/** Looks at each value once, and goes no further than the first that is too much. Problems: request.malformed. */
export function refuseTooMuch(body: unknown, limits: BodyLimits): void {
  const excess = makeSearch(limits)(body, 0)
  if (excess === undefined) return
  const { what, setting, steps } = excess
  // Platforms read the detail alone, so it names the setting that the operator can change.
  fail('request.malformed', `${what} (${setting})`, {
    where: { source: 'body', pointer: placeOf(steps) },
    hint: `Send less, or raise ${setting}.`,
  })
}

function makeSearch(limits: BodyLimits): (value: unknown, level: number) => Excess | undefined {
  let keys = 0
  const search = (value: unknown, level: number): Excess | undefined => {
    if (typeof value === 'string') return tooLong(value, 'a text')
    if (typeof value !== 'object' || value === null) return undefined
    if ('rawJSON' in value && isExact(value)) return tooLong(value.rawJSON, 'a number')
    if (level >= limits.depth) {
      return { what: `nested deeper than ${limits.depth}`, setting: 'limits.jsonDepth', steps: [] }
    }
    if (Array.isArray(value)) return inList(value, level)
    return isObject(value) ? inObject(value, level) : undefined
  }
  const inList = (list: readonly unknown[], level: number): Excess | undefined => {
    for (let i = 0; i < list.length; i += 1) {
      const excess = search(list[i], level + 1)
      if (excess) return within(excess, i)
    }
    return undefined
  }
  const inObject = (object: Readonly<Record<string, unknown>>, level: number): Excess | undefined => {
    // Parsed JSON inherits no keys, and lists of entries would cost more than the search.
    for (const key in object) {
      keys += 1
      if (keys > limits.keys) {
        return { what: `more than ${limits.keys} keys in all`, setting: 'limits.jsonKeys', steps: [] }
      }
      const excess = tooLong(key, 'a key')
      if (excess) return excess
      const inside = search(object[key], level + 1)
      if (inside) return within(inside, key)
    }
    return undefined
  }
  const tooLong = (text: string, kind: string): Excess | undefined =>
    // No character takes more than three bytes in UTF-8, so that few texts have to be measured.
    text.length * 3 > limits.text && Buffer.byteLength(text) > limits.text
      ? { what: `${kind} of more than ${limits.text} bytes`, setting: 'limits.jsonText', steps: [] }
      : undefined
  return search
}

function within(excess: Excess, step: string | number): Excess {
  excess.steps.push(step)
  return excess
}

/** Keys may be as long as texts: a place too long to read ends further out. */
const pointerMax = 512

function placeOf(steps: readonly (string | number)[]): string {
  let place = ''
  for (const step of steps.toReversed()) {
    const further = pointer(place, step)
    if (further.length > pointerMax) break
    place = further
  }
  return place
}
