/** Where in a text a form may begin: only every few places are looked at, by the four bytes that stand there. */
import type { Form } from './redact-forms.ts'

export interface Filter {
  /** A form that begins so near to the end of a text may be missed. */
  readonly span: number
  /** The first place from an index on where a form may begin, or -1; what is shorter than a form is not looked at. */
  next(text: Uint8Array, from: number): number
}

const gramBytes = 4
/** No form is shorter. */
const formMin = 6
/** One bit each in an entry of the table. */
const strideMax = 8
/** Small enough to stay in the processor's nearest cache. */
const nearBits = 20

/** A filter for these forms: what it passes over holds none of them. The longer the shortest form is, the fewer places it looks at. */
export function makeFilter(forms: readonly Form[]): Filter {
  const shortest = forms.reduce((least, { length }) => Math.min(least, length), gramBytes + strideMax)
  const stride = Math.min(strideMax, shortest - gramBytes + 1)
  const span = stride + gramBytes - 1
  const shift = 32 - Math.min(24, Math.max(14, Math.ceil(Math.log2(forms.length * 32 + 1))))
  /** One bit for each hash of a gram. */
  const near = new Uint8Array(1 << (nearBits - 3))
  /** By the hash of a gram: at which places of a form it stands. */
  const grams = new Uint8Array(2 ** (32 - shift))
  /** By the hash of the first bytes of a form. */
  const heads = new Uint8Array(2 ** (32 - shift))
  const head = new Uint8Array(gramBytes + strideMax)
  for (const form of forms) {
    for (let at = 0; at < span; at++) head[at] = form.at(at)
    for (let place = 0; place < stride; place++) {
      const gram = gramAt(head, place)
      const bit = gram >>> (32 - nearBits)
      near[bit >> 3] = (near[bit >> 3] as number) | (1 << (bit & 7))
      grams[gram >>> shift] = (grams[gram >>> shift] as number) | (1 << place)
    }
    heads[headAt(head, 0) >>> shift] = 1
  }

  /** The first place at which a form with such a gram here may begin. */
  function startOf(gram: number, text: Uint8Array, at: number, from: number): number {
    const places = grams[gram >>> shift] as number
    for (let place = stride - 1; place >= 0; place--) {
      const start = at - place
      if ((places & (1 << place)) === 0 || start < from || start + formMin > text.length) continue
      if (heads[headAt(text, start) >>> shift] === 1) return start
    }
    return -1
  }

  return {
    span,
    next(text, from) {
      const last = text.length - gramBytes
      for (let at = from; at <= last; at += stride) {
        const gram = gramAt(text, at)
        const bit = gram >>> (32 - nearBits)
        if (((near[bit >> 3] as number) & (1 << (bit & 7))) === 0) continue
        const start = startOf(gram, text, at, from)
        if (start >= 0) return start
      }
      return -1
    },
  }
}

function gramAt(bytes: Uint8Array, at: number): number {
  const word =
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  return Math.imul(word, 0x9e3779b1)
}

function headAt(bytes: Uint8Array, at: number): number {
  const rest = (bytes[at + 4] as number) | ((bytes[at + 5] as number) << 8)
  return Math.imul(gramAt(bytes, at) ^ Math.imul(rest, 0x85ebca6b), 0xc2b2ae35)
}
