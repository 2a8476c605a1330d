/** Bind, rotate, unbind, fetch and poll of bindings: parse, one call of the broker, print. */
import { bind } from '../../broker/bind.ts'
import { fetchBinding } from '../../broker/look.ts'
import { orders } from '../../broker/orders.ts'
import { unbind } from '../../broker/unbind.ts'
import { present } from '../../kit/present.ts'
import type { BindingKey } from '../../model/instance.ts'
import type { Answer } from '../answer.ts'
import { answerOfCreation, answerOfPromise, answerOfRemoval } from './ended.ts'
import { poll } from './instances.ts'
import { refuseUnpermitted } from './permission.ts'
import { acceptsIncomplete, type OsbRequest, type OsbSurroundings, queryValue } from './surroundings.ts'
import { bindingAnswer, bindingBody, parseBind } from './wire.ts'

/** Asynchronous bindings exist since 2.14. */
const asyncBindingsSince = 14

export async function putBinding(around: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  const { ports } = around
  const key = keyOf(request)
  const incomplete = mayWait(request)
  const asked = parseBind(key, await request.body(), incomplete)
  await refuseUnpermitted(around, request, asked.context)
  const answer = await bind(ports, request.asker, asked)
  if (answer.kind === 'exists') return secret(200, await credentials(around, key))
  const { operation, again } = answer
  const accepted: Answer = { status: 202, body: { operation } }
  if (!answer.wait) return answerOfPromise(around, { operation, accepted })
  return answerOfCreation(around, request, {
    operation,
    again,
    patient: incomplete,
    accepted,
    success: async () => secret(201, await credentials(around, key)),
    async undo() {
      const binding = await ports.store.look.binding(key)
      if (binding === undefined) return
      const { serviceId, planId } = binding
      await unbind(ports, request.asker, { ...key, serviceId, planId, acceptsIncomplete: true })
    },
  })
}

/** No cache on the way may keep credentials. */
function secret(status: number, body: Readonly<Record<string, unknown>>): Answer {
  return { status, body, headers: { 'Cache-Control': 'no-store' } }
}

export async function deleteBinding(around: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  const incomplete = mayWait(request)
  const serviceId = queryValue(request.query, 'service_id')
  const planId = queryValue(request.query, 'plan_id')
  const begun = await unbind(around.ports, request.asker, {
    ...keyOf(request),
    acceptsIncomplete: incomplete,
    ...present({ serviceId, planId }),
  })
  return answerOfRemoval(around, begun, incomplete)
}

export async function getBinding({ ports, read }: OsbSurroundings, request: OsbRequest): Promise<Answer> {
  const view = await fetchBinding(ports, keyOf(request))
  // A reader of credentials is written down before they are handed out.
  const { asker, instance, binding: id } = request
  const within = [asker.platform, instance]
  await read({ asker, deed: { action: 'binding.read-credentials', kind: 'binding', id, within } })
  return secret(200, bindingBody(view))
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
