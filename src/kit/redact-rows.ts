/** The forms of secrets as rows of numbers: what each is a form of, and its first bytes. */
import { type Alphabet, alphabets, base64, base64Length, type Form, hex, hexStyles } from './redact-forms.ts'
import { inDocuments, pieceEnd, type Writing, writings } from './redact-writings.ts'

/** Shorter values would blot out half a log, and these words are never secret. */
const shortest = 6
const harmless = new Set(['true', 'false', 'admin', 'localhost', 'password', 'default', 'secret'])
/** A line of a text that stands alone must be longer to be told from an ordinary word. */
const shortestLine = 8
/** Programs break Base64 after 64 or 76 characters: these are the bytes on a line. */
const wraps = [48, 57] as const
/** Of longer values a line of Base64 is hidden only where it goes on from the one before. */
const wrappedMax = 64 * 1024

/** Whether a value is long and odd enough to be looked for. */
export function worthHiding(value: string): boolean {
  return value.length >= shortest && !harmless.has(value.toLowerCase()) && !/^\d{1,7}$/.test(value)
}

/** What an entry is a form of: the numbers of its row. */
export const kinds = {
  word: -1,
  line: 0,
  wrapped: 1,
  written: 2,
  hex: 2 + writings.length,
  base64: 2 + writings.length + hexStyles.length,
  document: 2 + writings.length + hexStyles.length + 3 * alphabets.length,
} as const

/** So much of the beginning of a form is kept; by it the form is looked for. */
const headBytes = 32
/** Columns of a row: which value, which kind of form, from where and how many bytes of it; the beginning, and how much of it stands together. */
export const columns = 5 + headBytes / 4
export const [ofKind, ofFrom, ofLength, ofTogether, ofHead] = [1, 2, 3, 4, 5] as const
/** A program may break a form behind so many bytes; what is a line already is broken in its midst at most. */
const unbrokenBytes = 11
/** No form is shorter, and so many bytes decide where a form is looked for. */
export const keyBytes = 6

export interface Rows {
  readonly count: number
  data(): Int32Array
  add(row: Row): void
}

interface Row {
  readonly value: number
  readonly kind: number
  readonly from: number
  readonly length: number
  /** At least the first 32 bytes, or all of the form. */
  readonly head: Uint8Array
  readonly at?: number
  /** How many bytes of the beginning are not parted by a line break. */
  readonly together?: number
}

/** Rows in one flat array, which grows. */
export function openRows(): Rows {
  let data = new Int32Array(columns * 256)
  let count = 0
  const word = new Uint8Array(headBytes)
  const words = new Int32Array(word.buffer)
  return {
    get count() {
      return count
    },
    data: () => data,
    add({ value, kind, from, length, head, at = 0, together = unbrokenBytes }) {
      const many = Math.min(headBytes, head.length - at)
      if (many < keyBytes) return
      for (let i = 0; i < headBytes; i++) word[i] = i < many ? (head[at + i] as number) : 0
      if ((count + 1) * columns > data.length) {
        const larger = new Int32Array(data.length * 2)
        larger.set(data)
        data = larger
      }
      const base = count * columns
      data[base] = value
      data[base + ofKind] = kind
      data[base + ofFrom] = from
      data[base + ofLength] = length
      data[base + ofTogether] = Math.min(many, Math.max(together, unbrokenBytes))
      data.set(words, base + ofHead)
      count++
    },
  }
}

/** Adds a row for each form of a value, or only for those in which it cannot be read. */
export function* addForms(
  rows: Rows,
  value: number,
  text: string,
  isWhole: boolean,
): Generator<undefined, void> {
  const bytes = Buffer.from(text)
  const present = signsIn(bytes)
  if (isWhole) addWritten(rows, { value, text, bytes, present })
  addEncoded(rows, { value, text, bytes, present })
  yield
  if (bytes.length <= wrappedMax) yield* addWrapped(rows, value, bytes)
  if (isWhole && present[0x0a] === 1) yield* addLines(rows, value, bytes)
}

interface Value {
  readonly value: number
  readonly text: string
  readonly bytes: Buffer
  readonly present: Uint8Array
}

function beginningOf(text: string): string {
  return text.slice(0, pieceEnd(text, 0, 2 * headBytes))
}

function addWritten(rows: Rows, { value, text, bytes, present }: Value): void {
  const all = { value, from: 0, length: bytes.length }
  rows.add({ ...all, kind: kinds.line, head: bytes })
  const beginning = beginningOf(text)
  for (const [index, { changes, write }] of writings.entries())
    if (applies(changes, present))
      rows.add({ ...all, kind: kinds.written + index, head: Buffer.from(write(beginning)) })
}

