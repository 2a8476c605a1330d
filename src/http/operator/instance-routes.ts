/** Routes of instances: list, order, change, delete, purge, outputs, why. */
import { Type } from 'typebox'
import {
  ChangedInstance,
  DryRun,
  InstanceDetail,
  InstancePage,
  InstanceQuery,
  type Names,
  NewInstance,
  NewName,
  Ordered,
  Output,
  toInstance,
  toOutput,
} from '../../api/instance.ts'
import { toOperation, Why } from '../../api/operation.ts'
import { toApiProblem } from '../../api/problem.ts'
import { type Barred, barredOf } from '../../broker/barred.ts'
import { deprovision } from '../../broker/deprovision.ts'
import { purgeInstance, renameInstance, repinInstance } from '../../broker/govern.ts'
import { offerOf } from '../../broker/offering.ts'
import { orders } from '../../broker/orders.ts'
import { shownParameters } from '../../broker/parameters.ts'
import { provision } from '../../broker/provision.ts'
import { tried } from '../../broker/trial.ts'
import { update } from '../../broker/update.ts'
import { catalogSeen, tenantsOf } from '../../broker/visible.ts'
import { why } from '../../broker/why.ts'
import { present } from '../../kit/present.ts'
import { type Instance, type InstanceKey, operatorsPlatform } from '../../model/instance.ts'
import type { Operation } from '../../model/operation.ts'
import { fail } from '../../model/problem.ts'
import { refuseForeign } from './authorize.ts'
import { freshId } from './fresh-id.ts'
import { findOffer, findPlanOf, namesOf } from './naming.ts'
import { outputNamed } from './output-answer.ts'
import type { OperatorPorts } from './ports.ts'
import { type Answer, type Call, document, look, nothing, order, route } from './route.ts'

export const InstanceAddress = Type.Object({ platform: Type.String(), instance: Type.String() })

