/** A tar taken apart as its bytes come in: synchronous, without copying bodies, bounded in what it remembers. */
import { fail } from '../../model/problem.ts'
import { blockBytes, continueMap, readHeader, readPax, type TarEntry, withWords } from './tar-header.ts'
import { type SparseBody, sparseBody } from './tar-sparse.ts'

export interface TarListener {
  /** A new entry; `offset` is where its body starts in the tar. */
  entry(entry: TarEntry, offset: number): void
  /** A piece of the body of the last entry; valid only during the call. */
  body(piece: Uint8Array): void
  /** Zeros of the last entry that the archive leaves out; a consumer without this method takes no sparse files. */
  gap?(bytes: number): void
  /** The body of the last entry is complete. */
  end(): void
}

export interface TarParser {
  push(chunk: Uint8Array): void
  /** Leaves out what is left of a body and answers how many bytes that is: for tars that can be sought in. */
  skip(): number
  /** No more bytes come. Problems: archive.invalid when the tar is cut off. */
  finish(): void
}

/** Longest pax header or GNU name taken: paths have 4 KiB, extended attributes some more. */
const wordsBytesMax = 1024 * 1024

/** Makes a parser. Problems: archive.invalid, archive.unsupported, and what the listener throws. */
export function tarParser(listener: TarListener): TarParser {
  return new Parser(listener)
}

type Part = 'header' | 'map' | 'body' | 'words' | 'padding' | 'over'

/** A class for speed: its fields are one hidden shape, read for each of some 100,000 blocks. */
class Parser implements TarParser {
  readonly #listener: TarListener
  #part: Part = 'header'
  readonly #block = Buffer.alloc(blockBytes)
  #filled = 0
  #offset = 0
  /** Bytes of the present part still to come. */
  #left = 0
  #padding = 0
  #zeroBlocks = 0
  #wordsKind: 'pax' | 'global-pax' | 'long-name' | 'long-target' | 'skip' = 'pax'
  #words: Uint8Array[] = []
  #globals: ReadonlyMap<string, string> = new Map()
  #next = new Map<string, string>()
  /** An entry whose sparse map is not complete. */
  #mapped: TarEntry | undefined
  #sparse: SparseBody | undefined

  constructor(listener: TarListener) {
    this.#listener = listener
  }

