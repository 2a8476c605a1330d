/** Brings back what a program left in its container, which an engine hands out as a tar. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { plainPath } from '../artifacts/archive/names.ts'
import type { TarEntry } from '../artifacts/archive/tar-header.ts'
import { tarParser } from '../artifacts/archive/tar-parser.ts'
import { onDisk } from '../artifacts/layers/byte-path.ts'
import type { Clock } from '../kit/clock.ts'
import type { Want } from '../model/job.ts'
import type { Got } from '../model/report.ts'
import { type Collection, collectFile, collectFiles, collectTar } from './collect.ts'

type PathWant = Extract<Want, { kind: 'file' | 'kept-file' | 'files' | 'tar' }>

/** Room for headers beside the contents. */
const headerBytes = 1024 * 1024

export interface Packed {
  readonly entry: TarEntry
  readonly bytes: Uint8Array
}

/** What was read of a tar, the wanted folder itself first. */
export interface Unpacked {
  readonly items: readonly Packed[]
  /** There was more than was wanted. */
  readonly cut: boolean
}

/** A container as engines show it. */
export interface Inside {
  readonly clock: Clock
  stat(path: string): Promise<{ readonly isLink: boolean } | undefined>
  read(path: string, bytesMax: number): Promise<Unpacked | undefined>
}

/** Reads a tar as it comes, and no more of it than is wanted. */
export function tarReader(bytesMax: number): { push(piece: Uint8Array): boolean; read(): Unpacked } {
  const items: { entry: TarEntry; pieces: Uint8Array[] }[] = []
  const parser = tarParser({
    entry: (entry) => {
      items.push({ entry, pieces: [] })
    },
    body: (piece) => {
      items.at(-1)?.pieces.push(Uint8Array.from(piece))
    },
    end: () => undefined,
  })
  let bytes = 0
  return {
    /** Answers whether more is wanted. */
    push(piece) {
      bytes += piece.length
      if (bytes <= bytesMax) parser.push(piece)
      return bytes <= bytesMax
    },
    read: () => ({
      items: items.map(({ entry, pieces }) => ({ entry, bytes: Buffer.concat(pieces) })),
      cut: bytes > bytesMax,
    }),
  }
}

/** Every runtime makes it, so it is missing only while the engine takes the file system of a container down. */
const surelyThere = '/proc'
const patienceMs = 10_000
/** Taking it down may fall between any two questions, but only once or twice. */
const missesToBelieve = 3

/** What lies there. An engine that is just tidying up after a program shows nothing for a moment. */
export async function collectInside(at: Inside, want: PathWant, note: (text: string) => void): Promise<Got> {
  const until = at.clock.monotonic() + patienceMs
  for (let misses = 0; misses < missesToBelieve && at.clock.monotonic() < until; ) {
    const got = await collectNow(at, want, note)
    if (got !== undefined) return got
    if (await at.stat(surelyThere)) misses++
    else await at.clock.sleep(50)
  }
  return { kind: 'missing' }
}

/** Unpacks it into a folder of ours, where the same rules apply as everywhere; undefined when there is nothing. */
async function collectNow(
  inside: Inside,
  want: PathWant,
  note: (text: string) => void,
): Promise<Got | undefined> {
  // Some engines follow a link before they pack it.
  const there = await inside.stat(want.path)
  if (there?.isLink) note(`${want.path} is a link and was not read`)
  if (there?.isLink) return { kind: 'missing' }
  if (there === undefined) return undefined
  const isFile = want.kind === 'file' || want.kind === 'kept-file'
  const bytesMax = want.bytesMax + headerBytes + (want.kind === 'files' ? filesBytesMax : 0)
  const out = await inside.read(want.path, bytesMax)
  const [first] = out?.items ?? []
  if (out === undefined || first === undefined) return undefined
  if (isFile && first.entry.kind === 'file' && first.entry.bytes > want.bytesMax) {
    return { kind: 'too-large', bytes: first.entry.bytes }
  }
  if (out.cut) return { kind: 'too-large', bytes: bytesMax }
  const folder = await mkdtemp(join(tmpdir(), 'chandler-got-'))
  try {
    const path = `/${plainPath(first.entry.path, bounds)}`
    const modes = await unpackAll(out.items, folder, path)
    const collection: Collection = { note, modes, locate: () => ({ root: folder, path }) }
    if (want.kind === 'files') return await collectFiles(want, collection)
    return want.kind === 'tar' ? await collectTar(want, collection) : await collectFile(want, collection)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What does not fit is named with its size; so much is read for that. */
const filesBytesMax = 16 * 1024 * 1024
const bounds = { pathBytesMax: 4096, nestingDepthMax: 100 }

/** We must be able to read it; answers the permission bits that it had, by path below the wanted folder. */
async function unpackAll(
  items: readonly Packed[],
  folder: string,
  wanted: string,
): Promise<ReadonlyMap<string, number>> {
  const modes = new Map<string, number>()
  const links: { readonly place: string | Buffer; readonly target: string }[] = []
  for (const { entry, bytes } of items) {
    const path = plainPath(entry.path, bounds)
    if (path === '') continue
    modes.set(`/${path}`.slice(wanted === '/' ? 1 : wanted.length + 1), entry.mode)
    const place = onDisk(folder, path)
    if (entry.kind === 'folder') await mkdir(place, { recursive: true, mode: 0o700 })
    else {
      await mkdir(onDisk(folder, dirname(path) === '.' ? '' : dirname(path)), { recursive: true })
      if (entry.kind === 'file') await writeFile(place, bytes, { mode: 0o600 })
      // Anything else is only named as what it is; links come last, so that nothing is written through one.
      else links.push({ place, target: entry.kind === 'link' ? entry.target : 'special' })
    }
  }
  for (const { place, target } of links) await symlink(target, place)
  return modes
}
