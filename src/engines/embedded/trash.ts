/** Folders on their way out: gone from their place at once, from the disk as soon as the kernel lets go of them. */

import { randomBytes } from 'node:crypto'
import { readdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { enough } from '../../kit/enough.ts'
import { unlessAbsent } from '../absent.ts'
import { removeTree } from '../remove-tree.ts'
import { openRemover, type Remover } from './remover.ts'

export interface Trash {
  /** Answers whether it was there; the rest need not be waited for. */
  take(path: string): Promise<boolean>
  /** Resolves when everything that was taken is gone. */
  close(): Promise<void>
}

/** Together they cost one process instead of many calls each. */
const gatherMs = 1000
const togetherMax = 64

/** Opens it; what a crash left in it goes first. */
export async function openTrash(folder: string, clock: Clock): Promise<Trash> {
  const waiting = (await readdir(folder)).map((name) => join(folder, name))
  const remover = openRemover(clock)
  const hurry = new AbortController()
  let emptying: Promise<void> | undefined
  const empty = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (waiting.length < togetherMax) await clock.sleep(gatherMs, hurry.signal)
      await removeAll(remover, waiting.splice(0, togetherMax))
    }
    emptying = undefined
  }
  await removeAll(remover, waiting.splice(0))
  return {
    async take(path) {
      const gone = join(folder, `${basename(path)}~${randomBytes(6).toString('hex')}`)
      if (!(await rename(path, gone).then(() => true, unlessAbsent))) return false
      waiting.push(gone)
      emptying ??= empty()
      return true
    },
    async close() {
      hurry.abort(enough)
      await emptying
      remover.close()
    },
  }
}

/** What is left of them the next to open the trash tries again. */
async function removeAll(remover: Remover, paths: readonly string[]): Promise<void> {
  if (paths.length === 0 || (await remover.remove(paths))) return
  for (const path of paths) await removeTree(path).catch(() => undefined)
}
