/** Looks for canaries in bytes, in every way that they may be written; shares nothing with the redaction of the product. */

import { formsOf } from './forms.ts'
import type { Canary } from './values.ts'

export interface Hit {
  readonly canary: string
  /** What was found, the surroundings included. */
  readonly text: string
}

export interface Search {
  /** The first of each canary that is found. */
  in(bytes: Uint8Array): readonly Hit[]
}

const keyBytes = 6
const gramBits = 24

interface Needle {
  readonly name: string
  readonly bytes: Buffer
  /** Where its key stands in it: in the midst, for many begin in the same way. */
  readonly keyAt: number
  /** A few digits: among others, as in hexadecimal, they are another number. */
  readonly isNumber: boolean
}

/** A search for parts and forms of these canaries. */
export function searchFor(canaries: readonly Canary[]): Search {
  const needles = canaries.flatMap(({ name, value, tokens }) => {
    const wholes = formsOf(value).flatMap(([, text]) => samplesOf(text))
    return [...tokens.flatMap(writings), ...wholes].map((text) => needleOf(name, text))
  })
  const byKey = Map.groupBy(needles, ({ bytes, keyAt }) => keyIn(bytes, keyAt))
  // One bit for each three bytes that a key may end with: what is looked at for each byte stays in the cache.
  const ends = new Uint8Array(1 << (gramBits - 3))
  for (const { bytes, keyAt } of needles) {
    const gram = bytes.readUIntBE(keyAt + keyBytes - 3, 3)
    ends[gram >> 3] = (ends[gram >> 3] ?? 0) | (1 << (gram & 7))
  }
  return {
    in(given) {
      const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
      const found = new Map<string, Hit>()
      let gram = 0
      for (let at = 0; at < bytes.length; at++) {
        gram = ((gram << 8) | (bytes[at] ?? 0)) & 0xff_ff_ff
        if (((ends[gram >> 3] ?? 0) & (1 << (gram & 7))) === 0 || at + 1 < keyBytes) continue
        const keyAt = at + 1 - keyBytes
        for (const needle of byKey.get(keyIn(bytes, keyAt)) ?? [])
          if (!found.has(needle.name) && standsAt(needle, bytes, keyAt - needle.keyAt))
            found.set(needle.name, {
              canary: needle.name,
              text: bytes.toString('utf8', Math.max(0, keyAt - 60), keyAt + 40),
            })
      }
      return [...found.values()]
    },
  }
}

function needleOf(name: string, text: string): Needle {
  const bytes = Buffer.from(text)
  return { name, bytes, keyAt: (bytes.length - keyBytes) >> 1, isNumber: /^\d{1,13}$/.test(text) }
}

/** Six bytes as a number, exactly. */
function keyIn(bytes: Buffer, at: number): number {
  return bytes.readUIntBE(at, keyBytes)
}

function standsAt({ bytes, isNumber }: Needle, given: Buffer, from: number): boolean {
  const to = from + bytes.length
  if (from < 0 || to > given.length || given.compare(bytes, 0, bytes.length, from, to) !== 0) return false
  return !isNumber || !(isDigit(given[from - 1]) || isDigit(given[to]))
}

function isDigit(byte = 0): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** A token as it is, and where it stands inside of what is encoded. */
function writings(token: string): readonly string[] {
  const part = token.slice(0, 64)
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(`${'x'.repeat(before)}${part}`)
    const from = Math.ceil((before * 8) / 6)
    return (['base64', 'base64url'] as const).map((alphabet) =>
      bytes.toString(alphabet).slice(from, Math.floor((bytes.length * 8) / 6)),
    )
  })
  const inHex = Buffer.from(part).toString('hex')
  // Lines of Base64 behind a prefix are hidden of values of up to 64 KiB: longer ones have longer tokens.
  const parts = token.length > part.length ? inBase64 : inBase64.flatMap(halves)
  return [part, ...parts, inHex, inHex.toUpperCase()].filter(({ length }) => length >= keyBytes)
}

/** What is encoded may be broken anywhere: one half of it stands whole. */
function halves(text: string): readonly string[] {
  const middle = text.length >> 1
  return middle < 2 * keyBytes ? [text] : [text, text.slice(0, middle), text.slice(middle)]
}

/** Of what is long, pieces from all over it that could not be anything else. */
function samplesOf(text: string): readonly string[] {
  const trimmed = text.trim()
  if (trimmed.length < keyBytes) return []
  return trimmed.length <= 200 ? [trimmed] : [trimmed.slice(0, 100)]
}
