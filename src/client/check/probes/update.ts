/** Changing an instance: parameters, plan, context; what is refused and what is told while it is changed. */
import { isObject, type JsonObject } from '../../../kit/json.ts'
import { type Exchange, member } from '../exchange.ts'
import { expectSuccess, follow, workOf } from '../follow.ts'
import type { Thing } from '../ledger.ts'
import type { OfferedPlan } from '../offers.ts'
import { accepts, type ChosenPlan, updateBody, without } from '../orders.ts'
import type { Session } from '../session.ts'
import { differing, type Instance, judgeAsyncRequired, judgeFields } from './provision.ts'
import { isCode, isRefusal, otherVersion } from './refusals.ts'
import { isSameOperation, probeRunning } from './running.ts'

/** What is refused, new parameters, a new context; the plan stays. */
export async function probeUpdate(session: Session, plan: ChosenPlan, { thing }: Instance): Promise<void> {
  await probeRefusedUpdates(session, plan, thing)
  await probeParameters(session, plan, thing)
  await probeContext(session, plan, thing)
}

function patch(
  session: Session,
  thing: Thing,
  body: JsonObject,
  query: Readonly<Record<string, string>> = accepts,
) {
  return session.send({ method: 'PATCH', path: thing.path, query, body })
}

async function probeRefusedUpdates(session: Session, plan: ChosenPlan, thing: Thing): Promise<void> {
  const body = updateBody(plan, plan.parameters.update ?? {}, session.minor)
  const nameless = await patch(session, thing, without(body, 'service_id'))
  session.judge('update.mandatory', nameless, nameless.answer.status === 400, '400')
  await settle(session, thing, nameless)
  const unknown = await patch(session, thing, { ...body, plan_id: session.id('nothing', 'plan') })
  session.judge('update.unknown-plan', unknown, isRefusal(unknown), 'a 4xx')
  await settle(session, thing, unknown)
  if (plan.maintenance === undefined) session.miss('update.maintenance', 'the plan has no maintenance_info')
  else {
    const version = otherVersion(plan.maintenance)
    const other = await patch(session, thing, { ...body, maintenance_info: { version } })
    session.judge(
      'update.maintenance',
      other,
      isCode(other, 'MaintenanceInfoConflict'),
      '422 MaintenanceInfoConflict',
    )
    await settle(session, thing, other)
  }
  await judgeStill(session, thing, plan)
}

/** What should have been refused and was begun is waited for, so that the next request meets an instance at rest. */
async function settle(session: Session, thing: Thing, exchange: Exchange): Promise<void> {
  if (exchange.answer.status === 202) await follow(session, workOf('update', thing, exchange))
}

async function probeParameters(session: Session, plan: ChosenPlan, thing: Thing): Promise<void> {
  const { update } = plan.parameters
  if (update === undefined) {
    for (const rule of ['update.accepted', 'update.parameters', 'update.async-required'] as const)
      session.miss(rule, 'no parameters for an update are known')
    return
  }
  const body = updateBody(plan, update, session.minor)
  const first = await patch(session, thing, body, {})
  const made = first.answer.status === 422 ? await patch(session, thing, body) : first
  judgeAsyncRequired(session, 'update.async-required', first, made)
  judgeAnswer(session, made)
  session.judge('update.accepted', made, made.answer.status < 300, '200, or 202')
  if (made.answer.status >= 300) return
  judgeFields(session, made)
  if (made.answer.status === 202) {
    const work = workOf('update', thing, made)
    const undisturbed = await probeWhileUpdated(session, plan, { thing, body, work })
    if (!(await expectSuccess(session, work))) return
    if (!undisturbed) return session.miss('update.parameters', 'the operation ended too soon')
  } else session.miss('update.conflict-running', 'the plan works at once')
  await judgeUpdated(session, plan, thing, update)
}

function judgeAnswer(session: Session, exchange: Exchange): void {
  const { status } = exchange.answer
  session.judge(
    'update.answer',
    exchange,
    status === 200 || status === 202 || isRefusal(exchange),
    '200, 202, or a 4xx',
  )
}

async function judgeUpdated(
  session: Session,
  plan: OfferedPlan,
  thing: Thing,
  update: JsonObject,
): Promise<void> {
  if (!plan.instancesRetrievable) return session.miss('update.parameters', 'instances_retrievable is not set')
  const fetched = await session.send({ method: 'GET', path: thing.path })
  const told = member(fetched.answer, 'parameters')
  if (!isObject(told)) return session.miss('update.parameters', 'a fetch does not tell parameters')
  const wrong = differing(told, update)
  session.judge('update.parameters', fetched, wrong.length === 0, {
    expected: `the new values: ${JSON.stringify(update)}`,
    got: JSON.stringify(told),
  })
  judgeKept(session, thing, fetched)
}