  push(chunk: Uint8Array): void {
    let at = 0
    while (at < chunk.length) {
      const taken = this.#take(chunk, at)
      at += taken
      this.#offset += taken
      if (this.#left === 0) this.#complete()
    }
  }

  skip(): number {
    if (this.#part !== 'body' && this.#part !== 'padding') return 0
    let skipped = 0
    while (this.#part === 'body' || this.#part === 'padding') {
      const count = this.#left
      skipped += count
      this.#offset += count
      this.#left = 0
      this.#complete()
    }
    return skipped
  }

  finish(): void {
    if (this.#part === 'over') return
    if (this.#part !== 'header' || this.#filled > 0 || this.#next.size > 0) {
      fail('archive.invalid', 'the tar is cut off')
    }
  }

  #take(chunk: Uint8Array, at: number): number {
    switch (this.#part) {
      case 'map':
      case 'header': {
        const count = Math.min(blockBytes - this.#filled, chunk.length - at)
        this.#block.set(chunk.subarray(at, at + count), this.#filled)
        this.#filled += count
        this.#left = blockBytes - this.#filled
        return count
      }
      case 'body':
      case 'words': {
        const count = Math.min(this.#left, chunk.length - at)
        const piece = chunk.subarray(at, at + count)
        if (this.#part === 'body') this.#body(piece)
        else this.#words.push(Uint8Array.from(piece))
        this.#left -= count
        return count
      }
      case 'padding': {
        const count = Math.min(this.#left, chunk.length - at)
        this.#left -= count
        return count
      }
      case 'over':
        // What follows the two zero blocks is filling of the record and no part of the archive.
        return chunk.length - at
    }
  }

  #complete(): void {
    switch (this.#part) {
      case 'header':
        this.#header()
        return
      case 'map':
        this.#continueMap()
        return
      case 'body':
        this.#sparse?.end()
        this.#sparse = undefined
        this.#listener.end()
        this.#go('padding', this.#padding)
        return
      case 'words':
        this.#endOfWords()
        this.#go('padding', this.#padding)
        return
      case 'padding':
        this.#go('header', blockBytes)
        return
      case 'over':
        return
    }
  }

  /** Enters a part; one without bytes is left at once. */
  #go(part: Part, bytes: number): void {
    this.#part = part
    this.#left = bytes
    this.#filled = 0
    if (bytes === 0 && part !== 'over') this.#complete()
  }

  #header(): void {
    if (isZero(this.#block)) {
      if (this.#next.size > 0) fail('archive.invalid', 'the tar is cut off')
      this.#zeroBlocks++
      this.#go(this.#zeroBlocks === 2 ? 'over' : 'header', blockBytes)
      return
    }
    if (this.#zeroBlocks > 0) fail('archive.invalid', 'an entry follows the end of the tar')
    const header = readHeader(this.#block)
    if (header.kind !== 'entry') {
      if (header.bytes > wordsBytesMax)
        fail('archive.limit', `a ${header.kind} header of ${header.bytes} bytes`)
      this.#wordsKind = header.kind
      this.#words = []
      this.#padding = paddingOf(header.bytes)
      this.#go('words', header.bytes)
      return
    }
    const words = this.#globals.size === 0 ? this.#next : new Map([...this.#globals, ...this.#next])
    const entry = words.size === 0 ? header.entry : withWords(header.entry, words)
    if (this.#next.size > 0) this.#next = new Map()
    if (header.goesOn === true) {
      this.#mapped = entry
      this.#go('map', blockBytes)
    } else this.#begin(entry)
  }

  #continueMap(): void {
    if (this.#mapped === undefined) return
    const { entry, goesOn } = continueMap(this.#mapped, this.#block)
    this.#mapped = goesOn ? entry : undefined
    if (goesOn) this.#go('map', blockBytes)
    else this.#begin(entry)
  }

  #begin(entry: TarEntry): void {
    const { sparse, bytes } = entry
    const listener = this.#listener
    if (sparse !== undefined) {
      const gap = listener.gap?.bind(listener)
      this.#sparse =
        gap === undefined || entry.kind !== 'file'
          ? fail('archive.unsupported', 'a sparse file')
          : sparseBody(sparse, bytes, { body: (piece) => listener.body(piece), gap })
    }
    listener.entry(entry, this.#offset)
    this.#padding = paddingOf(bytes)
    this.#go('body', bytes)
  }

  #body(piece: Uint8Array): void {
    if (this.#sparse === undefined) this.#listener.body(piece)
    else this.#sparse.push(piece)
  }

  #endOfWords(): void {
    const bytes = Buffer.concat(this.#words)
    this.#words = []
    switch (this.#wordsKind) {
      case 'pax':
        for (const [key, value] of readPax(bytes)) this.#next.set(key, value)
        return
      case 'global-pax':
        this.#globals = new Map([...this.#globals, ...readPax(bytes)])
        return
      case 'long-name':
      case 'long-target': {
        const key = this.#wordsKind === 'long-name' ? 'path' : 'linkpath'
        const end = bytes.indexOf(0)
        this.#next.set(key, bytes.toString('latin1', 0, end < 0 ? bytes.length : end))
        return
      }
      case 'skip':
        return
    }
  }
}

function paddingOf(bytes: number): number {
  return (blockBytes - (bytes % blockBytes)) % blockBytes
}

function isZero(block: Buffer): boolean {
  for (let i = 0; i < blockBytes; i += 4) if (block.readInt32LE(i) !== 0) return false
  return true
}
