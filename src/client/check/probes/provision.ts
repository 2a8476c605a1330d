/** Making an instance: at once or in the background, and what a repetition and a different order are told. */
import { deepEqual, isObject, type JsonObject } from '../../../kit/json.ts'
import { type Exchange, member } from '../exchange.ts'
import { expectSuccess, pollOnce, type Work, workOf } from '../follow.ts'
import type { Thing } from '../ledger.ts'
import { accepts, type ChosenPlan, instanceThing, provisionBody } from '../orders.ts'
import type { RuleId } from '../rules.ts'
import type { Session } from '../session.ts'
import { isCode, isTurnedAway } from './refusals.ts'
import { isSameOperation, probeRunning } from './running.ts'

export interface Instance {
  readonly thing: Thing
  readonly body: JsonObject
  /** It was made in the background. */
  readonly inBackground: boolean
}

/** An instance that is ready; undefined where none came to be. */
export async function probeProvision(session: Session, plan: ChosenPlan): Promise<Instance | undefined> {
  const thing = instanceThing(plan, session.id('instance'))
  const plain = provisionBody(plan, plan.parameters.create, session.minor)
  const extended = { ...plain, 'chandler-check': { unknown: true } }
  const order = (body: JsonObject, query: Readonly<Record<string, string>>) =>
    session.send({ method: 'PUT', path: thing.path, query, body, makes: thing })

  let body: JsonObject = extended
  let first = await order(body, {})
  if (first.answer.status === 400) {
    const again = await order(plain, {})
    const known = again.answer.status === 400
    if (!known) session.judge('provision.extensions', first, false, 'the unknown field is ignored')
    first = again
    body = plain
  } else session.judge('provision.extensions', first, true, '')

  const made = first.answer.status === 422 ? await order(body, accepts) : first
  if (isTurnedAway(made)) {
    session.miss('provision.answer', turnedAway(made))
    return undefined
  }
  judgeAsyncRequired(session, 'provision.async-required', first, made)
  const { status } = made.answer
  session.judge('provision.answer', made, status === 201 || status === 202, '201, or 202')
  if (status < 200 || status >= 300) return undefined
  judgeFields(session, made)
  const work = workOf('provision', thing, made)
  if (status === 202) {
    await probeWhileProvisioned(session, { plan, thing, body, work })
    if (!(await expectSuccess(session, work))) return undefined
    const { state, exchange } = await pollOnce(session, work)
    session.judge('poll.remembered', exchange, state === 'succeeded', 'succeeded, as before')
  } else missRunning(session, 'plan works at once')
  return { thing, body, inBackground: status === 202 }
}

/** Why nothing more is known of a plan; the specification leaves it to the broker whose orders it takes. */
export function turnedAway({ answer }: Exchange): string {
  const description = member(answer, 'description')
  return `the broker answers ${answer.status}${typeof description === 'string' ? `: ${description}` : ''}`
}

/** Never 202 for a platform that cannot wait; when it only has to wait, it is told so. */
export function judgeAsyncRequired(
  session: Session,
  rule: RuleId,
  first: Exchange,
  accepted: Exchange,
): void {
  const { status } = first.answer
  const onlyHadToWait = accepted !== first && accepted.answer.status < 300
  const fits = status !== 202 && (!onlyHadToWait || isCode(first, 'AsyncRequired'))
  session.judge(rule, first, fits, 'done at once, or 422 AsyncRequired')
}

/** Fields that provision and update share. */
export function judgeFields(session: Session, exchange: Exchange): void {
  const { answer } = exchange
  const [dashboard, operation, metadata] = ['dashboard_url', 'operation', 'metadata'].map((name) =>
    member(answer, name),
  )
  const text = (value: unknown) =>
    value === undefined || value === null || (typeof value === 'string' && value.length > 0)
  const fits =
    text(dashboard) &&
    text(operation) &&
    String(operation ?? '').length <= 10_000 &&
    (session.minor < 16 || metadata === undefined || isObject(metadata))
  session.judge(
    'provision.fields',
    exchange,
    fits,
    'texts, operation of 10,000 characters at most, metadata an object',
  )
}

