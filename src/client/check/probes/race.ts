/** The same order several times at once, and a deletion while it is carried out. */
import { type Exchange, member } from '../exchange.ts'
import { follow, workOf } from '../follow.ts'
import { accepts, type ChosenPlan, idsOf, instanceThing, provisionBody } from '../orders.ts'
import type { Session } from '../session.ts'
import { turnedAway } from './provision.ts'
import { isCode, isTurnedAway } from './refusals.ts'

const atOnce = 3

export async function probeRace(session: Session, plan: ChosenPlan): Promise<void> {
  const thing = instanceThing(plan, session.id('race'))
  const body = provisionBody(plan, plan.parameters.create, session.minor)
  const sent = { method: 'PUT', path: thing.path, query: accepts, body, makes: thing } as const
  const exchanges = await Promise.all(Array.from({ length: atOnce }, () => session.send(sent)))
  const operations = new Set(exchanges.filter(({ answer }) => answer.status === 202).map(operationOf))
  const [first] = exchanges
  if (first === undefined) return
  if (exchanges.every(isTurnedAway)) return session.miss('provision.race', turnedAway(first))
  // A request that waited for the first one may be told 201, too.
  const sound = exchanges.every((one) => one.answer.status < 300 || isCode(one, 'ConcurrencyError'))
  session.judge('provision.race', first, sound && operations.size <= 1, {
    expected: 'success or 422 ConcurrencyError for each, and one operation',
    got: exchanges.map((one) => `${one.answer.status} ${operationOf(one) ?? ''}`.trim()).join(', '),
  })
  const begun = exchanges.find(({ answer }) => answer.status === 202)
  if (begun === undefined) return session.miss('deprovision.running', 'the plan works at once')
  const deleted = await session.send({
    method: 'DELETE',
    path: thing.path,
    query: { ...idsOf(thing), ...accepts },
  })
  const fits = [200, 202, 410].includes(deleted.answer.status) || isCode(deleted, 'ConcurrencyError')
  session.judge('deprovision.running', deleted, fits, '200, 202, or 422 ConcurrencyError')
  if (deleted.answer.status === 202) await follow(session, workOf('deprovision', thing, deleted))
}

function operationOf({ answer }: Exchange): unknown {
  return member(answer, 'operation')
}
