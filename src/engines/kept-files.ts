/** Files that are stored while the program runs, so that a crash forgets little. */
import type { Stats } from 'node:fs'
import type { Clock } from '../kit/clock.ts'
import type { Want } from '../model/job.ts'
import type { Got } from '../model/report.ts'
import type { Watch } from './engine.ts'

export type KeptWant = Extract<Want, { kind: 'kept-file' }>

export interface Keeping {
  readonly wants: readonly Want[]
  readonly clock: Clock
  readonly watch: Watch
  /** What tells one version of the file from the next; undefined when it cannot be seen now. */
  version(want: KeptWant): Promise<string | undefined>
  read(want: KeptWant): Promise<Got | undefined>
}

/** What tells one version of a file of this host from the next. */
export function versionOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`
}

const lookEveryMs = 1000
/** No file is handed over more often. */
const handEveryMs = 5000

/** Looks at the wanted files until the signal fires; each new version is handed over, but not too often. */
export async function keepWhileRunning(
  { wants, clock, watch, version, read }: Keeping,
  signal: AbortSignal,
): Promise<void> {
  const kept = wants.filter((want) => want.kind === 'kept-file')
  if (kept.length === 0) return
  const seen = new Map<string, { readonly version: string; readonly at: number }>()
  while (!signal.aborted) {
    await clock.sleep(lookEveryMs, signal)
    for (const want of kept) {
      const now = clock.monotonic()
      const before = seen.get(want.name)
      const current = signal.aborted ? undefined : await version(want)
      if (current === undefined || current === before?.version) continue
      if (before !== undefined && now - before.at < handEveryMs) continue
      const got = await read(want)
      seen.set(want.name, { version: current, at: now })
      if (got?.kind === 'bytes') await watch.kept(want.name, got.bytes)
    }
  }
}