/** Hexadecimal and Base64, also of documents that hold the text. */
function addEncoded(rows: Rows, { value, text, bytes, present }: Value): void {
  const all = { value, from: 0, length: bytes.length }
  const beginning = beginningOf(text)
  for (const [index, { changes, write }] of inDocuments.entries()) {
    if (!applies(changes, present)) continue
    const head = Buffer.from(write(beginning))
    for (const before of [0, 1, 2])
      rows.add({
        ...all,
        kind: kinds.document + 3 * index + before,
        head: startOfBase64(head, 'base64', before),
      })
  }
  for (const [index, style] of hexStyles.entries())
    rows.add({ ...all, kind: kinds.hex + index, head: startOf(hex(bytes.subarray(0, headBytes), style)) })
  for (const [index, alphabet] of alphabets.entries()) {
    for (const before of [0, 1, 2])
      rows.add({
        ...all,
        kind: kinds.base64 + 3 * index + before,
        head: startOfBase64(bytes, alphabet, before),
      })
  }
}

function startOf(form: Form): Uint8Array {
  return form.run(0).subarray(0, headBytes)
}

function startOfBase64(bytes: Buffer, alphabet: Alphabet, before: number): Uint8Array {
  const signs = base64Length(Math.min(bytes.length, headBytes), before)
  return startOf(base64(bytes.subarray(0, headBytes), alphabet, before)).subarray(0, signs)
}

function applies({ signs, wide }: Writing['changes'], present: Uint8Array): boolean {
  return (wide && present[0x80] === 1) || touches(signs, present)
}

/** Which bytes occur in a text; place 0x80 stands for all from there on. */
function signsIn(bytes: Uint8Array): Uint8Array {
  const present = new Uint8Array(256)
  for (let i = 0; i < bytes.length; i++) present[bytes[i] as number] = 1
  if (present.subarray(0x80).includes(1)) present[0x80] = 1
  return present
}

function touches(signs: string, present: Uint8Array): boolean {
  for (let i = 0; i < signs.length; i++) if (present[signs.charCodeAt(i)] === 1) return true
  return false
}

const base64Signs = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')

/** The lines of wrapped Base64 after the first, which is the beginning of the whole. */
function* addWrapped(rows: Rows, value: number, bytes: Uint8Array): Generator<undefined, void> {
  const head = new Uint8Array(headBytes)
  for (const width of wraps) {
    for (let from = width; from + keyBytes <= bytes.length; from += width) {
      const length = Math.min(width, bytes.length - from)
      const signs = Math.min(headBytes, base64Length(length, 0))
      for (let i = 0; i < signs; i++) head[i] = base64SignAt(bytes, from, i)
      rows.add({
        value,
        kind: kinds.wrapped,
        from,
        length,
        head: signs < headBytes ? head.subarray(0, signs) : head,
        together: base64Length(length, 0) >> 1,
      })
      yield
    }
  }
}

function base64SignAt(bytes: Uint8Array, from: number, index: number): number {
  const bit = index * 6
  const at = from + (bit >> 3)
  const pair = ((bytes[at] as number) << 8) | (bytes[at + 1] ?? 0)
  return base64Signs[(pair >> (10 - (bit & 7))) & 63] as number
}

/** The lines of a text that may be seen alone; the frame of a PEM block says nothing. */
function* addLines(rows: Rows, value: number, bytes: Buffer): Generator<undefined, void> {
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(0x0a, from)
    const end = found < 0 ? bytes.length : found
    const [begin, stop] = trimmed(bytes, from, end)
    from = end + 1
    if (stop - begin < shortestLine || isFrame(bytes, begin)) continue
    if (stop - begin <= 16 && !worthHiding(bytes.toString('utf8', begin, stop))) continue
    const head = bytes.subarray(0, stop)
    const length = stop - begin
    rows.add({ value, kind: kinds.line, from: begin, length, head, at: begin, together: length >> 1 })
    yield
  }
}

function trimmed(bytes: Uint8Array, from: number, end: number): readonly [number, number] {
  let [begin, stop] = [from, end]
  while (begin < stop && isBlank(bytes[begin] as number)) begin++
  while (stop > begin && isBlank(bytes[stop - 1] as number)) stop--
  return [begin, stop]
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}

function isFrame(bytes: Uint8Array, from: number): boolean {
  for (let i = 0; i < 5; i++) if (bytes[from + i] !== 0x2d) return false
  return true
}
