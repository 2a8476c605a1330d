/** Tickets on their way out: gone from their place at once, with their mounts as soon as these are not in use. */
import { randomBytes } from 'node:crypto'
import { readdir, readFile, realpath, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessAbsent } from '../absent.ts'
import { removeTree } from '../remove-tree.ts'
import { run as runProgram } from '../run-program.ts'
import { sweepOld } from '../sweep-old.ts'
import type { DockerContext } from './context.ts'
import { removePipes } from './log-pump.ts'
import { ticketIn } from './ticket.ts'

type Place = Pick<DockerContext, 'folder' | 'clock'>

/** Takes a ticket from its place; answers where it lies now, if it was there. */
export async function throwAway({ folder }: Place, run: string): Promise<string | undefined> {
  const gone = join(folder, 'trash', `${run}~${randomBytes(6).toString('hex')}`)
  const isThere = await rename(join(folder, 'runs', run), gone).then(() => true, unlessAbsent)
  return isThere ? gone : undefined
}

/** Removes something thrown away, with what is mounted below it; another process may be at it, too. */
export async function destroy(path: string): Promise<void> {
  const real = await realpath(path).catch(unlessAbsent)
  if (real === undefined) return
  await removePipes(ticketIn(real))
  const mounts = await readFile('/proc/self/mountinfo', 'utf8')
  for (const line of mounts.split('\n').toReversed()) {
    const place = line.split(' ')[4]?.replace(/\\(\d{3})/g, byteOf)
    if (place?.startsWith(`${real}/`)) await runProgram('umount', ['-l', place])
  }
  await removeTree(path)
}

/** Blanks and the like are written in octal there. */
function byteOf(_escape: string, octal: string): string {
  return String.fromCharCode(Number.parseInt(octal, 8))
}

/** Removes what a crash left: tickets thrown away, and what was being made too long ago to be still in use. */
export async function emptyTrash({ folder, clock }: Place): Promise<void> {
  for (const name of await readdir(join(folder, 'trash'))) await destroy(join(folder, 'trash', name))
  await sweepOld(join(folder, 'aside'), clock, destroy)
}
