/** Binding: at once or in the background, the same again, different, twice, fetched, rotated. */
import { deepEqual, type JsonObject } from '../../../kit/json.ts'
import { type Exchange, member } from '../exchange.ts'
import { expectSuccess, type Work, workOf } from '../follow.ts'
import type { Thing } from '../ledger.ts'
import { acceptsForBindings, bindBody, bindingThing, type ChosenPlan } from '../orders.ts'
import type { Session } from '../session.ts'
import { judgeBound } from './bound.ts'
import { judgeAsyncRequired } from './provision.ts'
import { isCode, isRefusal } from './refusals.ts'
import { isSameOperation, probeRunning } from './running.ts'

interface Binding {
  readonly thing: Thing
  readonly body: JsonObject
  /** What was handed out; undefined where the broker did not say. */
  readonly credentials: unknown
}

/** The bindings that stand afterwards. */
export async function probeBind(
  session: Session,
  plan: ChosenPlan,
  instance: Thing,
): Promise<readonly Thing[]> {
  const first = await bindOnce(session, plan, { instance, word: 'first', thorough: true })
  if (first === undefined) return []
  await probeStandingBinding(session, plan, first)
  const second = await bindOnce(session, plan, { instance, word: 'second', thorough: false })
  if (second !== undefined && first.credentials !== undefined)
    session.judge('bind.unique', second.exchange, !deepEqual(first.credentials, second.credentials), {
      expected: 'credentials of its own',
      got: 'the credentials of another binding',
    })
  const rotated = await probeRotation(session, plan, { instance, first })
  return [first, second, rotated].flatMap((one) => (one === undefined ? [] : [one.thing]))
}

interface BindOrder {
  readonly instance: Thing
  readonly word: string
  /** Judge what is only judged once. */
  readonly thorough: boolean
  readonly body?: JsonObject
}

async function bindOnce(
  session: Session,
  plan: ChosenPlan,
  { instance, word, thorough, body: given }: BindOrder,
): Promise<(Binding & { readonly exchange: Exchange }) | undefined> {
  const thing = bindingThing(instance, session.id('binding', word))
  const body = { ...bindBody(plan, plan.parameters.bind, session.minor), plan_id: instance.planId, ...given }
  const put = { method: 'PUT', path: thing.path, body, makes: thing } as const
  const first = await session.send({ ...put, query: {} })
  const made =
    first.answer.status === 422 ? await session.send({ ...put, query: acceptsForBindings(session) }) : first
  judgeAsyncRequired(session, 'bind.async-required', first, made)
  const { status } = made.answer
  if (session.minor < 14 && isCode(made, 'AsyncRequired')) {
    session.miss('bind.answer', 'the plan binds in the background only, which came with 2.14')
    return undefined
  }
  session.judge('bind.answer', made, status === 201 || status === 202, '201, or 202')
  if (status < 200 || status >= 300) return undefined
  if (status !== 202) {
    judgeBound(session, plan, made)
    return { thing, body, credentials: member(made.answer, 'credentials'), exchange: made }
  }
  const work = workOf('bind', thing, made)
  session.judge(
    'bind.retrievable',
    made,
    plan.bindingsRetrievable,
    'bindings_retrievable, or an answer at once',
  )
  if (thorough) await probeWhileBound(session, plan, put, work)
  if (!(await expectSuccess(session, work))) return undefined
  if (!plan.bindingsRetrievable) return { thing, body, credentials: undefined, exchange: made }
  const fetched = await session.send({ method: 'GET', path: thing.path })
  const fits = fetched.answer.status === 200 && member(fetched.answer, 'credentials') !== undefined
  session.judge('bind.fetch', fetched, fits || plan.requires.length > 0, '200 with credentials')
  judgeBound(session, plan, fetched)
  return { thing, body, credentials: member(fetched.answer, 'credentials'), exchange: fetched }
}

async function probeWhileBound(
  session: Session,
  plan: ChosenPlan,
  put: { readonly method: 'PUT'; readonly path: string; readonly body: JsonObject; readonly makes: Thing },
  work: Work,
): Promise<void> {
  await probeRunning(session, work, {
    rule: 'bind.repeated-running',
    sent: { ...put, query: acceptsForBindings(session) },
    expected: `202 with the operation ${work.operation}`,
    fits: (exchange) => isSameOperation(exchange, work),
  })
  if (plan.bindingsRetrievable)
    await probeRunning(session, work, {
      rule: 'bind.fetch-running',
      sent: { method: 'GET', path: put.path },
      expected: '404',
      fits: ({ answer }) => answer.status === 404,
    })
}

async function probeStandingBinding(session: Session, plan: ChosenPlan, binding: Binding): Promise<void> {
  const { thing, body, credentials } = binding
  const put = { method: 'PUT', path: thing.path, query: acceptsForBindings(session), makes: thing } as const
  const again = await session.send({ ...put, body })
  const same = credentials === undefined || deepEqual(member(again.answer, 'credentials'), credentials)
  session.judge('bind.repeated', again, again.answer.status === 200 && same, '200 with the same credentials')
  const other = plan.parameters.otherBind
  const different = {
    ...body,
    ...(other === undefined
      ? { app_guid: session.id('application'), bind_resource: { app_guid: session.id('application') } }
      : { parameters: other }),
  }
  const conflict = await session.send({ ...put, body: different })
  session.judge('bind.conflict', conflict, conflict.answer.status === 409, '409')
  await judgeFetchedBinding(session, plan, binding)
}

async function judgeFetchedBinding(
  session: Session,
  plan: ChosenPlan,
  { thing, credentials }: Binding,
): Promise<void> {
  if (!plan.bindingsRetrievable) return session.miss('bind.fetch', 'bindings_retrievable is not set')
  const fetched = await session.send({ method: 'GET', path: thing.path })
  const same = credentials === undefined || deepEqual(member(fetched.answer, 'credentials'), credentials)
  session.judge('bind.fetch', fetched, fetched.answer.status === 200 && same, '200 with the same credentials')
}

async function probeRotation(
  session: Session,
  plan: ChosenPlan,
  { instance, first }: { readonly instance: Thing; readonly first: Binding },
): Promise<Binding | undefined> {
  if (!plan.rotatable) {
    session.miss('rotate.answer', 'binding_rotatable is not set')
    return undefined
  }
  const predecessor = decodeURIComponent(first.thing.path.slice(first.thing.path.lastIndexOf('/') + 1))
  const unknown = bindingThing(instance, session.id('binding', 'of nobody'))
  const refused = await session.send({
    method: 'PUT',
    path: unknown.path,
    query: acceptsForBindings(session),
    body: { ...first.body, predecessor_binding_id: session.id('nobody', 'predecessor') },
    makes: unknown,
  })
  session.judge('rotate.unknown', refused, isRefusal(refused), 'a 4xx')
  const rotated = await bindOnce(session, plan, {
    instance,
    word: 'successor',
    thorough: false,
    body: { predecessor_binding_id: predecessor },
  })
  session.judge('rotate.answer', rotated?.exchange ?? refused, rotated !== undefined, 'a binding')
  if (rotated === undefined || !plan.bindingsRetrievable) return rotated
  const still = await session.send({ method: 'GET', path: first.thing.path })
  session.judge('rotate.predecessor', still, still.answer.status === 200, '200')
  return rotated
}
