/** Following an operation to its end, as often as the broker asks to be polled, every answer judged. */
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { type Exchange, member } from './exchange.ts'
import type { Thing } from './ledger.ts'
import type { Session } from './session.ts'

export interface Work {
  readonly thing: Thing
  readonly kind: 'provision' | 'update' | 'deprovision' | 'bind' | 'unbind'
  readonly operation?: string
}

export type State = 'in progress' | 'succeeded' | 'failed' | 'gone' | 'unclear'

/** The work that a 202 tells of. */
export function workOf(kind: Work['kind'], thing: Thing, { answer }: Exchange): Work {
  const operation = member(answer, 'operation')
  return { kind, thing, ...(typeof operation === 'string' ? { operation } : {}) }
}

/** One poll. */
export async function pollOnce(
  session: Session,
  work: Work,
): Promise<{ readonly state: State; readonly exchange: Exchange }> {
  const { thing, operation } = work
  const exchange = await session.send({
    method: 'GET',
    path: `${thing.path}/last_operation`,
    query: {
      service_id: thing.serviceId,
      plan_id: thing.planId,
      ...present({ operation }),
    },
  })
  return { state: stateOf(session, work, exchange), exchange }
}

const failuresInARow = 3

/** The state in which it ends; what does not end in its time is in progress. */
export async function follow(session: Session, work: Work): Promise<State> {
  const { clock } = session
  const begun = clock.monotonic()
  const most = Math.min(session.waitMs, work.thing.pollingMs ?? session.waitMs)
  let unclear = 0
  for (let polls = 0; ; polls++) {
    const { state, exchange } = await pollOnce(session, work)
    unclear = state === 'unclear' ? unclear + 1 : 0
    if (state !== 'in progress' && (state !== 'unclear' || unclear === failuresInARow)) {
      session.judge('poll.ends', exchange, true, '')
      return state
    }
    const pause = retryAfterMs(session, exchange) ?? ownPauseMs(polls)
    if (clock.monotonic() - begun + pause > most) {
      session.judge('poll.ends', exchange, false, `an end within ${Math.round(most / 1000)} s`)
      return 'in progress'
    }
    await clock.sleep(pause, session.stop)
  }
}

/** Like follow, for what has to succeed. */
export async function expectSuccess(session: Session, work: Work): Promise<boolean> {
  const state = await follow(session, work)
  const deletes = work.kind === 'deprovision' || work.kind === 'unbind'
  const succeeded = state === 'succeeded' || (state === 'gone' && deletes)
  if (state === 'failed') {
    const { exchange } = await pollOnce(session, work)
    session.judge('poll.succeeds', exchange, false, `${work.kind} succeeds`)
  }
  return succeeded
}

function stateOf(session: Session, work: Work, exchange: Exchange): State {
  const { answer } = exchange
  const deletes = work.kind === 'deprovision' || work.kind === 'unbind'
  if (answer.status === 410 && deletes) return 'gone'
  const state = member(answer, 'state')
  const known = state === 'in progress' || state === 'succeeded' || state === 'failed'
  const fits = answer.status === 200 && known
  session.judge('poll.answer', exchange, fits, `200 with a state${deletes ? ', or 410' : ''}`)
  if (!isObject(answer.body)) return 'unclear'
  const { description } = answer.body
  session.judge(
    'poll.description',
    exchange,
    description === undefined || typeof description === 'string',
    'a text, or nothing',
  )
  judgeFlags(session, work, exchange)
  return fits ? state : 'unclear'
}

function judgeFlags(session: Session, { kind }: Work, exchange: Exchange): void {
  const failed = member(exchange.answer, 'state') === 'failed'
  const allowed = {
    instance_usable: failed && (kind === 'update' || kind === 'deprovision'),
    update_repeatable: failed && kind === 'update',
  }
  const flawed = Object.entries(allowed).filter(([name, fits]) => {
    const flag = member(exchange.answer, name)
    return flag !== undefined && (!fits || typeof flag !== 'boolean')
  })
  session.judge(
    'poll.flags',
    exchange,
    flawed.length === 0,
    'booleans, of failed updates and deprovisions only',
  )
}

const mostPauseMs = 10_000

/** Fast at first: much of what is done in the background takes a second. */
function ownPauseMs(polls: number): number {
  return Math.min(mostPauseMs, 250 * 1.5 ** polls)
}

/** What the broker asks for. */
function retryAfterMs(session: Session, exchange: Exchange): number | undefined {
  const { 'retry-after': asked } = exchange.answer.headers
  if (asked === undefined || session.minor < 15) return undefined
  const seconds = /^\d+$/.test(asked) ? Number(asked) : (Date.parse(asked) - session.clock.now()) / 1000
  session.judge('poll.retry-after', exchange, !Number.isNaN(seconds), {
    expected: 'whole seconds, or a date',
    got: asked,
  })
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds * 1000)
}
