/** What a kill leaves of runs: in folders whose entries are called `RUN~RANDOM` only the name tells whose they are. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../kit/clock.ts'
import { unlessAbsent } from './absent.ts'
import type { FoundRun, RunName } from './engine.ts'
import { removeTree } from './remove-tree.ts'

/** Each run once, for the sweep. */
export async function findCutShort(folders: readonly string[], clock: Clock): Promise<readonly FoundRun[]> {
  const found = new Map<string, FoundRun>()
  for (const { path, run } of await entriesOf(folders)) {
    const stats = await stat(path).catch(unlessAbsent)
    if (stats) found.set(run, { name: run, ageMs: clock.now() - stats.mtimeMs })
  }
  return [...found.values()]
}

/** Takes away what is left of a run; a process that is still laying it out finds that it is too late. */
export async function removeCutShort(folders: readonly string[], run: RunName): Promise<void> {
  const left = (await entriesOf(folders)).filter((entry) => entry.run === run)
  await Promise.all(left.map(({ path }) => removeTree(path)))
}

async function entriesOf(folders: readonly string[]) {
  const all = folders.map(async (folder) => {
    const names = (await readdir(folder).catch(unlessAbsent)) ?? []
    return names
      .filter((name) => name.includes('~'))
      .map((name) => ({ path: join(folder, name), run: name.slice(0, name.indexOf('~')) }))
  })
  return (await Promise.all(all)).flat()
}
