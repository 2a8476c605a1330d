/** What guesses of ids learn from the time of an answer: things of another tenant against such as never were, on every route that takes their id. */

import { operatorRoutes } from '../../src/http/operator/routes.ts'
import { orderPretended, startBrokerProcess } from '../../test/support/broker-process.ts'
import { inTurns } from '../broker/raw-load.ts'
import { targetOf } from '../broker/target.ts'
import { type Figure, median } from '../figures.ts'
import { tokens } from './fill.ts'

const warmUps = 100
const rounds = 500

const routes = operatorRoutes.filter(({ url }) => /:(?:instance|operation|tenant)\b/.test(url))

/** Ids of the same length, so that no answer is longer. */
const missing = { instance: 'never-was-', operation: '00000000000000000000000000', tenant: 'never-was-1' }

/** The ratio of all routes, and that of the route whose answers differ most. */
export async function guesses(dataDir: string): Promise<readonly Figure[]> {
  const broker = await startBrokerProcess({ dataDir })
  const operation = await orderPretended(broker, 'of-another', { ms: -1 })
  const foreign = { instance: 'of-another', operation, tenant: 'conformance' }
  const targetAt = ({ method, url }: Route, ids: typeof missing) => {
    const path = url
      .replace(':platform', 'conformance')
      .replace(':instance', ids.instance)
      .replace(':operation', ids.operation)
      .replace(':tenant', ids.tenant)
      .replaceAll(/:\w+/g, 'x')
    return targetOf(broker.url, `/api/v1${path}`, `Bearer ${tokens.developer}`, method)
  }
  const middles: Middle[] = []
  for (const route of routes) {
    const targets = [targetAt(route, foreign), targetAt(route, missing)]
    await inTurns(targets, warmUps)
    const [ours = [], floor = []] = await inTurns(targets, rounds)
    const name = `${route.method} ${route.url}`
    middles.push({ name, ratio: median(ours) / median(floor) })
  }
  await broker.end('SIGKILL')
  return summed(middles)
}

type Route = (typeof routes)[number]

interface Middle {
  readonly name: string
  /** The middle answer about a thing of others, in middle answers about nothing. */
  readonly ratio: number
}

function summed(middles: readonly Middle[]): readonly Figure[] {
  const apart = ({ ratio }: Middle) => Math.exp(Math.abs(Math.log(ratio)))
  const [worst] = middles.toSorted((a, b) => apart(b) - apart(a))
  const of = 'the middle time of an answer about things of others against such as never were'
  return [
    {
      name: `${of}, the middle of ${middles.length} routes`,
      ours: median(middles.map(({ ratio }) => ratio)),
      floor: 1,
      unit: 'times',
      goal: { atMost: 1.03 },
    },
    {
      name: `${of}, longer or shorter, on the route that differs most (${worst?.name ?? 'none'})`,
      ours: worst ? apart(worst) : 1,
      floor: 1,
      unit: 'times',
      goal: { atMost: 1.1 },
    },
  ]
}
