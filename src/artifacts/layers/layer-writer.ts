/** Writes the entries of one layer into its own empty folder; nothing it does can reach outside of it. */

import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  ftruncateSync,
  futimesSync,
  lchownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { never } from '../../kit/assert.ts'
import { fail } from '../../model/problem.ts'
import { lastOf, layerPath, parentOf, rootedPath, shownPath } from '../archive/names.ts'
import type { TarEntry } from '../archive/tar-header.ts'
import type { TarListener } from '../archive/tar-parser.ts'
import { bytesOf, onDisk } from './byte-path.ts'
import type { LayerNotes, LayerOrder } from './layer-order.ts'

/** What this layer has at a path so far. The folder was empty and is ours alone, so memory knows as well as the disk. */
type Node =
  | { readonly kind: 'folder'; readonly entry?: TarEntry }
  | { readonly kind: 'file' }
  | { readonly kind: 'link'; readonly target: string }

const file: Node = { kind: 'file' }
const implicitFolder: Node = { kind: 'folder' }
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const linkHopsMax = 40

/** A class for what it keeps between the calls of the parser. */
export class LayerWriter implements TarListener {
  readonly #order: LayerOrder
  readonly #tree = new Map<string, Node>([['', implicitFolder]])
  readonly #whiteouts = new Set<string>()
  readonly #opaque = new Set<string>()
  readonly #skipped: string[] = []
  #entries = 0
  #bytes = 0
  #descriptor: number | undefined
  /** Where in the open file the next piece goes. */
  #at = 0
  #present: TarEntry | undefined

  constructor(order: LayerOrder) {
    this.#order = order
  }

  entry(entry: TarEntry): void {
    this.#count(entry.sparse?.bytes ?? entry.bytes)
    const path = layerPath(entry.path, this.#order.limits)
    const name = lastOf(path)
    if (name.startsWith('.wh.')) this.#whiteout(parentOf(path), name.slice('.wh.'.length))
    else this.#write(path, entry)
  }

  #write(path: string, entry: TarEntry): void {
    switch (entry.kind) {
      case 'folder':
        this.#makeFolder(path, entry)
        return
      case 'file':
        this.#descriptor = openSync(onDisk(this.#order.folder, this.#place(path, file)), newFile, 0o600)
        this.#present = entry
        this.#at = 0
        return
      case 'link':
        this.#makeLink(path, entry)
        return
      case 'hard-link':
        this.#makeHardLink(path, entry)
        return
      case 'device':
      case 'pipe':
        // A program may open no device but those of the /dev that every engine mounts.
        this.#skipped.push(path)
        return
      default:
        never(entry.kind)
    }
  }

