/** Which bytes may stand in the beginning of a long form: looked up at few places of a text, in tables that fit into a cache. */

/** A way to choose places of a text at which forms are looked for. */
interface Choice {
  /** Whether a form with these first bytes is met, wherever it stands. */
  meets(bytes: Uint8Array, at: number, many: number): boolean
  /** A filter for so many forms, none of which has fewer bytes. */
  open(count: number, least: number): Filter
}

export interface Filter {
  /** A form must have so many bytes before the end of a text to be met. */
  readonly span: number
  /** A form begins at most so many bytes before a place that is found. */
  readonly reach: number
  /** Enters a form by the bytes of its beginning. */
  add(bytes: Uint8Array, at: number): void
  /** The first place from `from` on and before `until` that may lie in the beginning of a form; -1 without one. */
  next(view: View, from: number, until: number): number
}

/** A text, and the words of memory in it: they are read faster than single bytes. */
export interface View {
  readonly text: Uint8Array
  readonly words: Int32Array
  /** Where the first of the words stands. */
  readonly first: number
  /** Reads a word at any place. */
  readonly data: DataView
}

/** Looks at a text as words, too. */
export function viewOf(text: Uint8Array): View {
  const first = (4 - (text.byteOffset & 3)) & 3
  const many = Math.max(0, (text.length - first) >> 2)
  const words = many === 0 ? none : new Int32Array(text.buffer, text.byteOffset + first, many)
  return { text, words, first, data: new DataView(text.buffer, text.byteOffset, text.length) }
}

const none = new Int32Array()

/** The first place from `from` on whose address is a multiple: looks at all multiples may stop anywhere and go on from there. */
function aligned({ text }: View, from: number, multiple: number): number {
  const beyond = (text.byteOffset + from) % multiple
  return beyond === 0 ? from : from + multiple - beyond
}

const gramBytes = 8
const stride = 16
const bitsPerGram = 16
/** More forms are not entered once for each place where a look may meet them, if that can be avoided. */
const stridedMax = 32 * 1024

/** The choices for so many forms; the first that meets a form is to be taken. */
export function choicesFor(count: number): readonly Choice[] {
  return count <= stridedMax ? [strided, brief] : [anchored, strided, brief]
}

/** One look for every sixteen bytes of a text: a form is entered for every place where that may meet it. */
const strided: Choice = {
  meets: (_bytes, _at, many) => many >= stride + gramBytes - 1,
  open(count) {
    const grams = openGrams(count * stride)
    return {
      span: stride + gramBytes - 1,
      reach: stride - 1,
      add(bytes, at) {
        for (let place = at; place < at + stride; place++)
          grams.add(wordAt(bytes, place), wordAt(bytes, place + 4))
      },
      next(view, from, until) {
        const { words, first } = view
        const { table, shift } = grams
        const end = Math.min(words.length - 1, (until - first + 3) >> 2)
        for (let i = (aligned(view, from, stride) - first) >> 2; i < end; i += stride / 4) {
          const [low, high] = [words[i] as number, words[i + 1] as number]
          const hash = hashOf(low, high)
          const bits = bitsOf(hash)
          if (((table[hash >>> shift] as number) & bits) === bits && grams.has(low, high))
            return first + i * 4
        }
        return -1
      },
    }
  },
}

const briefBytes = 4
const briefStrideMax = 8

/** Forms of any length, by four bytes: the shorter they are, the more looks are needed. */
const brief: Choice = {
  meets: () => true,
  open(count, least) {
    const apart = briefStride(least)
    const grams = openGrams(count * apart)
    const { table, shift } = grams
    const isNear = (word: number): boolean => isIn(grams, word, 0)
    return {
      span: apart + briefBytes - 1,
      reach: apart - 1,
      add(bytes, at) {
        for (let place = at; place < at + apart; place++) grams.add(wordAt(bytes, place), 0)
      },
      next(view, from, until) {
        const { text, words, first } = view
        const begin = aligned(view, from, apart)
        if (apart % 4 !== 0) {
          const end = Math.min(until, text.length - briefBytes + 1)
          for (let at = begin; at < end; at += apart) if (isNear(wordAt(text, at))) return at
          return -1
        }
        const end = Math.min(words.length, (until - first + 3) >> 2)
        for (let i = (begin - first) >> 2; i < end; i += apart / 4) {
          const word = words[i] as number
          const hash = hashOf(word, 0)
          const bits = bitsOf(hash)
          if (((table[hash >>> shift] as number) & bits) === bits && grams.has(word, 0)) return first + i * 4
        }
        return -1
      },
    }
  },
}

/** Whole words where the forms are long enough for them. */
function briefStride(least: number): number {
  const most = Math.min(briefStrideMax, least - briefBytes + 1)
  return most < 4 ? most : most - (most % 4)
}

/** The anchor and the bytes behind it lie within the part of a form that is hidden alone. */
const anchorMax = 24

/** Two capitals side by side are rare in logs and frequent in keys: a look at each, and a form is entered once, by its first. */
const anchored: Choice = {
  meets: (bytes, at, many) => many >= anchorMax + gramBytes && anchorIn(bytes, at) >= 0,
  open(count) {
    const grams = openGrams(count)
    return {
      span: anchorMax + gramBytes,
      reach: anchorMax,
      add(bytes, at) {
        const place = anchorIn(bytes, at)
        grams.add(wordAt(bytes, place), wordAt(bytes, place + 4))
      },
      next(view, from, until) {
        const { text, words, first } = view
        const end = Math.min(until, text.length - gramBytes + 1)
        for (let place = from; place < Math.min(first, end); place++)
          if (isAnchor(text, place) && hasAt(grams, text, place)) return place
        const last = Math.min(words.length, (end - first + 3) >> 2)
        for (let i = Math.max(0, (from - first) >> 2); i < last; i += anchorWords) {
          const many = findAnchors(view, i, Math.min(last, i + anchorWords))
          const place = firstKnown(view, { many, from, end }, grams)
          if (place >= 0) return place
        }
        return -1
      },
    }
  },
}

