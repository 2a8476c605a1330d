/** Folders on their way out: gone from their place at once, from the disk as soon as the kernel lets go of them. */
import { randomBytes } from 'node:crypto'
import { readdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { unlessAbsent } from '../absent.ts'
import { removeTree } from '../remove-tree.ts'

export interface Trash {
  /** Answers whether it was there; nobody need wait for the rest. */
  take(path: string): Promise<boolean>
  /** Resolves when everything that was taken is gone. */
  emptied(): Promise<void>
}

/** Opens it; what a crash left in it goes first. */
export async function openTrash(folder: string): Promise<Trash> {
  for (const name of await readdir(folder)) await removeTree(join(folder, name))
  const removals = new Set<Promise<void>>()
  return {
    async take(path) {
      const gone = join(folder, `${basename(path)}~${randomBytes(6).toString('hex')}`)
      if (!(await rename(path, gone).then(() => true, unlessAbsent))) return false
      const removal: Promise<void> = removeTree(gone)
        // The next to open it tries again.
        .catch(() => undefined)
        .then(() => void removals.delete(removal))
      removals.add(removal)
      return true
    },
    async emptied() {
      await Promise.all(removals)
    },
  }
}
