/** What an install adds to the container of its executor: reading a recorded package, and preparing its job with templates, credentials and archive. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { toi } from '../../src/contracts/toi/index.ts'
import { openPreparer } from '../../src/host/apart/prepare.ts'
import { openProcessPool } from '../../src/host/apart/process-pool.ts'
import { encode } from '../../src/kit/codec.ts'
import type { Situation } from '../../src/model/situation.ts'
import { packageAt, prepared, situation } from '../../test/toi/stage.ts'
import { median, show } from '../figures.ts'

const rounds = 30
const goalMs = 40
const base = 'test/corpus/ocm/authored'

export async function bench(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'chandler-bench-toi-'))
  try {
    const options = { package: { platform: 'any' } }
    const reference = `ocm:${base}/ctf.tgz//example.org/chandler/echo:1.0.0+b7`
    const { package: pkg } = await packageAt(home, reference, options)
    const artifacts = openArtifactStore({ folder: join(home, 'images') })
    const from = situation(
      pkg,
      {
        parameters: { values: { plan: 'large', ingress: true } },
        infrastructure: { TOICredentials: readFileSync(`${base}/credentials.yaml`, 'utf8') },
      },
      options,
    )
    const taken = { prepare: [] as number[], deliver: [] as number[] }
    for (let i = 0; i < rounds; i++) {
      const begun = performance.now()
      // Once at admission, once when the work starts.
      const job = [prepared({ kind: 'provision' }, from), prepared({ kind: 'provision' }, from)][1]
      taken.prepare.push(performance.now() - begun)
      if (job === undefined || !('program' in job)) throw new Error(JSON.stringify(job))
      const repo = job.files.find(({ path }) => path.endsWith('/ocmrepo'))
      if (repo?.content.kind !== 'artifact') throw new Error('there is no archive')
      const delivered = performance.now()
      const { signal } = new AbortController()
      await artifacts.deliver(repo.content, join(home, `ocmrepo-${i}`), signal)
      taken.deliver.push(performance.now() - delivered)
    }
    await measureApart(from)
    const [prepare, deliver] = [median(taken.prepare), median(taken.deliver)]
    console.log(`templates, credentials and mapping, twice: ${prepare.toFixed(1)} ms`)
    console.log(`the archive of the component: ${deliver.toFixed(1)} ms`)
    const both = prepare + deliver
    console.log(
      `added to the executor's container: ${both.toFixed(1)} ms (goal at most ${goalMs}: ${both <= goalMs ? 'met' : 'missed'})`,
    )
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/**
 * What a call of the process that prepares costs above preparing here; the process is warm. A bare round trip of the
 * same text beside it tells how much of that is the machine, which has others to wake, too.
 */
async function measureApart(from: Situation): Promise<void> {
  const preparer = openPreparer()
  const program = new URL('../toi/echo-process.ts', import.meta.url)
  const bare = openProcessPool({
    program,
    processesMax: 1,
    waitingMax: 1,
    deadlineMs: 60_000,
    memoryMegabytes: 64,
  })
  const action = { kind: 'provision' } as const
  const question = encode({ contract: toi.name, action, situation: { ...from, random: undefined } })
  const taken = { here: [] as number[], there: [] as number[], bare: [] as number[] }
  const timed = async (to: number[], work: () => unknown): Promise<void> => {
    const begun = performance.now()
    await work()
    to.push(performance.now() - begun)
  }
  try {
    for (let i = 0; i < 10 * rounds; i++) {
      await timed(taken.here, () => toi.prepare(action, from))
      await timed(taken.there, () => preparer.prepare(toi.name, action, from))
      await timed(taken.bare, () => bare.ask(question))
    }
  } finally {
    preparer.close()
    bare.close()
  }
  const warm = (of: number[]): number => median(of.slice(of.length / 3))
  const quickest = (of: number[]): number => Math.min(...of)
  const name = 'added by preparing in a process of its own'
  show([
    { name, ours: warm(taken.there) - warm(taken.here), floor: 5, unit: 'ms (allowed)', goal: { atMost: 1 } },
    {
      name: `${name}, the quickest of ${10 * rounds}`,
      ours: quickest(taken.there) - quickest(taken.here),
      floor: quickest(taken.bare),
      unit: 'ms (a bare round trip of the same text)',
    },
    {
      name: `${name}, the middle of them`,
      ours: warm(taken.there) - warm(taken.here),
      floor: warm(taken.bare),
      unit: 'ms (a bare round trip of the same text)',
    },
  ])
}
