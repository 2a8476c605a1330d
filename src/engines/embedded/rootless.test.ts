import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rows } from '../../../test/engine-suite.ts'
import { testImages } from '../../../test/engines/images.ts'
import type { Seen } from '../../../test/engines/row.ts'
import { jobOf } from '../../../test/engines/run-row.ts'
import type { Result } from '../../../test/engines/unprivileged.ts'
import { ensurePrograms, findProgram } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { decode, encode } from '../../kit/codec.ts'
import type { Job } from '../../model/job.ts'
import type { EngineFacts } from '../engine.ts'

const script = join(import.meta.dirname, '../../../test/engines/unprivileged.ts')
const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups']

/** Whether this host lets somebody without rights make a user namespace, and read this checkout. */
function whyNot(): string | undefined {
  if (process.geteuid?.() !== 0) return 'only root can become somebody else'
  const missing = ensurePrograms('busybox', 'setpriv')
  if (missing !== undefined) return missing
  const spaces = spawnSync('setpriv', [
    ...asNobody,
    'unshare',
    '--user',
    '--map-root-user',
    '--mount',
    'true',
  ])
  if (spaces.status !== 0) return 'this host gives no user namespaces to users'
  const reads = spawnSync('setpriv', [...asNobody, process.execPath, '--check', script])
  return reads.status === 0 ? undefined : 'this checkout is not readable for others'
}

interface Told {
  readonly results: readonly Result[]
  readonly facts: EngineFacts
  readonly checks: readonly string[]
  readonly left: readonly unknown[]
}

const tooLarge = 'a log of 100 MB arrives whole'
const missing = whyNot()

describe.skipIf(missing !== undefined).each([
  ['embedded without root', 'auto', []],
  ['embedded without root and without a runtime', 'plain', ['new namespaces cannot be made']],
] as const)('%s', (_name, runtime, unseen: readonly string[]) => {
  const folder = freshFolder('rootless')
  const own = rows.filter(({ title }) => title !== tooLarge && !unseen.includes(title))
  let told: Told
  let results: ReadonlyMap<string, Result | undefined>

  const run = (jobs: readonly Job[]): Told => {
    writeFileSync(join(folder, 'jobs'), encode(jobs))
    spawnSync(findProgram('setpriv') ?? 'setpriv', [...asNobody, process.execPath, script, folder, runtime], {
      stdio: 'inherit',
      env: { PATH: process.env['PATH'], HOME: folder },
    })
    return decode<Told>(readFileSync(join(folder, 'results'), 'utf8'))
  }

  beforeAll(async () => {
    const images = await testImages(folder)
    chmodSync(folder, 0o755)
    execFileSync('chown', ['-R', '65534:65534', folder])
    // What no limit ends must not be begun.
    const { facts } = run([])
    const possible = own.filter((row) => row.cannot?.(facts) === undefined)
    told = run(possible.map((row) => jobOf(row, images[row.image ?? 'plain'])))
    results = new Map(possible.map(({ title }, i) => [title, told.results[i]]))
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.for(own)('$title', (row, { skip }) => {
    const why = row.cannot?.(told.facts)
    if (why !== undefined) skip(why)
    const result = results.get(row.title)
    if (result?.kind === 'failed' && result.code === 'engine.refused') skip(result.detail)

    expect(result).toMatchObject({ kind: 'seen' })
    if (result?.kind === 'seen') row.see(withBuffers(result.seen))
  })

  test('says what it cannot enforce', () => {
    expect(told.checks).toContain('engine.not-enforced')
    expect(told.facts.memoryLimit).toBe(false)
  })

  test('leaves nothing behind', () => {
    expect(told.left).toEqual([])
  })
})

function withBuffers(seen: Seen): Seen {
  const { stdout, stderr, log } = seen
  return { ...seen, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), log: Buffer.from(log) }
}