interface Running {
  readonly thing: Thing
  readonly body: JsonObject
  readonly work: Parameters<typeof expectSuccess>[1]
}

/** Whether the update is still the last one: another may have been taken after it had ended. */
async function probeWhileUpdated(
  session: Session,
  plan: ChosenPlan,
  { thing, body, work }: Running,
): Promise<boolean> {
  const sent = { method: 'PATCH', path: thing.path, query: accepts } as const
  await probeRunning(session, work, {
    rule: 'update.repeated-running',
    sent: { ...sent, body },
    expected: `202 with the operation ${work.operation}, or 422 ConcurrencyError`,
    fits: (exchange) => isSameOperation(exchange, work) || isCode(exchange, 'ConcurrencyError'),
  })
  const { otherUpdate } = plan.parameters
  let undisturbed = true
  if (otherUpdate === undefined) session.miss('update.conflict-running', 'no other parameters are known')
  else
    undisturbed = await probeRunning(session, work, {
      rule: 'update.conflict-running',
      sent: { ...sent, body: { ...body, parameters: otherUpdate } },
      expected: '422 ConcurrencyError',
      fits: (exchange) => isCode(exchange, 'ConcurrencyError'),
    })
  if (!plan.instancesRetrievable) session.miss('fetch.updating', 'instances_retrievable is not set')
  else
    await probeRunning(session, work, {
      rule: 'fetch.updating',
      sent: { method: 'GET', path: thing.path },
      expected: '422 ConcurrencyError',
      fits: (exchange) => isCode(exchange, 'ConcurrencyError'),
    })
  return undisturbed
}

async function probeContext(session: Session, plan: ChosenPlan, thing: Thing): Promise<void> {
  if (!plan.contextUpdates) return session.miss('update.context', 'allow_context_updates is not set')
  const sent = await patch(session, thing, updateBody(plan, {}, session.minor))
  const { status } = sent.answer
  session.judge('update.context', sent, status === 200 || status === 202, '200, or 202')
  if (status === 202) await expectSuccess(session, workOf('update', thing, sent))
  await judgeStill(session, thing, plan)
}

/** To another plan and, where that allows it, back; answers the instance as it stands afterwards. */
export async function probePlan(session: Session, plan: ChosenPlan, thing: Thing): Promise<Thing> {
  const { sibling } = plan
  if (sibling === undefined) {
    session.miss('update.plan', 'the service has no other plan that is checked')
    return thing
  }
  const moved = await moveTo(session, plan, { thing, to: sibling, updateable: plan.planUpdateable })
  if (moved === thing || !sibling.planUpdateable) return moved
  return moveTo(session, plan, { thing: moved, to: plan, updateable: true })
}

interface Move {
  readonly thing: Thing
  readonly to: OfferedPlan
  /** Whether instances may leave the plan that they have. */
  readonly updateable: boolean
}

async function moveTo(session: Session, plan: OfferedPlan, { thing, to, updateable }: Move): Promise<Thing> {
  const from = { ...plan, planId: thing.planId }
  const sent = await patch(session, thing, { ...updateBody(from, {}, session.minor), plan_id: to.planId })
  const { status } = sent.answer
  judgeAnswer(session, sent)
  const work = workOf('update', thing, sent)
  if (!updateable) {
    session.judge('update.plan-refused', sent, isRefusal(sent), 'a 4xx')
    if (status === 202) await follow(session, work)
    if (isRefusal(sent)) await judgeStill(session, thing, plan)
    return status < 300 ? move(session, thing, to) : thing
  }
  if (status >= 300) {
    session.miss('update.plan', 'the broker does not support this change')
    await judgeStill(session, thing, plan)
    return thing
  }
  if (status === 202 && !(await expectSuccess(session, work))) return thing
  if (!plan.instancesRetrievable) session.miss('update.plan', 'instances_retrievable is not set')
  else {
    const fetched = await session.send({ method: 'GET', path: thing.path })
    const told = member(fetched.answer, 'plan_id')
    const fits = fetched.answer.status === 200 && (told === undefined || told === to.planId)
    session.judge('update.plan', fetched, fits, `plan ${to.planId}`)
  }
  return move(session, thing, to)
}

function move(session: Session, thing: Thing, { planId }: OfferedPlan): Thing {
  const moved = { ...thing, planId }
  session.ledger.moved(moved)
  return moved
}

/** The plan is what it was. */
async function judgeStill(session: Session, thing: Thing, plan: OfferedPlan): Promise<void> {
  if (!plan.instancesRetrievable) return session.miss('update.plan-kept', 'instances_retrievable is not set')
  judgeKept(session, thing, await session.send({ method: 'GET', path: thing.path }))
}

function judgeKept(session: Session, { planId }: Thing, fetched: Exchange): void {
  const told = member(fetched.answer, 'plan_id')
  session.judge('update.plan-kept', fetched, told === undefined || told === planId, `plan ${planId}`)
}
