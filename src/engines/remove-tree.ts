/** Takes trees away, whatever programs left in them. */
import { readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run-program.ts'

/** What few runs exceed: less than this is quicker removed than handed to other threads. */
const entriesAtOnce = 256

/** Removes a tree, however large or deep; none is fine too. */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(async () => {
    await run('chmod', ['-R', 'u+rwX', path])
    await run('rm', ['-rf', '--', path], { milliseconds: 600_000 })
  })
}

/** The same for a tree that no namespace mounts on, which the kernel lets go at once. */
export async function removeQuietTree(path: string): Promise<void> {
  if (!isRemovedAtOnce(path)) await removeTree(path)
}

function isRemovedAtOnce(path: string): boolean {
  const left = { entries: entriesAtOnce }
  try {
    return isEmptied(path, left)
  } catch {
    // A program may have taken our rights to it away, or there is nothing.
    return false
  }
}

function isEmptied(folder: string, left: { entries: number }): boolean {
  const items = readdirSync(folder, { withFileTypes: true })
  left.entries -= items.length
  if (left.entries < 0) return false
  for (const item of items) {
    const path = join(folder, item.name)
    if (!item.isDirectory()) unlinkSync(path)
    else if (!isEmptied(path, left)) return false
  }
  rmdirSync(folder)
  return true
}
