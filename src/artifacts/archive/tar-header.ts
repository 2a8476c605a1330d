/** One header block of a tar: ustar, GNU and pax numbers and names, read strictly. */
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import { addSparseWord, oldStretches, type Sparse, sparseName, sparseOfWords } from './tar-sparse.ts'

export type TarKind = 'file' | 'folder' | 'link' | 'hard-link' | 'device' | 'pipe'

/** An entry; names are byte strings (one character per byte), since Linux promises no encoding. */
export interface TarEntry {
  readonly kind: TarKind
  readonly path: string
  readonly target: string
  /** Of its body as it lies in the archive. */
  readonly bytes: number
  /** How its body makes up the file, where that has holes. */
  readonly sparse?: Sparse
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Seconds since 1970. */
  readonly mtime: number
}

/** What one block says: an entry, more words about the next entry, or nothing of interest. */
export type TarHeader =
  /** `goesOn`: blocks with more of its sparse map follow. */
  | { readonly kind: 'entry'; readonly entry: TarEntry; readonly goesOn?: boolean }
  | { readonly kind: 'pax' | 'global-pax' | 'long-name' | 'long-target' | 'skip'; readonly bytes: number }

export const blockBytes = 512

const kinds: Readonly<Record<string, TarKind>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  S: 'file',
  '1': 'hard-link',
  '2': 'link',
  '3': 'device',
  '4': 'device',
  '5': 'folder',
  '6': 'pipe',
}

const extensions: Readonly<Record<string, 'pax' | 'global-pax' | 'long-name' | 'long-target' | 'skip'>> = {
  x: 'pax',
  g: 'global-pax',
  L: 'long-name',
  K: 'long-target',
  V: 'skip',
}

/** Reads a header block. Problems: archive.invalid, archive.unsupported. */
export function readHeader(block: Uint8Array): TarHeader {
  const bytes = Buffer.from(block.buffer, block.byteOffset, blockBytes)
  checkSum(bytes)
  const flag = String.fromCharCode(bytes[156] ?? 0)
  const size = number(bytes, 124, 12, 'size')
  const extension = extensions[flag]
  if (extension !== undefined) return { kind: extension, bytes: size }
  const kind = kinds[flag]
  if (kind === undefined) {
    return fail('archive.unsupported', `an entry of type ${JSON.stringify(flag)}`)
  }
  const path = nameOf(bytes)
  const old = flag === 'S' ? oldSparse(bytes) : undefined
  return {
    kind: 'entry',
    ...(old === undefined ? {} : { goesOn: old.goesOn }),
    entry: {
      // Before ustar a trailing slash was what made a folder.
      kind: kind === 'file' && path.endsWith('/') ? 'folder' : kind,
      path,
      target: text(bytes, 157, 100),
      // Others have no body, whatever size some programs write there.
      bytes: kind === 'file' ? size : 0,
      mode: number(bytes, 100, 8, 'mode') & 0o7777,
      uid: owner(signed(bytes, 108, 8, 'uid')),
      gid: owner(signed(bytes, 116, 8, 'gid')),
      mtime: signed(bytes, 136, 12, 'mtime'),
      ...(old === undefined ? {} : { sparse: old.sparse }),
    },
  }
}

/** One more block of the sparse map of old GNU tar. */
export function continueMap(
  entry: TarEntry,
  block: Buffer,
): { readonly entry: TarEntry; readonly goesOn: boolean } {
  const read = (at: number): number => number(block, at, 12, 'sparse map')
  const { stretches, goesOn } = oldStretches(block, { at: 0, count: 21 }, read)
  const { bytes, map = [] } = entry.sparse ?? { bytes: 0 }
  const all = [...map, ...stretches]
  if (all.length > stretchesMax) fail('archive.limit', 'a sparse file of too many pieces')
  return { entry: { ...entry, sparse: { bytes, map: all } }, goesOn }
}

const stretchesMax = 100_000

function oldSparse(bytes: Buffer): { readonly sparse: Sparse; readonly goesOn: boolean } {
  const read = (at: number): number => number(bytes, at, 12, 'sparse map')
  const { stretches, goesOn } = oldStretches(bytes, { at: 386, count: 4 }, read)
  return { sparse: { bytes: read(483), map: stretches }, goesOn }
}

/** The kernel takes owners as 32 bits, whatever a packer's system counts in. */
function owner(id: number): number {
  return Number(BigInt.asUintN(32, BigInt(id)))
}

