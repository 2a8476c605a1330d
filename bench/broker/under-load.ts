/** How long polls take at 2,000 a second, on an empty broker at rest and on a full one whose jobs log. */
import { orderPretended, startBrokerProcess } from '../../test/support/broker-process.ts'
import { type Figure, median } from '../figures.ts'
import { openLoop } from './raw-load.ts'
import { targetOf } from './target.ts'
import { tellQuiet, undisturbed } from './undisturbed.ts'

const perSecond = 2000
const windowSeconds = 2
const windows = 7
/** A broker works for months: the seconds in which its code is still being compiled are not its polls. */
const warmUps = 5
const triesMax = 60

/** Measures the one after the other. */
export async function underLoad(empty: string, full: string): Promise<readonly Figure[]> {
  const [floor, ours] = [await p99('empty', empty, 0), await p99('full and busy', full, 200)]
  return [
    {
      name: `p99 of last_operation at ${perSecond} a second, full and busy against empty and idle`,
      ours,
      floor,
      unit: 'ms',
      goal: { atMost: 2 },
    },
    { name: 'the same against 10 ms', ours, floor: 10, unit: 'ms', goal: { atMost: 1 } },
  ]
}

/** The median over undisturbed windows: one with a hiccup of the machine says nothing of the others. */
async function p99(name: string, dataDir: string, jobs: number): Promise<number> {
  const broker = await startBrokerProcess({
    dataDir,
    environment: { CHANDLER_OPERATIONS_CONCURRENCY: '256', CHANDLER_OPERATIONS_PER_PLATFORM: '256' },
  })
  const polled = await orderPretended(broker, 'polled-under-load', { ms: -1 })
  for (let i = 0; i < jobs; i++) await orderPretended(broker, `busy-${i}`, { ms: -1, log_every_ms: 200 })
  const path = `/v2/service_instances/polled-under-load/last_operation?operation=${polled}`
  const load = () => openLoop(targetOf(broker.url, path), perSecond, windowSeconds)
  for (let i = 0; i < warmUps; i++) await load()
  const quiet = await undisturbed(windows, triesMax, load)
  await broker.end('SIGKILL')
  tellQuiet(name, quiet)
  return median(quiet.samples.map(({ seen }) => p99Of(seen)))
}

/** The latency that 99 of 100 polls keep. */
export function p99Of(latencies: readonly number[]): number {
  return latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? Number.NaN
}
