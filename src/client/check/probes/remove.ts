/** Deleting bindings and instances: named, at once or in the background, gone for good. */
import { expectSuccess, workOf } from '../follow.ts'
import type { Thing } from '../ledger.ts'
import { accepts, acceptsForBindings, type ChosenPlan, idsOf } from '../orders.ts'
import type { Session } from '../session.ts'
import { judgeAsyncRequired } from './provision.ts'
import { isSameOperation, probeRunning } from './running.ts'

/** Deletes one thing and judges every step. */
export async function probeRemoval(
  session: Session,
  plan: ChosenPlan,
  thing: Thing,
  kind: 'unbind' | 'deprovision',
): Promise<void> {
  const query = { ...idsOf(thing), ...(kind === 'unbind' ? acceptsForBindings(session) : accepts) }
  const remove = (words: Readonly<Record<string, string>>) =>
    session.send({ method: 'DELETE', path: thing.path, query: words })
  for (const name of ['service_id', 'plan_id']) {
    const sent = await remove(Object.fromEntries(Object.entries(query).filter(([key]) => key !== name)))
    session.judge(`${kind}.mandatory`, sent, sent.answer.status === 400, `400 without ${name}`)
  }
  const first = await remove(idsOf(thing))
  const made = first.answer.status === 422 ? await remove(query) : first
  judgeAsyncRequired(session, `${kind}.async-required`, first, made)
  const { status } = made.answer
  session.judge(`${kind}.answer`, made, status === 200 || status === 202, '200, or 202')
  if (status !== 200 && status !== 202) return
  if (status === 202) {
    const work = workOf(kind, thing, made)
    await probeRunning(session, work, {
      rule: `${kind}.repeated-running`,
      sent: { method: 'DELETE', path: thing.path, query },
      expected: `202 with the operation ${work.operation}`,
      fits: (exchange) => isSameOperation(exchange, work),
    })
    if (!(await expectSuccess(session, work))) return
  } else session.miss(`${kind}.repeated-running`, 'the plan works at once')
  const again = await remove(query)
  session.judge(`${kind}.gone`, again, again.answer.status === 410, '410')
  if (!(kind === 'unbind' ? plan.bindingsRetrievable : plan.instancesRetrievable)) return
  const fetched = await session.send({ method: 'GET', path: thing.path })
  session.judge('fetch.deleted', fetched, fetched.answer.status === 404, '404')
}