/** Reads the records of a pax header, each `LENGTH KEY=VALUE\n`. Problems: archive.invalid. */
export function readPax(bytes: Uint8Array): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (at < body.length) {
    const space = body.indexOf(0x20, at)
    const digits = space < 0 ? '' : body.toString('latin1', at, space)
    const length = /^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : 0
    const end = at + length
    const equals = body.indexOf(0x3d, space)
    if (length === 0 || end > body.length || body[end - 1] !== 0x0a || equals < 0 || equals >= end) {
      return fail('archive.invalid', 'a pax header is malformed')
    }
    const key = body.toString('latin1', space + 1, equals)
    const value = body.toString('latin1', equals + 1, end - 1)
    if (!addSparseWord(words, key, value)) words.set(key, value)
    at = end
  }
  return words
}

/** An entry with what pax and GNU headers before it said instead. Problems: archive.invalid, archive.unsupported. */
export function withWords(entry: TarEntry, words: ReadonlyMap<string, string>): TarEntry {
  const sparse = sparseOfWords(words) ?? entry.sparse
  const path = sparseName(words) ?? words.get('path') ?? entry.path
  const size = words.get('size')
  return {
    kind: entry.kind === 'file' && path.endsWith('/') ? 'folder' : entry.kind,
    path: clean(path),
    target: clean(words.get('linkpath') ?? entry.target),
    bytes: size === undefined || entry.kind !== 'file' ? entry.bytes : decimal(size, 'size'),
    mode: entry.mode,
    uid: words.has('uid') ? owner(integer(words.get('uid') ?? '', 'uid')) : entry.uid,
    gid: words.has('gid') ? owner(integer(words.get('gid') ?? '', 'gid')) : entry.gid,
    mtime: words.has('mtime') ? Number.parseFloat(words.get('mtime') ?? '') || 0 : entry.mtime,
    ...present({ sparse }),
  }
}

function nameOf(bytes: Buffer): string {
  const name = text(bytes, 0, 100)
  // Only POSIX ustar has a prefix there; GNU keeps other things in the same bytes.
  const posix = bytes.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = posix ? text(bytes, 345, 155) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

/** A zero byte inside would name one path here and another to programs written in C. */
function clean(name: string): string {
  return name.includes('\0') ? fail('archive.invalid', 'a name holds a zero byte') : name
}

function text(bytes: Buffer, at: number, length: number): string {
  const end = bytes.indexOf(0, at)
  return bytes.toString('latin1', at, end < 0 || end > at + length ? at + length : end)
}

function checkSum(bytes: Buffer): void {
  let unsigned = 8 * 0x20
  let signedSum = unsigned
  for (let i = 0; i < blockBytes; i++) {
    if (i === 148) i = 156
    const byte = bytes[i] ?? 0
    unsigned += byte
    signedSum += byte > 127 ? byte - 256 : byte
  }
  const said = number(bytes, 148, 8, 'checksum')
  // Some old programs summed signed bytes.
  if (said !== unsigned && said !== signedSum) fail('archive.invalid', 'a header has a wrong checksum')
}

function number(bytes: Buffer, at: number, length: number, what: string): number {
  const value = signed(bytes, at, length, what)
  return value < 0 ? fail('archive.invalid', `a header has a negative ${what}`) : value
}

/** Octal digits, or with the top bit set a big-endian number of GNU's. */
function signed(bytes: Buffer, at: number, length: number, what: string): number {
  const first = bytes[at] ?? 0
  if (first & 0x80) return base256(bytes, at, length, what)
  const digits = text(bytes, at, length).trim()
  if (digits === '') return 0
  const value = /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN
  return Number.isSafeInteger(value) ? value : fail('archive.invalid', `a header has a malformed ${what}`)
}

function base256(bytes: Buffer, at: number, length: number, what: string): number {
  const negative = (bytes[at] ?? 0) === 0xff
  let value = 0n
  for (let i = 0; i < length; i++) {
    const byte = bytes[at + i] ?? 0
    value = value * 256n + BigInt(i === 0 && !negative ? byte & 0x7f : byte)
  }
  if (negative) value -= 256n ** BigInt(length)
  const result = Number(value)
  return Number.isSafeInteger(result) ? result : fail('archive.invalid', `a header has an oversized ${what}`)
}

function integer(digits: string, what: string): number {
  return digits.startsWith('-') ? -decimal(digits.slice(1), what) : decimal(digits, what)
}

function decimal(digits: string, what: string): number {
  const value = /^\d+$/.test(digits) ? Number(digits) : Number.NaN
  return Number.isSafeInteger(value) ? value : fail('archive.invalid', `a pax header has a malformed ${what}`)
}
