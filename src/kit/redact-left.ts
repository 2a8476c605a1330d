/** Long secrets that a text has left, as programs do that put something before each line: it may go on with them soon. */
import { restsOf, type Walk } from './redact-tree.ts'

export interface Left {
  readonly walk: Walk
  /** How it would go on: by one of these; none where it is over. */
  readonly rests: readonly Uint8Array[]
  /** Where the text left it; below zero in a text that was before. */
  readonly at: number
}

/** What stands before a line is shorter. */
const betweenMax = 1024

/** What a walk that has ended at a place has left. */
export function leftBy(walk: Walk, at: number): Left {
  return { walk, rests: restsOf(walk), at }
}

/** Where the text goes on with what was left; -1 where it does not. */
export function placeOf(left: Left | undefined, text: Buffer): number {
  if (left === undefined) return -1
  const from = Math.max(0, left.at)
  const near = text.subarray(from, Math.max(0, left.at + betweenMax))
  const places = left.rests.map((rest) => near.indexOf(rest)).filter((place) => place >= 0)
  return places.length === 0 ? -1 : from + Math.min(...places)
}

/** From where on the end of a text may go on with what was left; its length where it does not. */
export function openSince(left: Left | undefined, text: Buffer): number {
  if (left === undefined || left.rests.length === 0) return text.length
  const most = Math.max(...left.rests.map(({ length }) => length)) - 1
  const end = Math.min(text.length, left.at + betweenMax)
  for (let start = Math.max(0, left.at, text.length - most); start < end; start++) {
    const tail = text.subarray(start)
    if (left.rests.some((rest) => Buffer.compare(rest.subarray(0, tail.length), tail) === 0)) return start
  }
  return text.length
}

/** The last of those that were left up to a place, seen from there; none that is too far. */
export function leftAt(all: readonly (Left | undefined)[], place: number): Left | undefined {
  const left = all.findLast((one) => one !== undefined && one.at <= place)
  const isNear = left !== undefined && left.rests.length > 0 && place - left.at < betweenMax
  return isNear ? { ...left, at: left.at - place } : undefined
}
