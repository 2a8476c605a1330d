/** Files that are stored while the program runs, so that a crash forgets little. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { collectFile } from '../collect.ts'
import type { Watch } from '../engine.ts'
import { shimState } from './identity.ts'
import { collectionOf, viewOf } from './report-of.ts'
import type { Stopping } from './stop.ts'

const lookEveryMs = 1000
/** No file is handed over more often. */
const handEveryMs = 5000

/** Looks at the wanted files until the signal fires; each new version is handed over, but not too often. */
export async function keepWhileRunning(at: Stopping, watch: Watch, signal: AbortSignal): Promise<void> {
  const wants = at.record.wants.filter((want) => want.kind === 'kept-file')
  if (wants.length === 0) return
  const seen = new Map<string, { readonly version: string; readonly at: number }>()
  while (!signal.aborted) {
    await at.clock.sleep(lookEveryMs, signal)
    const shim = await shimState(at.paths)
    const view = viewOf(at.record, shim)
    if (signal.aborted || shim.kind !== 'alive' || view === undefined) continue
    const collection = collectionOf(at, view, () => undefined)
    for (const want of wants) {
      const { root, path } = collection.locate(want.path)
      const stats = await lstat(join(root, path)).catch(() => undefined)
      const before = seen.get(want.name)
      const version = stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`
      const now = at.clock.monotonic()
      if (version === undefined || version === before?.version) continue
      if (before !== undefined && now - before.at < handEveryMs) continue
      const got = await collectFile(want, collection).catch(() => undefined)
      seen.set(want.name, { version, at: now })
      if (got?.kind === 'bytes') await watch.kept(want.name, got.bytes)
    }
  }
}
