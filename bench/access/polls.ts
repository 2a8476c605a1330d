/** How long polls take with many accounts and tokens in the store, beside brokers with almost none: poll by poll in turns, so that what disturbs the machine disturbs all. */
import { type BrokerProcess, orderPretended, startBrokerProcess } from '../../test/support/broker-process.ts'
import { inTurns, type Target } from '../broker/raw-load.ts'
import { targetOf } from '../broker/target.ts'
import { p99Of } from '../broker/under-load.ts'
import { type Figure, median } from '../figures.ts'

const warmUps = 1500
const rounds = 6000

/** The slowest of a hundred polls differ from start to start of one and the same broker, more than accounts could change them. */
const starts = 9

interface Wish {
  /** What the polls show. */
  readonly by: string
  /** Data folders of a broker with hardly any accounts, of one like it, and of one with many. */
  readonly folders: readonly [string, string, string]
  readonly authorization?: string
}

/** The broker of many against that of few; and that of few against its twin, which is how far apart equals are here. */
export async function polls({ by, folders, authorization }: Wish): Promise<readonly Figure[]> {
  const times: (readonly number[])[] = []
  for (let start = 0; start < starts; start++) {
    // Each of them is asked first, second and third equally often.
    const turned = [...folders.slice(start % 3), ...folders.slice(0, start % 3)]
    const took = await onceStarted(turned, authorization)
    times.push(folders.map((folder) => p99Of(took[turned.indexOf(folder)] ?? [])))
  }
  const [floor = 0, twin = 0, ours = 0] = folders.map((_, i) => median(times.map((all) => all[i] ?? 0)))
  const of = `p99 of last_operation by ${by}, the middle of ${starts} starts`
  return [
    {
      ...{ name: `${of}, many accounts and tokens against almost none`, ours, floor },
      ...{ unit: 'ms', goal: { atMost: 1.1 } },
    },
    { name: `${of}, almost none against almost none: the noise`, ours: twin, floor, unit: 'ms' },
  ]
}

async function onceStarted(folders: readonly string[], authorization: string | undefined) {
  const brokers = await Promise.all(folders.map((dataDir) => startBrokerProcess({ dataDir })))
  const targets = await Promise.all(brokers.map((broker) => polledAt(broker, authorization)))
  await inTurns(targets, warmUps)
  const took = await inTurns(targets, rounds)
  for (const broker of brokers) await broker.end('SIGKILL')
  return took
}

async function polledAt(broker: BrokerProcess, authorization: string | undefined): Promise<Target> {
  const operation = await orderPretended(broker, 'polled', { ms: -1 })
  const path = `/v2/service_instances/polled/last_operation?operation=${operation}`
  return targetOf(broker.url, path, authorization)
}