  body(piece: Uint8Array): void {
    if (this.#descriptor === undefined) return
    for (let done = 0; done < piece.length; ) {
      const count = writeSync(this.#descriptor, piece, done, piece.length - done, this.#at)
      done += count
      this.#at += count
    }
  }

  gap(bytes: number): void {
    this.#at += bytes
  }

  end(): void {
    const descriptor = this.#descriptor
    const entry = this.#present
    if (descriptor === undefined || entry === undefined) return
    this.#descriptor = undefined
    if (entry.sparse !== undefined) ftruncateSync(descriptor, entry.sparse.bytes)
    // The order counts: a change of owner clears the setuid bit, a write changes the time.
    if (this.#order.owners && (entry.uid !== 0 || entry.gid !== 0))
      fchownSync(descriptor, entry.uid, entry.gid)
    fchmodSync(descriptor, entry.mode)
    futimesSync(descriptor, entry.mtime, entry.mtime)
    closeSync(descriptor)
  }

  /** Deletions and the attributes of folders, which must come last; then what there is to tell. */
  finish(): LayerNotes {
    this.#placeWhiteouts()
    const folders = [...this.#tree].filter(([, node]) => node.kind === 'folder')
    for (const [path, node] of folders.toReversed()) {
      if (node.kind === 'folder' && node.entry !== undefined) this.#dress(path, node.entry)
    }
    return {
      entries: this.#entries,
      bytes: this.#bytes,
      whiteouts: [...this.#whiteouts],
      opaque: [...this.#opaque],
      implicit: folders.flatMap(([path, node]) => (node.kind === 'folder' && node.entry ? [] : [path])),
      skipped: this.#skipped,
    }
  }

  /** Lets go of an open file after a failure. */
  abandon(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #count(bytes: number): void {
    const { archiveEntriesMax, archiveBytesMax } = this.#order.limits
    this.#entries++
    this.#bytes += bytes
    if (this.#entries > archiveEntriesMax) fail('archive.limit', `more than ${archiveEntriesMax} entries`)
    if (this.#bytes > archiveBytesMax) fail('archive.limit', `more than ${archiveBytesMax} bytes unpacked`)
  }

  #makeFolder(path: string, entry: TarEntry): void {
    const node: Node = { kind: 'folder', entry }
    if (path === '' || this.#tree.get(path)?.kind === 'folder') {
      this.#tree.set(path, node)
      return
    }
    mkdirSync(onDisk(this.#order.folder, this.#place(path, node)), 0o700)
  }

  #makeLink(path: string, entry: TarEntry): void {
    if (entry.target === '') fail('archive.invalid', `the link ${shownPath(path)} leads nowhere`)
    if (entry.target.length > 4095) fail('archive.limit', `the link ${shownPath(path)} is too long`)
    const place = onDisk(this.#order.folder, this.#place(path, { kind: 'link', target: entry.target }))
    symlinkSync(bytesOf(entry.target), place)
    if (this.#order.owners && (entry.uid !== 0 || entry.gid !== 0)) lchownSync(place, entry.uid, entry.gid)
    lutimesSync(place, entry.mtime, entry.mtime)
  }

  #makeHardLink(path: string, entry: TarEntry): void {
    const named = layerPath(entry.target, this.#order.limits)
    const target = join(this.#folder(parentOf(named), 0), lastOf(named))
    const node = this.#tree.get(target)
    if (node === undefined || node.kind === 'folder') {
      fail(
        'archive.link-unsafe',
        `${shownPath(path)} is a hard link to ${shownPath(entry.target)}, no file of this layer`,
      )
    }
    // One that names itself would be deleted to make room for itself.
    if (join(this.#folder(parentOf(path), 0), lastOf(path)) === target) return
    linkSync(onDisk(this.#order.folder, target), onDisk(this.#order.folder, this.#place(path, node)))
  }

  #whiteout(folder: string, name: string): void {
    if (name === '.wh..opq') {
      this.#opaque.add(this.#folder(folder, 0))
      return
    }
    // Other names of this shape are housekeeping of aufs.
    if (name.startsWith('.wh.')) return
    if (name === '' || name === '.' || name === '..') {
      fail('archive.path-unsafe', `the whiteout ${shownPath(join(folder, `.wh.${name}`))} deletes no file`)
    }
    this.#whiteouts.add(join(this.#folder(folder, 0), name))
  }

  #placeWhiteouts(): void {
    for (const path of this.#whiteouts) {
      const node = this.#tree.get(path)
      if (node === undefined) {
        if (this.#order.whiteout !== undefined)
          linkSync(this.#order.whiteout, onDisk(this.#order.folder, path))
        continue
      }
      // Deleted below and made anew here: a file hides the old one by itself, a folder must not let it show through.
      this.#whiteouts.delete(path)
      if (node.kind === 'folder') this.#opaque.add(path)
    }
  }

  /** Makes room for a new entry and answers where it really goes. */
  #place(path: string, node: Node): string {
    if (path === '') fail('archive.conflict', 'the root is not a folder')
    const parent = parentOf(path)
    const place =
      this.#tree.get(parent)?.kind === 'folder' ? path : join(this.#folder(parent, 0), lastOf(path))
    const there = this.#tree.get(place)
    if (there?.kind === 'folder')
      fail('archive.conflict', `${shownPath(path)} is a folder and something else`)
    if (there !== undefined) unlinkSync(onDisk(this.#order.folder, place))
    this.#tree.delete(place)
    this.#tree.set(place, node)
    return place
  }

  /** The real folder behind a path; links are followed only inside this layer, missing folders are made. */
  #folder(path: string, hops: number): string {
    const node = this.#tree.get(path)
    if (node?.kind === 'folder') return path
    if (node?.kind === 'file') return fail('archive.conflict', `${shownPath(path)} is a file and a folder`)
    if (node?.kind === 'link') {
      // Memory answers what the link leads to; the disk is never asked to follow one.
      if (hops >= linkHopsMax)
        return fail('archive.link-unsafe', `an entry lies behind a circle of links, ${shownPath(path)}`)
      return this.#folder(rootedPath(path, node.target), hops + 1)
    }
    const real = join(this.#folder(parentOf(path), hops), lastOf(path))
    if (real !== path && this.#tree.has(real)) return this.#folder(real, hops + 1)
    this.#count(0)
    mkdirSync(onDisk(this.#order.folder, real), 0o755)
    this.#tree.set(real, implicitFolder)
    return real
  }

  #dress(path: string, entry: TarEntry): void {
    const place = onDisk(this.#order.folder, path)
    if (this.#order.owners && (entry.uid !== 0 || entry.gid !== 0)) chownSync(place, entry.uid, entry.gid)
    chmodSync(place, this.#order.owners ? entry.mode : entry.mode | 0o700)
    utimesSync(place, entry.mtime, entry.mtime)
  }
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}
