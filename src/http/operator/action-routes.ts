/** Routes of the actions that packages have beyond the life cycle: list them, order one, read what it answered. */
import { Type } from 'typebox'
import { Invocation, Ordered, Output, toOutput } from '../../api/instance.ts'
import { CustomAction } from '../../api/package.ts'
import { invoke } from '../../broker/invoke.ts'
import { offerOf } from '../../broker/offering.ts'
import { orders } from '../../broker/orders.ts'
import { catalogSeen } from '../../broker/visible.ts'
import { present } from '../../kit/present.ts'
import type { Output as Result } from '../../model/outcome.ts'
import { fail } from '../../model/problem.ts'
import { existing, InstanceAddress, ordered } from './instance-routes.ts'
import { findPlanOf } from './naming.ts'
import { outputNamed } from './output-answer.ts'
import type { OperatorPorts } from './ports.ts'
import { document, look, order, route } from './route.ts'

const OperationAddress = Type.Object({ operation: Type.String() })

export const actionRoutes = [
  route({
    method: 'GET',
    url: '/instances/:platform/:instance/actions',
    needs: 'read:instances',
    tag: 'actions',
    summary: "Actions of the instance's package beyond the life cycle",
    audit: look,
    params: InstanceAddress,
    answers: Type.Object({ items: Type.Array(CustomAction) }),
    handle: async ({ params }, { broker }) => {
      const instance = await existing(broker, params)
      return document({ items: (await offerOf(broker.store.look, instance)).package.actions })
    },
  }),
  route({
    method: 'POST',
    url: '/instances/:platform/:instance/invoke',
    needs: 'invoke:instances',
    tag: 'actions',
    summary: 'Order an action of the package on an instance',
    audit: order('instance.invoke'),
    params: InstanceAddress,
    body: Invocation,
    answers: Ordered,
    status: 202,
    handle: async ({ params, body, asker }, { broker }) => {
      const { action, parameters = {}, plan, maintenance } = body
      const { serviceId, tenant } = await existing(broker, params)
      const planId = plan && findPlanOf(catalogSeen(broker, [tenant]), serviceId, plan).plan.id
      const like = present({ planId, maintenance })
      const asked = { instance: params.instance, action, parameters, ...like }
      const operation = await invoke(broker, { ...asker, platform: params.platform }, asked)
      return ordered(params, { operation })
    },
  }),
  route({
    method: 'GET',
    url: '/operations/:operation/outputs',
    needs: 'read:operations',
    tag: 'actions',
    summary: 'What an action answered, by name; kept until the action runs again on the instance',
    audit: look,
    params: OperationAddress,
    answers: Type.Object({ items: Type.Array(Output) }),
    handle: async ({ params }, ports) =>
      document({ items: (await resultOf(ports, params.operation)).map(toOutput) }),
  }),
  route({
    method: 'GET',
    url: '/operations/:operation/outputs/:name',
    needs: 'read:outputs',
    tag: 'actions',
    summary: 'The content of one of its answers',
    audit: { kind: 'deed', action: 'operation.read-output', recordedBy: 'route' },
    params: Type.Object({ ...OperationAddress.properties, name: Type.String() }),
    handle: async ({ params }, ports) => outputNamed(await resultOf(ports, params.operation), params.name),
  }),
]

async function resultOf({ broker }: OperatorPorts, id: string): Promise<readonly Result[]> {
  const { look: see } = broker.store
  const { action, target } = (await see.operation(id)) ?? fail('operation.unknown', id)
  if (action.kind !== 'invoke') return []
  const result = await orders.result(see, target, action.name)
  return result?.operation === id ? result.outputs : []
}
