/** Files kept while a run goes on: sealed under the run, and what a lost run has left of itself. */
import type { Job } from '../model/job.ts'
import type { Run } from '../model/operation.ts'
import type { Got, Report } from '../model/report.ts'
import type { Store } from '../store/store.ts'

/** Seals the version of a kept file that the engine saw last. */
export function keepFile(store: Store, run: Run, name: string, bytes: Uint8Array): Promise<void> {
  return store.write((tx) => tx.seal(`run/${run.name}`, nameOf(name), bytes))
}

/** The report with the kept files that it lacks because they could no longer be collected. */
export async function withKeptFiles(store: Store, run: Run, job: Job, report: Report): Promise<Report> {
  if (report.end.kind !== 'lost') return report
  const got = new Map<string, Got>(report.got)
  for (const want of job.wants) {
    if (want.kind !== 'kept-file' || got.get(want.name)?.kind === 'bytes') continue
    const bytes = await store.look.unseal(`run/${run.name}`, nameOf(want.name))
    if (bytes !== undefined) got.set(want.name, { kind: 'bytes', bytes })
  }
  return { ...report, got }
}

function nameOf(name: string): string {
  return `kept ${name}`
}
