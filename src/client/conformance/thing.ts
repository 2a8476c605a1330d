/** An instance or binding of a broker under test: polled until it rests, deleted until it is gone. */
import type { Clock } from '../../kit/clock.ts'
import type { BrokerAnswer, BrokerConnection } from '../broker-connection.ts'
import { lookUp } from './answer-path.ts'
import { buildRequest } from './build-request.ts'
import type { Fixture } from './case.ts'
import type { Variables } from './variables.ts'

export interface Thing {
  /** Its path, percent-encoded. */
  readonly path: string
  readonly service: string
  readonly plan: string
}

interface Reach {
  readonly connection: BrokerConnection
  readonly fixture: Fixture
  readonly symbols: Variables
  readonly clock: Clock
  readonly waitMs: number
}

/** A checker that waited as long as Retry-After says would take hours; it begins fast and slows down. */
const firstPauseMs = 10
const longestPauseMs = 1000

/** The first answer that no longer says "in progress", or the last one when time is up. */
export async function pollThing(
  thing: Thing,
  operation: string | undefined,
  reach: Reach,
): Promise<BrokerAnswer> {
  const begun = reach.clock.monotonic()
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
    const answer = await send(
      'GET',
      `${thing.path}/last_operation`,
      operation === undefined ? {} : { operation },
      reach,
    )
    const running = answer.status === 200 && lookUp(answer, 'body.state') === 'in progress'
    if (!running || reach.clock.monotonic() - begun > reach.waitMs) return answer
    await reach.clock.sleep(pause)
  }
}

/** Deletes and waits until it is gone; answers what went wrong, if anything. */
export async function deleteThing(thing: Thing, reach: Reach): Promise<string | undefined> {
  const answer = await send(
    'DELETE',
    thing.path,
    { service_id: thing.service, plan_id: thing.plan, accepts_incomplete: 'true' },
    reach,
  )
  if (answer.status === 200 || answer.status === 410) return undefined
  if (answer.status !== 202) return `delete: expected 200, 202 or 410, got ${answer.status} ${answer.text}`
  const operation = lookUp(answer, 'body.operation')
  const last = await pollThing(thing, typeof operation === 'string' ? operation : undefined, reach)
  const gone = last.status === 410 || lookUp(last, 'body.state') === 'succeeded'
  return gone ? undefined : `delete: expected it to end, got ${last.status} ${last.text}`
}

function send(
  method: 'GET' | 'DELETE',
  path: string,
  query: Readonly<Record<string, string>>,
  { connection, fixture, symbols }: Reach,
): Promise<BrokerAnswer> {
  return connection.send(buildRequest({ method, path, query }, fixture, symbols))
}
