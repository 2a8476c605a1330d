/** A process without rights that runs jobs on the embedded engine: they come in a file, what was seen goes to another. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import type { Engine } from '../../src/engines/engine.ts'
import { openDockerEngine, openEmbeddedEngine } from '../../src/engines/index.ts'
import type { Supplies } from '../../src/engines/supplies.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { decode, encode } from '../../src/kit/codec.ts'
import type { Job } from '../../src/model/job.ts'
import { fail, toProblem } from '../../src/model/problem.ts'
import type { Seen } from './row.ts'
import { runJob } from './run-row.ts'

export type Result =
  | { readonly kind: 'seen'; readonly seen: Seen }
  | { readonly kind: 'failed'; readonly code: string; readonly detail: string }

/** On the embedded engine, or on one that others run. */
export type Where = { readonly runtime: 'auto' | 'plain' } | { readonly socket: string }

const supplies: Supplies = { deliver: () => fail('internal.unexpected', 'nothing is supplied here') }

function openAt(folder: string, where: Where): Promise<Engine> {
  const common = { folder: join(folder, 'engine'), supplies, clock: systemClock }
  if ('runtime' in where) {
    return openEmbeddedEngine({
      ...common,
      ...where,
      images: openArtifactStore({ folder: join(folder, 'images') }).images,
    })
  }
  const copier = openArtifactStore({ folder: join(folder, 'artifacts') })
  return openDockerEngine({ ...common, ...where, copier, network: 'host' })
}

const [folder, where] = process.argv.slice(2)
if (folder !== undefined && where !== undefined) {
  const engine = await openAt(folder, JSON.parse(where) as Where)
  const results: Result[] = []
  for (const job of decode<readonly Job[]>(readFileSync(join(folder, 'jobs'), 'utf8'))) {
    const refused = engine.refuses(job)
    if (refused !== undefined) {
      results.push({ kind: 'failed', code: refused.code, detail: refused.detail ?? '' })
      continue
    }
    results.push(
      await runJob(engine, job).then(
        (seen): Result => ({ kind: 'seen', seen }),
        (error: unknown): Result => {
          const { code, detail = '', cause } = toProblem(error)
          return { kind: 'failed', code, detail: detail || String(cause) }
        },
      ),
    )
  }
  const checks = (await engine.check(new AbortController().signal)).map(({ code }) => code)
  const left = await engine.list('test-cluster')
  await engine.close()
  writeFileSync(join(folder, 'results'), encode({ results, facts: engine.facts, checks, left }))
}
