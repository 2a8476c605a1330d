/** A component version read as a package, and the job of an action, without engine or broker. */
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { toi } from '../../src/contracts/toi/index.ts'
import { readPackage } from '../../src/host/read-package.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import type { Secret } from '../../src/kit/secret.ts'
import type { Job } from '../../src/model/job.ts'
import type { Package } from '../../src/model/package.ts'
import type { Problem } from '../../src/model/problem.ts'
import type { Report, RunEnd } from '../../src/model/report.ts'
import type { Action, Situation } from '../../src/model/situation.ts'

/** Reads a package through an artifact store of its own. */
export async function packageAt(home: string, reference: string, options: JsonObject = {}) {
  const artifacts = openArtifactStore({ folder: join(home, 'images') })
  const read = await readPackage(
    { artifacts, engines: [] },
    {
      reference,
      contract: 'toi',
      options,
      signal: new AbortController().signal,
      log: () => Promise.resolve(),
      progress: () => undefined,
    },
  )
  await artifacts.close()
  return read
}

export function situation(pkg: Package, more: Partial<Situation> = {}, options: JsonObject = {}): Situation {
  const [service] = pkg.services
  const [plan] = service?.plans ?? []
  if (service === undefined || plan === undefined) throw new Error('it offers no plan')
  return {
    package: pkg,
    service,
    plan: { ...plan, operator: { ...plan.operator, options } },
    instance: { id: 'i1', context: {}, parameters: {} },
    parameters: {},
    infrastructure: {},
    carryover: {},
    operation: { id: '01kb0000000000000000000001', stage: 0, attempt: 1 },
    platform: 'test',
    now: 1_764_000_000_000,
    random: (count) => new Uint8Array(count),
    ...more,
  }
}

/** The job of an action, or the problems that it is refused with. */
export function prepared(action: Action, from: Situation): Job | readonly Problem[] {
  const found = toi.prepare(action, from)
  if (found.kind === 'job') return found.job
  return found.kind === 'refused' ? found.problems : found.outcome.problems
}

/** The text of an input file; undefined where there is none. */
export function inputOf(job: Job, name: string): string | undefined {
  const file = job.files.find(({ path }) => path === `/toi/inputs/${name}`)
  if (file?.content.kind === 'secret') return (file.content.secret satisfies Secret).reveal()
  return file?.content.kind === 'bytes' ? Buffer.from(file.content.bytes).toString() : undefined
}

export interface Ending {
  readonly end?: RunEnd
  readonly exit?: number
  readonly written?: Readonly<Record<string, string | Uint8Array>>
  readonly logTail?: string
}

export function report({
  end = { kind: 'finished' },
  exit = 0,
  written = {},
  logTail = '',
}: Ending = {}): Report {
  return {
    end,
    steps: end.kind === 'not-started' ? [] : [{ name: 'run', exit }],
    got: new Map(
      Object.entries(written).map(([path, content]) => [
        `output ${path}`,
        { kind: 'bytes', bytes: typeof content === 'string' ? Buffer.from(content) : content } as const,
      ]),
    ),
    logTail,
    startedAt: 0,
    finishedAt: 0,
    notes: [],
  }
}