/** After so many words the anchors in them are looked up. */
const anchorWords = 256
const anchors = new Int32Array(4 * anchorWords)

/** Notes all anchors in these words and answers how many they are: a guess of the processor at each of them would cost more than the look. */
function findAnchors({ text, words, first }: View, from: number, until: number): number {
  let before = isCapital(text[first + 4 * from - 1]) ? -1 : 0
  let many = 0
  for (let i = from; i < until; i++) {
    // The highest bit of each byte that is a capital.
    const capitals = ~(((((words[i] as number) ^ 0x40404040) & 0xe0e0e0e0) >>> 1) + 0x7f7f7f7f) & 0x80808080
    const found = capitals & ((capitals << 8) | (before >>> 24))
    before = capitals
    if (found === 0) continue
    const place = first + 4 * i
    anchors[many] = place
    many += (found >>> 7) & 1
    anchors[many] = place + 1
    many += (found >>> 15) & 1
    anchors[many] = place + 2
    many += (found >>> 23) & 1
    anchors[many] = place + 3
    many += found >>> 31
  }
  return many
}

/** The first of the noted anchors between two places that a form may have; -1 without one. */
function firstKnown(
  { data }: View,
  { many, from, end }: { readonly many: number; readonly from: number; readonly end: number },
  { table, shift, has }: Grams,
): number {
  for (let i = 0; i < many; i++) {
    const place = anchors[i] as number
    if (place < from || place >= end) continue
    const [low, high] = [data.getInt32(place, true), data.getInt32(place + 4, true)]
    const hash = hashOf(low, high)
    const bits = bitsOf(hash)
    if (((table[hash >>> shift] as number) & bits) === bits && has(low, high)) return place
  }
  return -1
}

function anchorIn(bytes: Uint8Array, at: number): number {
  for (let place = at + 1; place <= at + anchorMax; place++) if (isAnchor(bytes, place)) return place
  return -1
}

/** The second of two capitals. */
function isAnchor(bytes: Uint8Array, place: number): boolean {
  return isCapital(bytes[place]) && isCapital(bytes[place - 1])
}

/** A capital, or one of `@[\]^_`. */
function isCapital(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xe0) === 0x40
}

/** A small table that is looked at often and wrong now and then, never when a gram is there; what it lets through is confirmed. */
interface Grams {
  readonly table: Int32Array
  readonly shift: number
  add(low: number, high: number): void
  /** Asked only for what the table lets through: in a log the same words come again and again. */
  has(low: number, high: number): boolean
}

/** Words of 32 bits: 4 KiB at least, 64 MiB at most. */
const [leastBits, mostBits] = [10, 24]
/** More are not confirmed. */
const confirmedMax = 4 * 1024 * 1024

function openGrams(count: number): Grams {
  const wanted = Math.ceil(Math.log2((count * bitsPerGram) / 32 + 1))
  const bits = Math.min(mostBits, Math.max(leastBits, wanted))
  const shift = 32 - bits
  const table = new Int32Array(1 << bits)
  const known = count > confirmedMax ? undefined : openSet(count)
  return {
    table,
    shift,
    add(low, high) {
      const hash = hashOf(low, high)
      table[hash >>> shift] = (table[hash >>> shift] as number) | bitsOf(hash)
      known?.add(otherHash(low, high))
    },
    has: (low, high) => known === undefined || known.has(otherHash(low, high)),
  }
}

/** A set of numbers of 32 bits, none of which is zero. */
function openSet(count: number): {
  readonly add: (number: number) => void
  readonly has: (number: number) => boolean
} {
  const bits = Math.max(4, Math.ceil(Math.log2(2 * count + 1)))
  const slots = new Int32Array(1 << bits)
  const last = slots.length - 1
  const slotOf = (number: number): number => {
    let slot = Math.imul(number, 0x9e3779b1) >>> (32 - bits)
    while (slots[slot] !== 0 && slots[slot] !== number) slot = (slot + 1) & last
    return slot
  }
  return {
    add(number) {
      slots[slotOf(number)] = number
    },
    has: (number) => slots[slotOf(number)] === number,
  }
}

function hasAt(grams: Grams, text: Uint8Array, at: number): boolean {
  return isIn(grams, wordAt(text, at), wordAt(text, at + 4))
}

function isIn(grams: Grams, low: number, high: number): boolean {
  const hash = hashOf(low, high)
  const bits = bitsOf(hash)
  return ((grams.table[hash >>> grams.shift] as number) & bits) === bits && grams.has(low, high)
}

function hashOf(low: number, high: number): number {
  return Math.imul(Math.imul(low, 0x9e3779b1) ^ high, 0x85ebca6b)
}

function bitsOf(hash: number): number {
  const mixed = hash ^ (hash >>> 15)
  return (1 << (mixed & 31)) | (1 << ((mixed >>> 5) & 31))
}

function otherHash(low: number, high: number): number {
  const hash = Math.imul(low ^ (low >>> 16), 0xc2b2ae35) ^ Math.imul(high, 0x27d4eb2f)
  return (hash ^ (hash >>> 13)) | 1
}

/** Four bytes from a place on. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}
