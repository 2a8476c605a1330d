/**
 * npm run chaos [-- long|commands|lives] [--seed N] [--blows N] [--lives N] [--only TEXT] [--play STEPS]: the storms with a closing
 * line; long: 300 kills each; lives: 2,000 of them, or the steps that a fault has told.
 */
import { present } from '../../src/kit/present.ts'
import { fail } from '../../src/model/problem.ts'
import { argumentsOf, countOf, misused } from '../arguments.ts'
import { clusterMissing } from '../kubernetes/programs.ts'
import { commandContracts } from './command-works.ts'
import { everyCommit, killedCommands } from './commands.ts'
import { readLife } from './lives/life.ts'
import { live, shareOf } from './lives/lives.ts'
import { lifeContracts } from './lives/wares.ts'
import {
  cutDatabase,
  disturbedCluster,
  killedBroker,
  killedReplica,
  killedWithContainers,
  type Outcome,
  stampede,
} from './scenarios.ts'

const usage =
  'usage: npm run chaos [-- long|commands|lives] [--seed N] [--blows N] [--lives N] [--only TEXT] [--play STEPS]'
const { values, positionals } = argumentsOf(
  {
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      blows: { type: 'string' },
      lives: { type: 'string' },
      play: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  },
  usage,
)
const [kind = 'usual'] = positionals
if (!['usual', 'long', 'commands', 'lives'].includes(kind))
  misused(`there are no storms called ${kind}`, usage)
const isLong = kind === 'long'
const seed = countOf('seed', values.seed ?? String(Date.now() % 1_000_000), usage)
const blows = countOf('blows', values.blows ?? (isLong ? '300' : '50'), usage)
const told = (blow: number): void => {
  if (blow > 0 && blow % 50 === 0) console.log(`  ${blow} blows`)
}
const size = { customers: isLong ? 24 : 100, blows, seed, told }

type Storm = readonly [name: string, run: () => Promise<Outcome | readonly string[]>]

const serviceBundles = () => killedWithContainers({ ...size, customers: 6, kind: 'service-bundled' })

/** Pods take longer than what only pretends. */
const inPods = () =>
  disturbedCluster({ ...size, customers: isLong ? 24 : 12, unreadyAt: Math.floor(size.blows / 2) })
const clusterStorms: readonly Storm[] =
  clusterMissing() === undefined
    ? [['kill -9 of one of three, PostgreSQL, pods of a cluster that is disturbed', inPods]]
    : []

const long: readonly Storm[] = [
  ['kill -9, SQLite, programs in containers', () => killedWithContainers({ ...size, customers: 6 })],
  ['kill -9, SQLite, service bundles', serviceBundles],
  ['kill -9 of one of two, PostgreSQL', () => killedReplica(size)],
  ...clusterStorms,
]

/** All contracts, at every commit. */
const commands: readonly Storm[] = commandContracts.map((contract) => [
  `commands without a server killed at each commit, ${contract}`,
  () => killedCommands(contract, everyCommit()),
])

const usual: readonly Storm[] = [
  ['1,000 identical orders at once, SQLite', () => stampede('sqlite', 1000)],
  ['1,000 identical orders at once, two brokers on PostgreSQL', () => stampede('postgres', 1000)],
  ['kill -9, SQLite', () => killedBroker('sqlite', size)],
  ['kill -9, SQLite, programs in containers', () => killedWithContainers({ ...size, customers: 6 })],
  ['kill -9, SQLite, service bundles', serviceBundles],
  ['kill -9, PostgreSQL', () => killedBroker('postgres', size)],
  ['kill -9 of one of two, PostgreSQL', () => killedReplica(size)],
  ['connection to the database cut', () => cutDatabase(size)],
  ...clusterStorms,
]

/** Each contract at the doors that it has; told where the steps are given. */
const lives: readonly Storm[] = lifeContracts.map((contract) => [
  `lives of ${contract}`,
  async () => {
    const steps = values.play === undefined ? undefined : readLife(values.play)
    const all = countOf('lives', values.lives ?? '2000', usage)
    const count = steps === undefined ? Math.ceil(all * shareOf[contract]) : 1
    const toldLife = (life: number): void => {
      if (life > 0 && life % 50 === 0) console.log(`  ${life} lives`)
    }
    const { faults } = await live({ contract, seed, count, ...present({ steps }), told: toldLife })
    return faults
  },
])

const kinds: Readonly<Record<string, readonly Storm[]>> = { usual, long, commands, lives }
const storms = (kinds[kind] ?? fail('usage.invalid', `${kind}: ${Object.keys(kinds).join(', ')}`)).filter(
  ([name]) => name.includes(values.only),
)
console.log(`seed ${seed}`)
let failed = 0
for (const [name, run] of storms) {
  const begun = performance.now()
  const outcome = await run()
  const faults = 'faults' in outcome ? outcome.faults : outcome
  const facts =
    'faults' in outcome
      ? `, ${outcome.blows} blows, ${outcome.acknowledged} orders acknowledged, ${outcome.released} held back and released; the slowest: ${outcome.slowest}`
      : ''
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log(`${faults.length === 0 ? 'passed' : 'failed'}: ${name}${facts}, ${seconds} s`)
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`)
  if (faults.length > 0) failed++
}
console.log(`${storms.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
