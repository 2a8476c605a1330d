/** Ids that sort by time: lower-case ULIDs, from a clock and a chance that are handed in. */
import type { Chance } from './clock.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** A ULID of this millisecond. */
export function ulid(now: number, chance: Pick<Chance, 'bytes'>): string {
  return timeText(now) + randomText(chance)
}

/** Makes ULIDs that grow, also within one millisecond and when the clock goes back. */
export function ulidSource(chance: Chance): (now: number) => string {
  let last = ''
  return (now) => {
    const time = timeText(now)
    last = time > last.slice(0, 10) ? time + randomText(chance) : successor(last)
    return last
  }
}

/** The millisecond in a ULID as it is written here; undefined for any other text. */
export function timeOfUlid(text: string): number | undefined {
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)) return undefined
  return [...text.slice(0, 10)].reduce((time, letter) => time * 32 + alphabet.indexOf(letter), 0)
}

/** Before every ULID of this millisecond, and after those of earlier ones. */
export function firstUlid(now: number): string {
  return timeText(now)
}

function timeText(now: number): string {
  let time = ''
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = alphabet[rest % 32] + time
  return time
}

function randomText(chance: Pick<Chance, 'bytes'>): string {
  let random = ''
  for (const byte of chance.bytes(16)) random += alphabet[byte & 31]
  return random
}

function successor(id: string): string {
  const last = alphabet.indexOf(id.at(-1) ?? '')
  const head = id.slice(0, -1)
  return last === 31 ? `${successor(head)}0` : head + alphabet[last + 1]
}
