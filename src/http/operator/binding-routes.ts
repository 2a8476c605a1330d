/** Routes of bindings: list, bind, rotate, unbind, and the one place where credentials are shown. */
import { Type } from 'typebox'
import {
  Binding,
  BindingList,
  Credentials,
  NewBinding,
  Rotation,
  toBinding,
  toCredentials,
} from '../../api/binding.ts'
import { DryRun, Ordered } from '../../api/instance.ts'
import { type BindRequest, bind } from '../../broker/bind.ts'
import { fetchBinding } from '../../broker/look.ts'
import { unbind } from '../../broker/unbind.ts'
import { type BindingKey, type InstanceKey, operatorsPlatform } from '../../model/instance.ts'
import { fail } from '../../model/problem.ts'
import { freshId } from './fresh-id.ts'
import { dryRun, existing, InstanceAddress, ordered } from './instance-routes.ts'
import type { OperatorPorts } from './ports.ts'
import { type Answer, type Call, document, look, order, route } from './route.ts'

const BindingAddress = Type.Object({ ...InstanceAddress.properties, binding: Type.String() })

export const bindingRoutes = [
  route({
    method: 'GET',
    url: '/instances/:platform/:instance/bindings',
    needs: 'read:bindings',
    tag: 'bindings',
    summary: 'Bindings of an instance',
    audit: look,
    params: InstanceAddress,
    answers: BindingList,
    handle: async ({ params }, { broker }) => {
      await existing(broker, params)
      const bindings = await broker.store.look.bindings(params)
      return document({ items: bindings.filter((one) => one.state !== 'gone').map((one) => toBinding(one)) })
    },
  }),
  route({
    method: 'POST',
    url: '/instances/:platform/:instance/bindings',
    needs: 'create:bindings',
    tag: 'bindings',
    summary: 'Bind an instance',
    audit: order('binding.bind'),
    params: InstanceAddress,
    body: NewBinding,
    answers: Ordered,
    status: 202,
    handle: bindInstance,
  }),
  route({
    method: 'POST',
    url: '/instances/:platform/:instance/bindings/dry-run',
    needs: 'create:bindings',
    tag: 'bindings',
    summary: 'Whether an instance would be bound; it is not',
    audit: look,
    params: InstanceAddress,
    body: NewBinding,
    answers: DryRun,
    handle: (call, ports) => dryRun(ports, (within) => bindInstance(call, within)),
  }),
  route({
    method: 'GET',
    url: '/instances/:platform/:instance/bindings/:binding',
    needs: 'read:bindings',
    tag: 'bindings',
    summary: 'One binding, without its credentials',
    audit: look,
    params: BindingAddress,
    answers: Binding,
    handle: async ({ params }, { broker }) => {
      const binding = await bound(broker, params)
      return document(toBinding(binding, await broker.store.look.deliveries(params)))
    },
  }),
  route({
    method: 'GET',
    url: '/instances/:platform/:instance/bindings/:binding/credentials',
    needs: 'read:credentials',
    tag: 'bindings',
    summary: 'The credentials of a binding',
    audit: { kind: 'deed', action: 'binding.read-credentials', recordedBy: 'route' },
    params: BindingAddress,
    answers: Credentials,
    handle: async ({ params }, { broker }) => {
      const { answer } = await fetchBinding(broker, params)
      return { kind: 'document', body: toCredentials(answer) }
    },
  }),
  route({
    method: 'POST',
    url: '/instances/:platform/:instance/bindings/:binding/rotate',
    needs: 'create:bindings',
    tag: 'bindings',
    summary: 'Bind again with fresh credentials; the old ones stay valid until unbound',
    audit: order('binding.bind'),
    params: BindingAddress,
    body: Rotation,
    answers: Ordered,
    status: 202,
    handle: async (call, { broker }) => {
      const { serviceId, planId } = await bound(broker, call.params)
      return orderBinding(broker, call, { serviceId, planId, predecessor: call.params.binding })
    },
  }),
  route({
    method: 'DELETE',
    url: '/instances/:platform/:instance/bindings/:binding',
    needs: 'delete:bindings',
    tag: 'bindings',
    summary: 'Unbind',
    audit: order('binding.unbind'),
    params: BindingAddress,
    answers: Ordered,
    status: 202,
    handle: async ({ params, asker }, { broker }) => {
      const { serviceId, planId } = await bound(broker, params)
      const answer = await unbind(
        broker,
        { ...asker, platform: params.platform },
        {
          instance: params.instance,
          binding: params.binding,
          serviceId,
          planId,
          acceptsIncomplete: true,
        },
      )
      return ordered(params, answer)
    },
  }),
]

async function bindInstance(
  call: Call<InstanceKey, unknown, NewBinding>,
  { broker }: OperatorPorts,
): Promise<Answer> {
  const { parameters = {}, resource = {}, context } = call.body
  const { serviceId, planId } = await existing(broker, call.params)
  const whole = { parameters, resource, context: { platform: operatorsPlatform, ...context } }
  return orderBinding(broker, call, { serviceId, planId, ...whole })
}

/** Bind and rotate differ only in what is asked for. */
async function orderBinding(
  broker: OperatorPorts['broker'],
  call: Call<InstanceKey, unknown, { readonly id?: string }>,
  asked: Omit<BindRequest, 'instance' | 'binding' | 'acceptsIncomplete'>,
): Promise<Answer> {
  const { params, body, asker, idempotencyKey } = call
  const { platform, instance } = params
  const binding = body.id ?? freshId(broker.chance, asker.account.id, idempotencyKey)
  const request = { ...asked, instance, binding, acceptsIncomplete: true }
  return ordered({ platform, instance, binding }, await bind(broker, { ...asker, platform }, request))
}

async function bound(broker: OperatorPorts['broker'], key: BindingKey) {
  const binding = await broker.store.look.binding(key)
  return binding === undefined || binding.state === 'gone' ? fail('binding.unknown', key.binding) : binding
}
