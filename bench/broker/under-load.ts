/** How long polls take at 2,000 a second, on an empty broker at rest and on a full one whose jobs log. */
import { orderPretended, startBrokerProcess } from '../../test/support/broker-process.ts'
import type { Figure } from '../figures.ts'
import { openLoop } from './raw-load.ts'
import { targetOf } from './target.ts'
import { tellQuiet, undisturbed } from './undisturbed.ts'

const perSecond = 2000
const windowSeconds = 2
const windows = 6
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

/** Over all requests of the undisturbed windows together. */
async function p99(name: string, dataDir: string, jobs: number): Promise<number> {
  const broker = await startBrokerProcess({
    dataDir,
    environment: { CHANDLER_OPERATIONS_CONCURRENCY: '256', CHANDLER_OPERATIONS_PER_PLATFORM: '256' },
  })
  const polled = await orderPretended(broker, 'polled-under-load', { ms: -1 })
  for (let i = 0; i < jobs; i++) await orderPretended(broker, `busy-${i}`, { ms: -1, log_every_ms: 200 })
  const path = `/v2/service_instances/polled-under-load/last_operation?operation=${polled}`
  const load = () => openLoop(targetOf(broker.url, path), perSecond, windowSeconds)
  await load()
  const quiet = await undisturbed(windows, triesMax, load)
  await broker.end('SIGKILL')
  tellQuiet(name, quiet)
  const latencies = quiet.samples.flatMap(({ seen }) => seen).sort((a, b) => a - b)
  return latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN
}
