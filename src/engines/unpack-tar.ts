/** Fills an empty folder from a tar that an earlier run left: files and folders only, no path leads outside. */
import { mkdir, writeFile } from 'node:fs/promises'
import { parentOf, plainPath } from '../artifacts/archive/names.ts'
import type { TarEntry } from '../artifacts/archive/tar-header.ts'
import { tarParser } from '../artifacts/archive/tar-parser.ts'
import { onDisk } from '../artifacts/layers/byte-path.ts'
import { dress, type Owner } from './tree.ts'

interface Item {
  readonly path: string
  readonly entry: TarEntry
  readonly pieces: Uint8Array[]
}

const bounds = { pathBytesMax: 4096, nestingDepthMax: 100 }

/** To whom it belongs, and what is made of its modes. */
interface Dress extends Owner {
  modeOf?(mode: number): number
}

/** Unpacks it; everything belongs to the owner. Problems: archive.invalid, archive.path-unsafe, archive.limit. */
export async function unpackTar(tar: Uint8Array, folder: string, owner: Dress): Promise<void> {
  const { modeOf = (mode) => mode } = owner
  const made = new Set([''])
  const folders: Item[] = []
  for (const item of itemsOf(tar)) {
    if (item.path === '') continue
    await makeParents(folder, item.path, { owner, made })
    const host = onDisk(folder, item.path)
    if (item.entry.kind === 'folder') {
      if (!made.has(item.path)) await mkdir(host, 0o700)
      made.add(item.path)
      folders.push(item)
      continue
    }
    await writeFile(host, Buffer.concat(item.pieces), { mode: 0o600 })
    dress(host, { ...owner, mode: modeOf(item.entry.mode & 0o777) })
  }
  // Modes of folders come last: one without the right to write must first be filled.
  for (const { path, entry } of folders.toReversed()) {
    dress(onDisk(folder, path), { ...owner, mode: modeOf(entry.mode & 0o777) })
  }
}

/** What of it is kept, in its order. */
export function itemsOf(tar: Uint8Array): readonly Item[] {
  const items: Item[] = []
  let current: Item | undefined
  const parser = tarParser({
    entry(entry) {
      const kept = entry.kind === 'file' || entry.kind === 'folder'
      current = kept ? { path: plainPath(entry.path, bounds), entry, pieces: [] } : undefined
      if (current) items.push(current)
    },
    body: (piece) => {
      current?.pieces.push(Uint8Array.from(piece))
    },
    end: () => undefined,
  })
  parser.push(tar)
  parser.finish()
  return items
}

async function makeParents(
  folder: string,
  path: string,
  { owner, made }: { readonly owner: Owner; readonly made: Set<string> },
): Promise<void> {
  const parent = parentOf(path)
  if (made.has(parent)) return
  await makeParents(folder, parent, { owner, made })
  await mkdir(onDisk(folder, parent), 0o755)
  dress(onDisk(folder, parent), { ...owner, mode: 0o755 })
  made.add(parent)
}
