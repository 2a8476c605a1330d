/** node test/simulation/main.ts --from=1 --to=1000 [--trace] [--first] | --points [--share=0/4]: lives seeds, or one life with a fault at each point, and tells what breaks a promise. */
import { argumentsOf, countOf } from '../arguments.ts'
import { liveTable } from './fault-points.ts'
import { runSeed } from './run-seed.ts'

const usage = 'usage: npm run simulate -- [--from=N] [--to=N] [--trace] [--first] | --points [--share=0/4]'
const { values } = argumentsOf(
  {
    options: {
      from: { type: 'string', default: '1' },
      to: { type: 'string', default: '200' },
      trace: { type: 'boolean', default: false },
      /** Stop at the first broken promise. */
      first: { type: 'boolean', default: false },
      /** Instead of seeds: crash, error, full disk and lost answer at each effect of one life. */
      points: { type: 'boolean', default: false },
      /** The first of so many shares of these points is 0. */
      share: { type: 'string', default: '0/1' },
    },
  },
  usage,
)
const [from, to] = [countOf('from', values.from, usage), countOf('to', values.to, usage)]

if (values.points) {
  const [share = 0, of = 1] = values.share.split('/').map((part) => countOf('share', part, usage))
  const { cells, faults } = await liveTable({ share, of })
  for (const fault of faults) console.log(fault)
  console.log(`${cells} cells, ${faults.length} faults`)
  process.exit(faults.length === 0 ? 0 : 1)
}

const sum = { seeds: 0, operations: 0, starts: 0, kills: 0, broken: 0 }
const begun = performance.now()
for (let seed = from; seed <= to; seed++) {
  const result = await runSeed(seed, values.trace)
  sum.seeds++
  sum.operations += result.operations
  sum.starts += result.starts
  sum.kills += result.kills
  if (result.faults.length === 0) continue
  sum.broken++
  console.log(`seed ${seed}:\n  ${result.faults.slice(0, 8).join('\n  ')}`)
  if (values.first) break
}
const seconds = (performance.now() - begun) / 1000
console.log(
  `${sum.seeds} seeds, ${sum.operations} operations, ${sum.starts} starts, ${sum.kills} kills in ${seconds.toFixed(1)} s; ${sum.broken} broken`,
)
process.exitCode = sum.broken === 0 ? 0 : 1
