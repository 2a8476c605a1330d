/** Where files lie that are stored while the program runs: in the ticket, or in the container. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Watch } from '../engine.ts'
import { type Keeping, keepWhileRunning, versionOf } from '../kept-files.ts'
import { statInside } from './container.ts'
import { collect, placeOf } from './report-of.ts'
import type { Stopping } from './stop.ts'

/** Hands each new version over until the signal fires. */
export async function keepRunning(at: Stopping, watch: Watch, signal: AbortSignal): Promise<void> {
  const { docker, clock } = at.yard
  const seen = async (path: string): Promise<string | undefined> => {
    const place = placeOf(at, path)
    if (place === undefined) return (await statInside(docker, at.run, path))?.version
    return versionOf(await lstat(join(place.root, place.path)))
  }
  const keeping: Keeping = {
    wants: at.record.wants,
    clock,
    watch,
    // An engine that does not answer for a while is no end: the last version is read with the report.
    version: ({ path }) => seen(path).catch(() => undefined),
    read: (want) => collect(want, at, () => undefined).catch(() => undefined),
  }
  await keepWhileRunning(keeping, signal)
}
