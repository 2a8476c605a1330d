/** A process without rights that runs jobs on the embedded engine: they come in a file, what was seen goes to another. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openImageStore } from '../../src/artifacts/index.ts'
import { openEmbeddedEngine } from '../../src/engines/index.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { decode, encode } from '../../src/kit/codec.ts'
import type { Job } from '../../src/model/job.ts'
import { fail, toProblem } from '../../src/model/problem.ts'
import type { Seen } from './row.ts'
import { runJob } from './run-row.ts'

export type Result =
  | { readonly kind: 'seen'; readonly seen: Seen }
  | { readonly kind: 'failed'; readonly code: string; readonly detail: string }

const [folder, runtime] = process.argv.slice(2)
if (folder !== undefined) {
  const engine = await openEmbeddedEngine({
    folder: join(folder, 'engine'),
    images: openImageStore({ folder: join(folder, 'images') }),
    supplies: { deliver: () => fail('internal.unexpected', 'nothing is supplied here') },
    clock: systemClock,
    runtime: runtime === 'plain' ? 'plain' : 'auto',
  })
  const results: Result[] = []
  for (const job of decode<readonly Job[]>(readFileSync(join(folder, 'jobs'), 'utf8'))) {
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
