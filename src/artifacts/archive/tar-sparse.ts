/** Sparse files of a tar: only the data lies in the archive, beside a map of where it belongs. GNU's four ways to write it. */
import { fail } from '../../model/problem.ts'

/** A stretch of data; between stretches lies nothing. */
interface Stretch {
  readonly offset: number
  readonly bytes: number
}

export interface Sparse {
  /** Of the file as programs see it. */
  readonly bytes: number
  /** Absent: the map stands at the beginning of the body, as version 1.0 has it. */
  readonly map?: readonly Stretch[]
}

/** What a sparse body comes to. */
interface SparseListener {
  body(piece: Uint8Array): void
  gap(bytes: number): void
}

/** Takes the body of a sparse entry as it lies in the archive. */
export interface SparseBody {
  push(piece: Uint8Array): void
  /** Problems: archive.invalid. */
  end(): void
}

const blockBytes = 512
const mapBytesMax = 1024 * 1024
const gnuPrefix = 'GNU.sparse.'

/** What pax headers say of a sparse file; undefined when it is none. Problems: archive.invalid, archive.unsupported. */
export function sparseOfWords(words: ReadonlyMap<string, string>): Sparse | undefined {
  const of = (key: string): string | undefined => words.get(`${gnuPrefix}${key}`)
  const major = of('major')
  if (major !== undefined) {
    if (major !== '1' || of('minor') !== '0')
      return fail('archive.unsupported', `sparse files of version ${major}`)
    return { bytes: decimal(of('realsize')) }
  }
  const size = of('size') ?? of('realsize')
  const map = of('map')
  if (size === undefined || map === undefined) return undefined
  return { bytes: decimal(size), map: pairs(map === '' ? [] : map.split(',').map(decimal)) }
}

/** The name that a sparse file has; the header itself holds another for programs that do not know of them. */
export function sparseName(words: ReadonlyMap<string, string>): string | undefined {
  return words.get(`${gnuPrefix}name`)
}

/** Version 0.0 repeats its words for each stretch, where others would count the last: they become the map of version 0.1. */
export function addSparseWord(words: Map<string, string>, key: string, value: string): boolean {
  if (key !== `${gnuPrefix}offset` && key !== `${gnuPrefix}numbytes`) return false
  const map = words.get(`${gnuPrefix}map`)
  words.set(`${gnuPrefix}map`, map === undefined || map === '' ? value : `${map},${value}`)
  return true
}

/** The stretches in a header of old GNU tar, or in one of the blocks that continue it, and whether one more follows. */
export function oldStretches(
  block: Buffer,
  { at, count }: { readonly at: number; readonly count: number },
  read: (at: number) => number,
): { readonly stretches: readonly Stretch[]; readonly goesOn: boolean } {
  const stretches: Stretch[] = []
  for (let i = 0; i < count; i++) {
    const place = at + i * 24
    if (block[place] === 0) break
    stretches.push({ offset: read(place), bytes: read(place + 12) })
  }
  return { stretches, goesOn: (block[at + count * 24] ?? 0) !== 0 }
}

/** Lays the data of a body out over the file. */
export function sparseBody(
  { bytes, map }: Sparse,
  packedBytes: number,
  listener: SparseListener,
): SparseBody {
  let todo: Stretch[] | undefined = map && checked(map, bytes, packedBytes)
  let head = Buffer.alloc(0)
  let at = 0
  /** How much of the first stretch has come. */
  let had = 0

  const takeData = (piece: Uint8Array): void => {
    let rest = piece
    while (rest.length > 0) {
      const stretch = todo?.[0]
      // The map was held against the size of the data before.
      if (stretch === undefined) return
      if (had === 0 && stretch.offset > at) listener.gap(stretch.offset - at)
      const count = Math.min(rest.length, stretch.bytes - had)
      if (count > 0) listener.body(rest.subarray(0, count))
      rest = rest.subarray(count)
      had += count
      at = stretch.offset + had
      if (had < stretch.bytes) continue
      todo?.shift()
      had = 0
    }
  }

  return {
    push(piece) {
      if (todo !== undefined) return takeData(piece)
      head = Buffer.concat([head, piece])
      const read = readMap(head)
      if (read === undefined) {
        if (head.length > mapBytesMax) fail('archive.limit', 'a sparse file has a map of more than 1 MiB')
        return
      }
      todo = checked(read.map, bytes, packedBytes - read.bytes)
      takeData(head.subarray(read.bytes))
    },
    end() {
      if (todo === undefined) fail('archive.invalid', 'the map of a sparse file is cut off')
      if (bytes > at) listener.gap(bytes - at)
    },
  }
}

/** The map at the beginning of a body, in whole blocks; undefined while it is not all there. */
function readMap(head: Buffer): { readonly map: readonly Stretch[]; readonly bytes: number } | undefined {
  const lines = head.toString('latin1').split('\n')
  const [first] = lines
  if (lines.length < 2 || first === undefined) return undefined
  const numbers = decimal(first) * 2
  if (numbers > mapBytesMax) return fail('archive.limit', 'a sparse file of too many pieces')
  if (lines.length < numbers + 2) return undefined
  const words = lines.slice(0, numbers + 1)
  const bytes = Math.ceil((words.join('\n').length + 1) / blockBytes) * blockBytes
  return head.length < bytes ? undefined : { map: pairs(words.slice(1).map(decimal)), bytes }
}

/** Stretches in their order, none over another, all within the file, and as much as there is data. */
function checked(map: readonly Stretch[], bytes: number, dataBytes: number): Stretch[] {
  let end = 0
  let sum = 0
  for (const stretch of map) {
    if (stretch.offset < end) fail('archive.invalid', 'a sparse file whose pieces overlap')
    end = stretch.offset + stretch.bytes
    sum += stretch.bytes
  }
  if (end > bytes || sum !== dataBytes)
    fail('archive.invalid', 'the map of a sparse file does not fit its data')
  return map.filter((stretch) => stretch.bytes > 0)
}

function pairs(numbers: readonly number[]): readonly Stretch[] {
  if (numbers.length % 2 !== 0) return fail('archive.invalid', 'the map of a sparse file is cut off')
  return Array.from({ length: numbers.length / 2 }, (_, i) => ({
    offset: numbers[2 * i] ?? 0,
    bytes: numbers[2 * i + 1] ?? 0,
  }))
}

function decimal(digits: string | undefined): number {
  const value = digits !== undefined && /^\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN
  return Number.isSafeInteger(value)
    ? value
    : fail('archive.invalid', 'the map of a sparse file is malformed')
}
