/** Bind, rotate, unbind, fetch and poll of bindings: parse, one call of the broker, print. */
import { bind } from '../../broker/bind.ts'
import { recordDeed } from '../../broker/govern.ts'
import { fetchBinding } from '../../broker/look.ts'
import { orders } from '../../broker/orders.ts'
import { unbind } from '../../broker/unbind.ts'
import type { BindingKey } from '../../model/instance.ts'
import { hasEnded } from '../../model/operation.ts'
import { fail } from '../../model/problem.ts'
import type { Answer } from '../answer.ts'
import { answerOfEnd, answerOfRemoval } from './ended.ts'
import { poll } from './instances.ts'
import { acceptsIncomplete, type OsbRequest, type OsbSurroundings, queryValue } from './surroundings.ts'
import { bindingAnswer, bindingBody, parseBind } from './wire.ts'

/** Asynchronous bindings exist since 2.14. */
const asyncBindingsSince = 14

export async function putBinding(around: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  const { ports, options } = around
  const key = keyOf(request)
  const incomplete = mayWait(request)
  const answer = await bind(ports, request.asker, parseBind(key, await request.body(), incomplete))
  if (answer.kind === 'exists') return { status: 200, body: await credentials(around, key) }
  const accepted: Answer = { status: 202, body: { operation: answer.operation } }
  if (!answer.wait) return accepted
  const ended = await around.waitForEnd(answer.operation, options.syncWaitMs)
  if (ended && hasEnded(ended.state)) {
    return answerOfEnd(ended, async () => ({ status: 201, body: await credentials(around, key) }))
  }
  if (incomplete) return accepted
  const binding = await ports.store.look.binding(key)
  if (binding) {
    const { serviceId, planId } = binding
    // Without the platform's patience the unfinished work is taken back.
    await unbind(ports, request.asker, { ...key, serviceId, planId, acceptsIncomplete: true })
  }
  return fail('instance.async-required')
}

export async function deleteBinding(around: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  const incomplete = mayWait(request)
  const serviceId = queryValue(request.query, 'service_id')
  const planId = queryValue(request.query, 'plan_id')
  const begun = await unbind(around.ports, request.asker, {
    ...keyOf(request),
    acceptsIncomplete: incomplete,
    ...(serviceId === undefined ? {} : { serviceId }),
    ...(planId === undefined ? {} : { planId }),
  })
  return answerOfRemoval(around, begun, incomplete)
}

export async function getBinding({ ports }: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  const view = await fetchBinding(ports, keyOf(request))
  // Whoever reads credentials is written down before they are handed out.
  const { asker, binding: id } = request
  await recordDeed(ports, asker, { action: 'binding.read-credentials', kind: 'binding', id })
  return { status: 200, body: bindingBody(view) }
}

export function pollBinding(around: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  return poll(around, request, keyOf(request))
}

async function credentials({ ports }: OsbSurroundings, key: BindingKey) {
  return bindingAnswer((await orders.answer(ports.store.look, key)) ?? {})
}

function mayWait({ query, minor }: OsbRequest): boolean {
  return minor >= asyncBindingsSince && acceptsIncomplete(query)
}

function keyOf({ asker, instance, binding }: OsbRequest): BindingKey {
  return { platform: asker.platform, instance, binding }
}