export const instanceRoutes = [
  route({
    method: 'GET',
    url: '/instances',
    needs: 'read:instances',
    tag: 'instances',
    summary: 'Instances, filtered and in pages',
    audit: look,
    query: InstanceQuery,
    answers: InstancePage,
    handle: async ({ query, tenants: reach }, { broker }) => {
      const { service, plan, limit = 50, cursor, platform, state, text, beginning, tenant } = query
      if (tenant !== undefined) refuseForeign(reach, tenant)
      const tenants = tenant === undefined ? reach : [tenant]
      const order = query.order === 'latest' ? query.order : undefined
      const catalog = broker.catalog()
      const ofService =
        service && (catalog.offers.find((one) => one.service.name === service)?.service.id ?? service)
      const ofPlan = plan && planIdOf(catalog.offers, ofService, plan)
      const page = await broker.store.look.instances(
        present({
          ...{ tenants, platform, state, text, beginning, order, isPresent: query.present },
          ...{ serviceId: ofService, planId: ofPlan, after: cursor, most: limit },
        }),
      )
      const items = page.items.map(async (one) =>
        toInstance(one, await namesOf(broker.store.look, catalog, one.planId)),
      )
      return document(present({ items: await Promise.all(items), next: page.next }))
    },
  }),
  route({
    method: 'POST',
    url: '/instances',
    needs: 'create:instances',
    tag: 'instances',
    summary: 'Order an instance',
    audit: order('instance.provision'),
    places: true,
    body: NewInstance,
    answers: Ordered,
    status: 202,
    handle: orderInstance,
  }),
  route({
    method: 'POST',
    url: '/instances/dry-run',
    needs: 'create:instances',
    tag: 'instances',
    summary: 'Whether an instance would be ordered; nothing is',
    audit: look,
    places: true,
    body: NewInstance,
    answers: DryRun,
    handle: (call, ports) => dryRun(ports, (within) => orderInstance(call, within)),
  }),
  route({
    method: 'GET',
    url: '/instances/:platform/:instance',
    needs: 'read:instances',
    tag: 'instances',
    summary: 'One instance with its parameters and last operation',
    audit: look,
    params: InstanceAddress,
    answers: InstanceDetail,
    handle: async ({ params }, ports) => document(await detail(ports, params)),
  }),
  route({
    method: 'PATCH',
    url: '/instances/:platform/:instance',
    needs: 'update:instances',
    tag: 'instances',
    summary: 'Change parameters, plan or version',
    audit: order('instance.update'),
    params: InstanceAddress,
    body: ChangedInstance,
    answers: Ordered,
    status: 202,
    handle: changeInstance,
  }),
  route({
    method: 'POST',
    url: '/instances/:platform/:instance/dry-run',
    needs: 'update:instances',
    tag: 'instances',
    summary: 'Whether a change would be taken; nothing changes',
    audit: look,
    params: InstanceAddress,
    body: ChangedInstance,
    answers: DryRun,
    handle: (call, ports) => dryRun(ports, (within) => changeInstance(call, within)),
  }),
  route({
    method: 'DELETE',
    url: '/instances/:platform/:instance',
    needs: 'delete:instances',
    tag: 'instances',
    summary: 'Take an instance down',
    audit: order('instance.deprovision'),
    params: InstanceAddress,
    answers: Ordered,
    status: 202,
    handle: async ({ params, asker }, { broker }) => {
      const { serviceId, planId } = await existing(broker, params)
      const answer = await deprovision(
        broker,
        { ...asker, platform: params.platform },
        { instance: params.instance, serviceId, planId, acceptsIncomplete: true },
      )
      return ordered(params, answer)
    },
  }),
  route({
    method: 'POST',
    url: '/instances/:platform/:instance/purge',
    needs: 'purge:instances',
    tag: 'instances',
    summary: 'Forget an instance without running anything',
    audit: order('instance.purge'),
    params: InstanceAddress,
    status: 204,
    handle: async ({ params, asker }, { broker }) => {
      await purgeInstance(broker, asker, params)
      return nothing
    },
  }),
  route({
    method: 'POST',
    url: '/instances/:platform/:instance/repin',
    needs: 'repin:instances',
    tag: 'instances',
    summary: 'Move an instance to the package its plan is offered from now, without running anything',
    audit: order('instance.repin'),
    params: InstanceAddress,
    status: 204,
    handle: async ({ params, asker }, { broker }) => {
      await repinInstance(broker, asker, params)
      return nothing
    },
  }),
  route({
    method: 'POST',
    url: '/instances/:platform/:instance/rename',
    needs: 'update:instances',
    tag: 'instances',
    summary: 'Give an instance another name; nothing is run',
    audit: order('instance.rename'),
    params: InstanceAddress,
    body: NewName,
    status: 204,
    handle: async ({ params, body, asker }, { broker }) => {
      await renameInstance(broker, asker, params, body.name)
      return nothing
    },
  }),
  route({
    method: 'GET',
    url: '/instances/:platform/:instance/why',
    needs: 'read:instances',
    tag: 'instances',
    summary: 'What the instance waits for',
    audit: look,
    params: InstanceAddress,
    answers: Why,
    handle: async ({ params }, { broker }) => document(await whyInstance(broker, params)),
  }),
  route({
    method: 'GET',
    url: '/instances/:platform/:instance/outputs',
    needs: 'read:instances',
    tag: 'instances',
    summary: 'Named results of an instance',
    audit: look,
    params: InstanceAddress,
    answers: Type.Object({ items: Type.Array(Output) }),
    handle: async ({ params }, { broker }) => {
      await existing(broker, params)
      const outputs = await orders.outputs(broker.store.look, params)
      return document({ items: outputs.map(toOutput) })
    },
  }),
  route({
    method: 'GET',
    url: '/instances/:platform/:instance/outputs/:name',
    needs: 'read:outputs',
    tag: 'instances',
    summary: 'The content of one result',
    audit: { kind: 'deed', action: 'instance.read-output', recordedBy: 'route' },
    params: Type.Object({ ...InstanceAddress.properties, name: Type.String() }),
    handle: async ({ params }, { broker }) => {
      await existing(broker, params)
      const outputs = await orders.outputs(broker.store.look, params)
      return outputNamed(outputs, params.name)
    },
  }),
]

async function orderInstance(
  { body, asker, idempotencyKey }: Call<unknown, unknown, NewInstance>,
  { broker }: OperatorPorts,
): Promise<Answer> {
  const platform = body.platform ?? operatorsPlatform
  const seen = catalogSeen(broker, tenantsOf({ ...asker, platform }))
  const offer = findOffer(seen, body.service, body.plan)
  const instance = body.id ?? freshId(broker.chance, asker.account.id, idempotencyKey)
  const name = body.name === undefined ? {} : { instance_name: body.name }
  const answer = await provision(
    broker,
    { ...asker, platform },
    {
      instance,
      serviceId: offer.service.id,
      planId: offer.plan.id,
      organization: '',
      space: '',
      parameters: body.parameters ?? {},
      context: { platform: operatorsPlatform, ...name, ...body.context },
      acceptsIncomplete: true,
      mustBeNamedAlone: true,
    },
  )
  return ordered({ platform, instance }, answer)
}

