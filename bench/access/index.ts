/** Figures of access, each against the same broker without so many accounts, or against the same question about nothing. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { orderPretended, startBrokerProcess } from '../../test/support/broker-process.ts'
import { closedLoop } from '../broker/raw-load.ts'
import { targetOf } from '../broker/target.ts'
import { p99 } from '../broker/under-load.ts'
import { tellQuiet, undisturbed } from '../broker/undisturbed.ts'
import { type Figure, median, show } from '../figures.ts'
import { fillAccess, tokens } from './fill.ts'

const many = { accounts: 10_000, others: 100_000 }
const few = { accounts: 1, others: 0 }
const turns = 16
const turnSeconds = 0.5
const triesMax = 60

/** Runs everything and prints the figures. */
export async function bench(): Promise<void> {
  spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'chandler-bench-'))
  const [empty, full] = [join(folder, 'empty'), join(folder, 'full')]
  try {
    for (const [dataDir, wish] of [
      [empty, few],
      [full, many],
    ] as const) {
      // The first start makes keys and tables.
      await (await startBrokerProcess({ dataDir })).end('SIGTERM')
      await fillAccess(dataDir, wish)
    }
    show([
      await polls('password', empty, full),
      await polls('token', empty, full, `Bearer ${tokens.platform}`),
    ])
    show([await guesses(full)])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function polls(by: string, empty: string, full: string, authorization?: string): Promise<Figure> {
  return {
    name: `p99 of last_operation by ${by}, ${many.accounts} accounts and ${many.others} tokens against none`,
    floor: await p99(`few, by ${by}`, empty, 0, authorization),
    ours: await p99(`many, by ${by}`, full, 0, authorization),
    unit: 'ms',
    goal: { atMost: 1.1 },
  }
}

/** An instance of another tenant, against one that never was: guesses of ids must not learn from the difference. */
async function guesses(full: string): Promise<Figure> {
  const broker = await startBrokerProcess({ dataDir: full })
  await orderPretended(broker, 'of-another', { ms: -1 })
  const rate = async (id: string): Promise<number> => {
    const path = `/api/v1/instances/conformance/${id}`
    const target = targetOf(broker.url, path, `Bearer ${tokens.developer}`)
    const { requests, seconds } = await closedLoop(target, 1, turnSeconds)
    return requests / seconds
  }
  for (const id of ['of-another', 'never-was-']) await rate(id)
  const quiet = await undisturbed(turns, triesMax, async () => ({
    foreign: await rate('of-another'),
    missing: await rate('never-was-'),
  }))
  await broker.end('SIGKILL')
  tellQuiet('guessed ids', quiet)
  const rates = quiet.samples.map(({ seen }) => seen)
  return {
    name: 'answers about an instance of others against one that never was',
    ours: median(rates.map(({ foreign }) => foreign)),
    floor: median(rates.map(({ missing }) => missing)),
    unit: 'requests/s',
    goal: { atLeast: 0.97 },
  }
}
