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
  /** The first place from `from` on that may lie in the beginning of a form; -1 without one. */
  next(text: Uint8Array, from: number): number
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
      next(text, from) {
        const { words, begin } = wordsOf(text, from)
        const { table, shift } = grams
        for (let i = 0; i < words.length - 1; i += stride / 4) {
          const [low, high] = [words[i] as number, words[i + 1] as number]
          const hash = hashOf(low, high)
          const bits = bitsOf(hash)
          if (((table[hash >>> shift] as number) & bits) === bits && grams.has(low, high))
            return begin + i * 4
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
      next(text, from) {
        if (apart % 4 !== 0) {
          for (let at = from; at <= text.length - briefBytes; at += apart)
            if (isNear(wordAt(text, at))) return at
          return -1
        }
        const { words, begin } = wordsOf(text, from)
        for (let i = 0; i < words.length; i += apart / 4) {
          const word = words[i] as number
          const hash = hashOf(word, 0)
          const bits = bitsOf(hash)
          if (((table[hash >>> shift] as number) & bits) === bits && grams.has(word, 0)) return begin + i * 4
        }
        return -1
      },
    }
  },
}

/** Words of memory are read faster than single bytes. */
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
      next(text, from) {
        const { words, begin } = wordsOf(text, from)
        for (let place = from; place <= Math.min(begin, text.length - gramBytes); place++)
          if (isAnchor(text, place) && hasAt(grams, text, place)) return place
        const i = nextAnchored(words, grams)
        if (i >= 0) return begin + i
        for (
          let place = Math.max(from, begin + 4 * (words.length - 2));
          place <= text.length - gramBytes;
          place++
        )
          if (isAnchor(text, place) && hasAt(grams, text, place)) return place
        return -1
      },
    }
  },
}

/** The first known anchor that has two words behind its own, four bytes at a time; its place among the bytes of the words. */
function nextAnchored(words: Int32Array, { table, shift, has }: Grams): number {
  let before = 0
  for (let i = 0; i < words.length - 2; i++) {
    const word = words[i] as number
    // The highest bit of each byte that is a capital, or one of @[\]^_.
    const capitals = ~((((word ^ 0x40404040) & 0xe0e0e0e0) >>> 1) + 0x7f7f7f7f) & 0x80808080
    let anchors = capitals & ((capitals << 8) | (before >>> 24))
    before = capitals
    while (anchors !== 0) {
      const lane = (31 - Math.clz32(anchors & -anchors)) >>> 3
      const next = words[i + 1] as number
      const low = lane === 0 ? word : (word >>> (8 * lane)) | (next << (32 - 8 * lane))
      const high = lane === 0 ? next : (next >>> (8 * lane)) | ((words[i + 2] as number) << (32 - 8 * lane))
      const hash = hashOf(low, high)
      const bits = bitsOf(hash)
      if (((table[hash >>> shift] as number) & bits) === bits && has(low, high)) return i * 4 + lane
      anchors &= anchors - 1
    }
  }
  return -1
}

function anchorIn(bytes: Uint8Array, at: number): number {
  for (let place = at + 1; place <= at + anchorMax; place++) if (isAnchor(bytes, place)) return place
  return -1
}

/** The second of two capitals. */
function isAnchor(bytes: Uint8Array, place: number): boolean {
  return (
    ((bytes[place] as number) & 0xe0) === 0x40 && place > 0 && ((bytes[place - 1] as number) & 0xe0) === 0x40
  )
}

/** The words of memory from the first boundary on. */
function wordsOf(text: Uint8Array, from: number): { readonly words: Int32Array; readonly begin: number } {
  const begin = from + ((4 - ((text.byteOffset + from) & 3)) & 3)
  const many = Math.max(0, (text.length - begin) >> 2)
  return { words: many === 0 ? none : new Int32Array(text.buffer, text.byteOffset + begin, many), begin }
}

const none = new Int32Array()

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