async function changeInstance(
  { params, body, asker }: Call<InstanceKey, unknown, ChangedInstance>,
  { broker }: OperatorPorts,
): Promise<Answer> {
  const instance = await existing(broker, params)
  const seen = catalogSeen(broker, [instance.tenant])
  const planId = body.plan && findPlanOf(seen, instance.serviceId, body.plan).plan.id
  const answer = await update(
    broker,
    { ...asker, platform: params.platform },
    {
      instance: params.instance,
      serviceId: instance.serviceId,
      acceptsIncomplete: true,
      ...present({ planId, parameters: body.parameters, maintenance: body.maintenance }),
    },
  )
  return ordered(params, answer)
}

/** The same order, decided the same way, of which nothing is kept. */
export async function dryRun(
  ports: OperatorPorts,
  carryOut: (within: OperatorPorts) => Promise<Answer>,
): Promise<Answer> {
  const problem = await tried(ports.broker, (broker) => carryOut({ ...ports, broker }))
  return document(present({ accepted: problem === undefined, problem: problem && toApiProblem(problem) }))
}

/** The instance at an address; one that is gone is unknown. */
export async function existing(broker: OperatorPorts['broker'], key: InstanceKey): Promise<Instance> {
  const instance = await broker.store.look.instance(key)
  return instance === undefined || instance.state === 'gone'
    ? fail('instance.unknown', key.instance)
    : instance
}

/** 202 with the operation to follow; none when there was nothing to do. */
export function ordered(
  key: InstanceKey & { readonly binding?: string },
  answer: { readonly kind?: string; readonly operation?: string },
) {
  const { platform, instance, binding } = key
  return document(present({ platform, instance, binding, operation: answer.operation }))
}

/** What the instance's operation waits for, else that of one of its bindings; else why it is as it is. */
async function whyInstance({ store }: OperatorPorts['broker'], key: InstanceKey): Promise<Why> {
  const instance = (await store.look.instance(key)) ?? fail('instance.unknown', key.instance)
  const bindings = await store.look.bindings(key)
  const current =
    instance.currentOperation ?? bindings.find((one) => one.currentOperation !== undefined)?.currentOperation
  const last = current ?? (await store.look.poll(key, undefined))?.id
  const operation = last === undefined ? undefined : await store.look.operation(last)
  if (operation === undefined) return { state: instance.state, reason: 'nothing is under way' }
  return toWhy(operation, await why(store.look, operation))
}

/** An explanation in the words of the API. */
export function toWhy({ id, state }: Operation, reason: string): Why {
  return { operation: id, state, reason }
}

async function detail({ broker }: OperatorPorts, key: InstanceKey): Promise<InstanceDetail> {
  const { look: see } = broker.store
  const instance = (await see.instance(key)) ?? fail('instance.unknown', key.instance)
  const names: Names = await namesOf(see, broker.catalog(), instance.planId)
  const { parameters, context } = await orders.instance(see, key)
  const bindings = await see.bindings(key)
  const [last] = (await see.operations({ ...key, most: 1 })).items
  const offer = instance.state === 'gone' ? undefined : await offerOf(see, instance)
  const { create, update } = offer?.plan.schemas ?? {}
  const barred: Barred = offer === undefined ? {} : await barredOf(broker, instance, offer)
  return present({
    ...toInstance(instance, names),
    parameters: shownParameters(parameters, create, update),
    context,
    bindings: bindings.filter((one) => one.state !== 'gone').length,
    lastOperation: last && toOperation(last),
    barred: present({
      update: barred.update && toApiProblem(barred.update),
      bind: barred.bind && toApiProblem(barred.bind),
    }),
  })
}

function planIdOf(
  offers: ReturnType<OperatorPorts['broker']['catalog']>['offers'],
  serviceId: string | undefined,
  plan: string,
): string {
  const found = offers.find(
    (one) => one.plan.name === plan && (serviceId === undefined || one.service.id === serviceId),
  )
  return found?.plan.id ?? plan
}
