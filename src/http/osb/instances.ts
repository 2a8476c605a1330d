/** Provision, update, deprovision, fetch and poll of instances: parse, one call of the broker, print. */
import { deprovision } from '../../broker/deprovision.ts'
import { fetchInstance, pollTarget, retryAfterSeconds } from '../../broker/look.ts'
import { provision } from '../../broker/provision.ts'
import { update } from '../../broker/update.ts'
import { present } from '../../kit/present.ts'
import type { InstanceKey, Target } from '../../model/instance.ts'
import { hasEnded } from '../../model/operation.ts'
import { fail } from '../../model/problem.ts'
import type { Answer } from '../answer.ts'
import {
  answerOfCreation,
  answerOfEnd,
  answerOfPromise,
  answerOfRemoval,
  answerOfStillRunning,
} from './ended.ts'
import { refuseUnpermitted } from './permission.ts'
import { acceptsIncomplete, type OsbRequest, type OsbSurroundings, queryValue } from './surroundings.ts'
import { instanceAnswer, instanceBody, parseProvision, parseUpdate, polledBody } from './wire.ts'

export async function putInstance(around: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  const { ports } = around
  const incomplete = acceptsIncomplete(request.query)
  const asked = parseProvision(request.instance, await request.body(), incomplete)
  await refuseUnpermitted(around, request, asked.context)
  const answer = await provision(ports, request.asker, asked)
  if (answer.kind === 'exists') return { status: 200, body: instanceAnswer(answer.instance) }
  const { operation, again, dashboardUrl } = answer
  const body = { operation, ...present({ dashboard_url: dashboardUrl }) }
  const accepted: Answer = { status: 202, body }
  if (!answer.wait) return answerOfPromise(around, { operation, accepted })
  const { serviceId, planId } = asked
  const { instance } = request
  return answerOfCreation(around, request, {
    operation,
    again,
    patient: incomplete,
    accepted,
    success: async () => ({ status: 201, body: await instanceNow(around, keyOf(request)) }),
    undo: () => deprovision(ports, request.asker, { instance, serviceId, planId, acceptsIncomplete: true }),
  })
}

export async function patchInstance(around: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  const asked = parseUpdate(request.instance, await request.body(), acceptsIncomplete(request.query))
  await refuseUnpermitted(around, request, asked.context)
  const answer = await update(around.ports, request.asker, asked)
  if (answer.kind === 'nothing-to-do') return { status: 200, body: instanceAnswer(answer.instance) }
  const accepted: Answer = { status: 202, body: { operation: answer.operation } }
  if (!answer.wait) return accepted
  const ended = await around.waitForEnd(answer.operation, around.options.syncWaitMs, request.gone())
  if (ended && hasEnded(ended.state)) {
    return answerOfEnd(ended, async () => ({ status: 200, body: await instanceNow(around, keyOf(request)) }))
  }
  if (acceptsIncomplete(request.query)) return accepted
  return answerOfStillRunning({ instance_usable: true, update_repeatable: true })
}

export async function deleteInstance(around: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  const serviceId = queryValue(request.query, 'service_id')
  const planId = queryValue(request.query, 'plan_id')
  if (serviceId === undefined || planId === undefined) {
    fail('request.malformed', 'service_id and plan_id are required in the query')
  }
  const incomplete = acceptsIncomplete(request.query)
  const { instance } = request
  const asked = { instance, serviceId, planId, acceptsIncomplete: incomplete }
  return answerOfRemoval(around, await deprovision(around.ports, request.asker, asked), incomplete)
}

export async function getInstance({ ports }: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  return { status: 200, body: instanceBody(await fetchInstance(ports, keyOf(request))) }
}

export function pollInstance(around: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  return poll(around, request, keyOf(request))
}

/** Answers the state of the named operation of a target, else of its latest. */
export function poll(around: OsbSurroundings, { query }: OsbRequest, target: Target): Promise<Answer> {
  const operation = queryValue(query, 'operation')
  const { platform, instance, binding } = target
  const key = JSON.stringify([platform, instance, binding, operation])
  return around.lastSeen.through(key, () => pollNow(around, target, operation))
}

async function pollNow(
  { ports, options }: OsbSurroundings,
  target: Target,
  operation: string | undefined,
): Promise<Answer> {
  const answer = await pollTarget(ports, target, operation)
  if (answer.kind === 'gone') return { status: 410, body: {} }
  if (answer.kind === 'never-operated') return { status: 200, body: { state: 'succeeded' } }
  if (answer.kind === 'lost') {
    const description =
      'The broker was taken back to a copy from before this operation, and knows nothing of it'
    return { status: 200, body: { state: 'failed', description } }
  }
  const { polled } = answer
  const deleted =
    (polled.action === 'deprovision' || polled.action === 'unbind') && polled.state === 'succeeded'
  if (deleted && options.deletedLastOperation === 'gone') return { status: 410, body: {} }
  const seconds = retryAfterSeconds(polled)
  return {
    status: 200,
    body: polledBody(polled),
    ...(seconds === undefined ? {} : { headers: { 'Retry-After': String(seconds) } }),
  }
}

async function instanceNow({ ports }: OsbSurroundings, key: InstanceKey) {
  const instance = await ports.store.look.instance(key)
  return instance ? instanceAnswer(instance) : {}
}

function keyOf({ asker, instance }: OsbRequest): InstanceKey {
  return { platform: asker.platform, instance }
}
