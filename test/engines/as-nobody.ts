/** The behaviour table on engines whose broker has no rights: a process of the user nobody runs the jobs; they are judged here. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EngineFacts } from '../../src/engines/engine.ts'
import { decode, encode } from '../../src/kit/codec.ts'
import type { Job } from '../../src/model/job.ts'
import { rows } from '../engine-suite.ts'
import { ensurePrograms, findProgram } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { testImages } from './images.ts'
import type { Row, Seen } from './row.ts'
import { jobOf } from './run-row.ts'
import type { Result, Where } from './unprivileged.ts'

const script = join(import.meta.dirname, 'unprivileged.ts')
/** The system user `nobody` has this id, and so has the group of that name. */
export const nobodyId = 65_534
/** The words of setpriv for it. */
export const asNobody = [`--reuid=${nobodyId}`, `--regid=${nobodyId}`, '--clear-groups']

/** Why the user nobody cannot be tried here: it must be able to read this checkout. */
export function whyNobodyCannot(): string | undefined {
  if (process.geteuid?.() !== 0) return 'only root can become somebody else'
  const missing = ensurePrograms('busybox', 'setpriv')
  if (missing !== undefined) return missing
  const reads = spawnSync('setpriv', [...asNobody, process.execPath, '--check', script])
  return reads.status === 0 ? undefined : 'this checkout is not readable for others'
}

/** Whether the user nobody can do that here. */
export function nobodyCan(...command: readonly string[]): boolean {
  return spawnSync('setpriv', [...asNobody, ...command]).status === 0
}

export interface Told {
  readonly results: readonly Result[]
  readonly facts: EngineFacts
  readonly checks: readonly string[]
  readonly left: readonly unknown[]
}

export interface Unprivileged {
  readonly name: string
  readonly missing: string | undefined
  /** Where the jobs run; what was started for that is ended afterwards. */
  open(): Promise<{ readonly where: Where; end(): Promise<void> }>
  /** The rows that are tried; all unless said. */
  readonly table?: readonly Row[]
  /** Rows that cannot be shown there, with the reason; by title. */
  readonly skips?: Readonly<Record<string, string>>
  /** What else must be told. */
  also?(told: () => Told): void
}

const tooLarge = 'a log of 100 MB arrives whole'

export function suiteAsNobody({ name, missing, open, table = rows, skips = {}, also }: Unprivileged): void {
  describe.skipIf(missing !== undefined)(name, () => {
    const folder = freshFolder('nobody')
    const own = table.filter(({ title }) => title !== tooLarge)
    let place: Awaited<ReturnType<typeof open>>
    let told: Told
    let results: ReadonlyMap<string, Result | undefined>

    const run = (jobs: readonly Job[]): Told => {
      writeFileSync(join(folder, 'jobs'), encode(jobs))
      const args = [...asNobody, process.execPath, script, folder, JSON.stringify(place.where)]
      spawnSync(findProgram('setpriv') ?? 'setpriv', args, {
        stdio: 'inherit',
        env: { PATH: process.env['PATH'], HOME: folder },
      })
      return decode<Told>(readFileSync(join(folder, 'results'), 'utf8'))
    }

    beforeAll(async () => {
      const images = await testImages(folder)
      place = await open()
      chmodSync(folder, 0o755)
      execFileSync('chown', ['-R', '65534:65534', folder])
      // What no limit ends must not be begun.
      const { facts } = run([])
      const possible = own.filter((row) => (row.cannot?.(facts) ?? skips[row.title]) === undefined)
      told = run(possible.map((row) => jobOf(row, images[row.image ?? 'plain'])))
      results = new Map(possible.map(({ title }, i) => [title, told.results[i]]))
    }, 900_000)
    afterAll(async () => {
      await place?.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test.for(own)('$title', (row, { skip }) => {
      const why = row.cannot?.(told.facts) ?? skips[row.title]
      if (why !== undefined) skip(why)
      const result = results.get(row.title)
      if (result?.kind === 'failed' && result.code === 'engine.refused') skip(result.detail)

      expect(result).toMatchObject({ kind: 'seen' })
      if (result?.kind === 'seen') row.see(withBuffers(result.seen))
    })

    test('leaves nothing behind', () => {
      expect(told.left).toEqual([])
    })

    also?.(() => told)
  })
}

function withBuffers(seen: Seen): Seen {
  const { stdout, stderr, log } = seen
  return { ...seen, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), log: Buffer.from(log) }
}
