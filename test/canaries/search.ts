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

/** A search for parts and forms of these canaries. */
export function searchFor(canaries: readonly Canary[]): Search {
  const needles = canaries.flatMap(({ name, value, tokens }) => {
    const wholes = formsOf(value).flatMap(([, text]) => samplesOf(text))
    return [...tokens.flatMap(writings), ...wholes].map((needle) => ({ name, needle: Buffer.from(needle) }))
  })
  const starts = new Uint8Array(1 << 24)
  const byKey = new Map<string, { name: string; needle: Buffer }[]>()
  for (const one of needles) {
    const key = one.needle.toString('latin1', 0, keyBytes)
    if (byKey.has(key)) byKey.get(key)?.push(one)
    else byKey.set(key, [one])
    starts[gram(one.needle, 0)] = 1
  }
  return {
    in(given) {
      const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
      const found = new Map<string, Hit>()
      for (let at = 0; at + keyBytes <= bytes.length; at++) {
        if (starts[gram(bytes, at)] === 0) continue
        for (const { name, needle } of byKey.get(bytes.toString('latin1', at, at + keyBytes)) ?? [])
          if (!found.has(name) && bytes.subarray(at, at + needle.length).equals(needle))
            found.set(name, { canary: name, text: bytes.toString('utf8', Math.max(0, at - 60), at + 40) })
      }
      return [...found.values()]
    },
  }
}

function gram(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
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
  return [part, ...inBase64, inHex, inHex.toUpperCase()].filter(({ length }) => length >= keyBytes)
}

/** Of what is long, pieces from all over it that could not be anything else. */
function samplesOf(text: string): readonly string[] {
  const trimmed = text.trim()
  if (trimmed.length < keyBytes) return []
  return trimmed.length <= 200 ? [trimmed] : [trimmed.slice(0, 100)]
}
