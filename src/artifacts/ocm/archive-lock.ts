/** One writer at a time per archive, by a lock that the system takes back when its owner dies. */
import { rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from '../../model/problem.ts'
import { makeFolder } from '../content/durable.ts'

const lookAgainMs = 100

export interface ArchiveLock {
  release(): Promise<void>
}

/** Waits until no other process writes to the archive. Problems: artifact.stopped, artifact.unwritable. */
export async function lockArchive(
  path: string,
  { signal, progress }: { readonly signal: AbortSignal; progress(text: string): void },
): Promise<ArchiveLock> {
  const file = join(dirname(path), `.${basename(path)}.lock`)
  await makeFolder(dirname(path))
  for (let attempt = 1; ; attempt++) {
    if (signal.aborted) return fail('artifact.stopped', undefined, { where: { source: path } })
    const held = await tryLock(file)
    if (held !== undefined)
      return {
        release: async () => {
          if (!held.isOpen) return
          // It goes while it is held: a process that has opened it already sees that it is gone.
          await rm(file, { force: true })
          held.close()
        },
      }
    if (attempt === 1) progress(`waiting for another transfer to ${path}`)
    await sleep(lookAgainMs)
  }
}

/** Node knows no file locks, but SQLite does: a transaction on a file of its own. */
async function tryLock(file: string): Promise<DatabaseSync | undefined> {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(file, { timeout: 0 })
    const before = await inodeOf(file)
    lock.exec('BEGIN EXCLUSIVE')
    // A file that was removed after it was opened is not what others lock.
    if (before !== undefined && before === (await inodeOf(file))) return lock
    lock.close()
    return undefined
  } catch (cause) {
    lock?.close()
    const { errcode } = cause as { readonly errcode?: number }
    // SQLITE_BUSY
    if (errcode !== undefined && (errcode & 0xff) === 5) return undefined
    return fail('artifact.unwritable', (cause as Error).message, { where: { source: file }, cause })
  }
}

async function inodeOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.ino
}
