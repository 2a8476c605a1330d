/** The bytes of the ways in which programs write a value; what is long is made piece by piece, as far as it is looked at. */
import { pieceEnd, type Writing } from './redact-writings.ts'

export interface Form {
  /** Infinity where it is not known before the end is seen. */
  readonly length: number
  /** A byte; -1 behind the end. */
  at(index: number): number
  /** Bytes from an index on, as many as are at hand. */
  run(index: number): Uint8Array
}

/** A multiple of three, so that pieces of Base64 join without a gap. */
const blockBytes = 1536

/** Bytes as they are. */
export function plain(bytes: Uint8Array): Form {
  return { length: bytes.length, at: (index) => bytes[index] ?? -1, run: (index) => bytes.subarray(index) }
}

/** A text as one of the writings has it. */
export function written(text: string, { write }: Writing): Form {
  let bytes = new Uint8Array(Math.min(text.length * 2, 64))
  let made = 0
  let from = 0
  const make = (index: number): void => {
    while (made <= index && from < text.length) {
      const end = pieceEnd(text, from, blockBytes)
      const piece = Buffer.from(write(text.slice(from, end)))
      from = end
      if (made + piece.length > bytes.length) {
        const larger = new Uint8Array((made + piece.length) * 2)
        larger.set(bytes.subarray(0, made))
        bytes = larger
      }
      bytes.set(piece, made)
      made += piece.length
    }
  }
  return {
    length: Number.POSITIVE_INFINITY,
    at(index) {
      if (index >= made) make(index)
      return index < made ? (bytes[index] ?? -1) : -1
    },
    run(index) {
      if (index >= made) make(index)
      return bytes.subarray(Math.min(index, made), made)
    },
  }
}

export interface HexStyle {
  readonly isUpper: boolean
  /** Between two bytes. */
  readonly between: '' | ':' | ' '
}

export const hexStyles: readonly HexStyle[] = [false, true].flatMap((isUpper) =>
  (['', ':', ' '] as const).map((between) => ({ isUpper, between })),
)

/** Two signs for each byte. */
export function hex(bytes: Buffer, { isUpper, between }: HexStyle): Form {
  const each = 2 + between.length
  return encoded(bytes.length * each - between.length, blockBytes * each, (block) => {
    const low = bytes.toString('hex', block * blockBytes, (block + 1) * blockBytes)
    const text = isUpper ? low.toUpperCase() : low
    return Buffer.from(between === '' ? text : text.replace(/../g, `$&${between}`), 'latin1')
  })
}

export const alphabets = ['base64', 'base64url'] as const
export type Alphabet = (typeof alphabets)[number]

/** How many signs of Base64 a value decides alone, when so many bytes stand before it in a group of three. */
export function base64Length(bytes: number, before: number): number {
  return Math.floor((bytes * 8 - skippedBits[before as 0 | 1 | 2]) / 6)
}

/** Signs that what stands before decides, too, are left out. */
const skippedSigns = [0, 2, 3] as const
const skippedBits = [0, 4, 2] as const

/** The signs of Base64 that are the same whatever stands around the value. */
export function base64(bytes: Buffer, alphabet: Alphabet, before: number): Form {
  const skipped = skippedSigns[before as 0 | 1 | 2]
  const length = base64Length(bytes.length, before)
  const size = (blockBytes / 3) * 4
  const signs = encoded(length + skipped, size, (block) => {
    const from = block * blockBytes - before
    const piece = from >= 0 ? bytes.subarray(from, from + blockBytes) : paddedFront(bytes, before)
    return Buffer.from(piece.toString(alphabet), 'latin1')
  })
  if (skipped === 0) return signs
  return { length, at: (index) => signs.at(index + skipped), run: (index) => signs.run(index + skipped) }
}

function paddedFront(bytes: Buffer, before: number): Buffer {
  return Buffer.concat([Buffer.alloc(before), bytes.subarray(0, blockBytes - before)])
}

/** A form that is made block by block; the last one looked at is kept. */
function encoded(length: number, size: number, make: (block: number) => Uint8Array): Form {
  let bytes = make(0)
  let from = 0
  const load = (index: number): void => {
    from = Math.floor(index / size) * size
    bytes = make(from / size)
  }
  return {
    length,
    at(index) {
      if (index >= length) return -1
      if (index < from || index >= from + size) load(index)
      return bytes[index - from] ?? -1
    },
    run(index) {
      if (index < from || index >= from + size) load(index)
      return bytes.subarray(index - from, Math.max(index - from, Math.min(bytes.length, length - from)))
    },
  }
}
