/** Where files lie that are stored while the program runs. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Collection, collectFile } from '../collect.ts'
import type { Watch } from '../engine.ts'
import { type Keeping, keepWhileRunning, versionOf } from '../kept-files.ts'
import { shimState } from './identity.ts'
import { collectionOf, viewOf } from './report-of.ts'
import type { Stopping } from './stop.ts'

/** Hands each new version over until the signal fires. */
export async function keepRunning(at: Stopping, watch: Watch, signal: AbortSignal): Promise<void> {
  const seen = async (): Promise<Collection | undefined> => {
    const shim = await shimState(at.paths)
    const view = viewOf(at.record, shim)
    return shim.kind === 'alive' && view !== undefined ? collectionOf(at, view, () => undefined) : undefined
  }
  const keeping: Keeping = {
    wants: at.record.wants,
    clock: at.clock,
    watch,
    async version({ path }) {
      const place = (await seen())?.locate(path)
      const stats = place && (await lstat(join(place.root, place.path)).catch(() => undefined))
      return stats && versionOf(stats)
    },
    async read(want) {
      const collection = await seen()
      return collection && (await collectFile(want, collection).catch(() => undefined))
    },
  }
  await keepWhileRunning(keeping, signal)
}