interface Running {
  readonly plan: ChosenPlan
  readonly thing: Thing
  readonly body: JsonObject
  readonly work: Work
}

async function probeWhileProvisioned(session: Session, { plan, thing, body, work }: Running): Promise<void> {
  const put = { method: 'PUT', path: thing.path, query: accepts, makes: thing } as const
  await probeRunning(session, work, {
    rule: 'provision.repeated-running',
    sent: { ...put, body },
    expected: `202 with the operation ${work.operation}`,
    fits: (exchange) => isSameOperation(exchange, work),
  })
  const other = otherOrder(session, plan, body)
  if (other === undefined) session.miss('provision.conflict-running', 'nothing different can be ordered')
  else
    await probeRunning(session, work, {
      rule: 'provision.conflict-running',
      sent: { ...put, body: other },
      expected: '409',
      fits: ({ answer }) => answer.status === 409,
    })
  if (!plan.instancesRetrievable) session.miss('fetch.running', 'instances_retrievable is not set')
  else
    await probeRunning(session, work, {
      rule: 'fetch.running',
      sent: { method: 'GET', path: thing.path },
      expected: '404',
      fits: ({ answer }) => answer.status === 404,
    })
}

function missRunning(session: Session, reason: string): void {
  for (const rule of ['provision.repeated-running', 'provision.conflict-running', 'fetch.running'] as const)
    session.miss(rule, `the ${reason}`)
}

/** The same id with other attributes: another plan, or other parameters. */
function otherOrder(session: Session, plan: ChosenPlan, body: JsonObject): JsonObject | undefined {
  const { sibling, parameters } = plan
  if (sibling !== undefined) return provisionBody(sibling, sibling.create, session.minor)
  return parameters.otherCreate === undefined ? undefined : { ...body, parameters: parameters.otherCreate }
}

/** What stands: the same order again, a different one, and what is told of it. */
export async function probeStanding(
  session: Session,
  plan: ChosenPlan,
  { thing, body }: Instance,
): Promise<void> {
  const put = { method: 'PUT', path: thing.path, query: accepts, makes: thing } as const
  const again = await session.send({ ...put, body })
  session.judge('provision.repeated', again, again.answer.status === 200, '200')
  const other = otherOrder(session, plan, body)
  if (other === undefined) session.miss('provision.conflict', 'nothing different can be ordered')
  else {
    const different = await session.send({ ...put, body: other })
    session.judge('provision.conflict', different, different.answer.status === 409, '409')
  }
  if (!plan.instancesRetrievable) {
    session.miss('fetch.instance', 'instances_retrievable is not set')
    return
  }
  const fetched = await session.send({ method: 'GET', path: thing.path })
  judgeFetched(session, fetched, plan, plan.parameters.create)
}

/** What a fetch tells of service, plan and parameters: it may leave each out. */
export function judgeFetched(
  session: Session,
  exchange: Exchange,
  ids: { readonly serviceId: string; readonly planId: string },
  parameters: JsonObject,
): void {
  const { answer } = exchange
  const same = (name: string, wanted: string) =>
    [undefined, wanted].includes(member(answer, name) as string | undefined)
  const fits = answer.status === 200 && same('service_id', ids.serviceId) && same('plan_id', ids.planId)
  session.judge('fetch.instance', exchange, fits, `200 with service ${ids.serviceId} and plan ${ids.planId}`)
  if (answer.status !== 200) return
  const told = member(answer, 'parameters')
  const wrong = isObject(told) ? differing(told, parameters) : []
  session.judge('fetch.parameters', exchange, told === undefined || (isObject(told) && wrong.length === 0), {
    expected: 'an object with the parameters in use',
    got: isObject(told) ? `another value of ${wrong.join(', ')}` : JSON.stringify(told),
  })
}

/** The names that are told with another value; secret ones may be left out. */
export function differing(told: { readonly [key: string]: unknown }, wanted: JsonObject): readonly string[] {
  return Object.entries(wanted).flatMap(([name, value]) =>
    name in told && !deepEqual(told[name], value) ? [name] : [],
  )
}
