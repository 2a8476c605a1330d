/** Takes away what lies in a folder and has been left alone for long. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../kit/clock.ts'
import { unlessAbsent } from './absent.ts'

const dayMs = 24 * 3_600_000

/** Removes what has not been touched for a day, such as what a crash left half made; younger files may be in use. */
export async function sweepOld(
  folder: string,
  clock: Clock,
  remove: (path: string) => Promise<void>,
): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const stats = await stat(path).catch(unlessAbsent)
    if (stats && clock.now() - stats.mtimeMs > dayMs) await remove(path)
  }
}
