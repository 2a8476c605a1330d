/** Orders that must be refused: malformed, incomplete, for what is not offered. */
import type { JsonObject } from '../../../kit/json.ts'
import { type Exchange, member } from '../exchange.ts'
import type { Thing } from '../ledger.ts'
import {
  accepts,
  bindBody,
  bindingThing,
  type ChosenPlan,
  idsOf,
  instanceThing,
  provisionBody,
  updateBody,
  without,
} from '../orders.ts'
import type { RuleId } from '../rules.ts'
import type { Session } from '../session.ts'

/** Whether an answer refuses for what is wrong with the request. */
export function isRefusal({ answer }: Exchange): boolean {
  return answer.status >= 400 && answer.status < 500
}

/** Whether an answer refuses a request that is right: a quota is used up, or it came too often. */
export function isTurnedAway({ answer }: Exchange): boolean {
  return answer.status === 403 || answer.status === 429
}

/** Whether an answer is 422 with a code. */
export function isCode({ answer }: Exchange, code: string): boolean {
  return answer.status === 422 && member(answer, 'error') === code
}

/** Orders of instances; each has an id of its own, so that one that is accepted is found again. */
export async function probeRefusedProvisions(session: Session, plan: ChosenPlan): Promise<void> {
  const body = provisionBody(plan, plan.parameters.create, session.minor)
  const order = (word: string, sent: { readonly body?: JsonObject; readonly raw?: string }) => {
    const makes = instanceThing(plan, session.id('refused', word))
    return session.send({ method: 'PUT', path: makes.path, query: accepts, ...sent, makes })
  }
  const broken = await order('broken', { raw: '{"service_id": ' })
  session.judge('provision.malformed', broken, broken.answer.status === 400, '400')
  const rows: readonly (readonly [RuleId, string])[] = [
    ['provision.mandatory', 'service_id'],
    ['provision.mandatory', 'plan_id'],
    ['provision.owner', 'organization_guid'],
    ['provision.owner', 'space_guid'],
  ]
  for (const [rule, name] of rows) {
    const sent = await order(name, { body: without(body, name) })
    session.judge(rule, sent, sent.answer.status === 400, `400 without ${name}`)
  }
  for (const name of ['service_id', 'plan_id']) {
    const sent = await order(`unknown ${name}`, { body: { ...body, [name]: session.id('nothing', name) } })
    session.judge('provision.unknown', sent, isRefusal(sent), `a 4xx for an unknown ${name}`)
  }
  const { brokenCreate } = plan.parameters
  if (brokenCreate === undefined) session.miss('provision.parameters', 'no schema says what is wrong')
  else {
    const sent = await order('parameters', { body: { ...body, parameters: brokenCreate } })
    session.judge('provision.parameters', sent, isRefusal(sent), 'a 4xx')
  }
  if (plan.maintenance === undefined)
    session.miss('provision.maintenance', 'the plan has no maintenance_info')
  else {
    const other = { ...body, maintenance_info: { version: otherVersion(plan.maintenance) } }
    const sent = await order('maintenance', { body: other })
    session.judge(
      'provision.maintenance',
      sent,
      isCode(sent, 'MaintenanceInfoConflict'),
      '422 MaintenanceInfoConflict',
    )
  }
}

export function otherVersion(version: string): string {
  return version === '0.0.1' ? '0.0.2' : '0.0.1'
}

/** Orders about instances and bindings that do not exist. */
export async function probeUnknownTargets(session: Session, plan: ChosenPlan): Promise<void> {
  const instance = instanceThing(plan, session.id('nobody'))
  const query = { ...idsOf(instance), ...accepts }
  const updated = await session.send({
    method: 'PATCH',
    path: instance.path,
    query: accepts,
    body: updateBody(plan, {}, session.minor),
  })
  session.judge('update.unknown-instance', updated, isRefusal(updated), 'a 4xx, such as 404')
  const deleted = await session.send({ method: 'DELETE', path: instance.path, query })
  session.judge('deprovision.gone', deleted, deleted.answer.status === 410, '410')
  if (!plan.bindable) return
  const binding = bindingThing(instance, session.id('nobody', 'binding'))
  const bound = await session.send({
    method: 'PUT',
    path: binding.path,
    query: session.minor >= 14 ? accepts : {},
    body: bindBody(plan, plan.parameters.bind, session.minor),
    makes: binding,
  })
  session.judge('bind.unknown-instance', bound, isRefusal(bound), 'a 4xx, such as 404')
}

/** Orders of bindings of an instance that stands. */
export async function probeRefusedBinds(session: Session, plan: ChosenPlan, instance: Thing): Promise<void> {
  const body = bindBody(plan, plan.parameters.bind, session.minor)
  const query = session.minor >= 14 ? accepts : {}
  const order = (word: string, sent: { readonly body?: JsonObject; readonly raw?: string }) => {
    const makes = bindingThing(instance, session.id('refused', 'binding', word))
    return session.send({ method: 'PUT', path: makes.path, query, ...sent, makes })
  }
  if (!plan.bindable) {
    const sent = await order('not bindable', { body })
    session.judge('bind.not-bindable', sent, isRefusal(sent), 'a 4xx')
    return
  }
  const broken = await order('broken', { raw: '{"service_id": ' })
  session.judge('bind.malformed', broken, broken.answer.status === 400, '400')
  for (const name of ['service_id', 'plan_id']) {
    const sent = await order(name, { body: without(body, name) })
    session.judge('bind.mandatory', sent, sent.answer.status === 400, `400 without ${name}`)
  }
}
