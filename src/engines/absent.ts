/** Looking at files that may be gone. */
import { existsSync, readFileSync, type Stats, statSync } from 'node:fs'
import { readlink } from 'node:fs/promises'

/** Lets the absence of a file pass as undefined. */
export function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}

/** Where a link that may be gone leads. */
export async function targetOf(link: string): Promise<string | undefined> {
  return await readlink(link).catch(unlessAbsent)
}

/** The text of a small file that may be gone; local and small, a thread would cost more than the reading. */
export function readSmall(path: string): string | undefined {
  // Most are gone or not there yet, and an error costs more than a look.
  if (!existsSync(path)) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // ESRCH: a process that ended while its file was read.
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? undefined : unlessAbsent(error as Error)
  }
}

/** Size and time of a file that may be gone. */
export function statSmall(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
