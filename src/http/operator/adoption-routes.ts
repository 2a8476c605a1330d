/** The routes that take over an instance which another broker made, with its bindings; nothing is run. */
import { AdoptedInstance } from '../../api/adoption.ts'
import { DryRun } from '../../api/instance.ts'
import { adoptInstance } from '../../broker/adopt.ts'
import type { Catalog, Offer } from '../../broker/catalog.ts'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { InstanceKey } from '../../model/instance.ts'
import type { Carryover } from '../../model/outcome.ts'
import { fail } from '../../model/problem.ts'
import { dryRun, InstanceAddress } from './instance-routes.ts'
import type { OperatorPorts } from './ports.ts'
import { type Answer, type Call, look, nothing, order, route } from './route.ts'

export const adoptionRoutes = [
  route({
    method: 'POST',
    url: '/instances/:platform/:instance/adopt',
    needs: 'adopt:instances',
    tag: 'instances',
    summary: 'Take over an instance that another broker made, without running anything',
    audit: order('instance.adopt'),
    params: InstanceAddress,
    body: AdoptedInstance,
    status: 204,
    handle: takeOver,
  }),
  route({
    method: 'POST',
    url: '/instances/:platform/:instance/adopt/dry-run',
    needs: 'adopt:instances',
    tag: 'instances',
    summary: 'Whether an instance would be taken over; it is not',
    audit: look,
    params: InstanceAddress,
    body: AdoptedInstance,
    answers: DryRun,
    handle: (call, ports) => dryRun(ports, (within) => takeOver(call, within)),
  }),
]

async function takeOver(
  { params, body, asker }: Call<InstanceKey, unknown, AdoptedInstance>,
  { broker }: OperatorPorts,
): Promise<Answer> {
  const { service, plan, state, parameters, context, dashboardUrl, memory, bindings } = body
  await adoptInstance(
    broker,
    { ...asker, platform: params.platform },
    {
      instance: params.instance,
      offer: offerFor(broker.catalog(), service, plan),
      state,
      parameters,
      context,
      carryover: fromBase64(memory),
      outputs: [],
      bindings: bindings.map((one) => ({
        binding: one.binding,
        parameters: one.parameters,
        carryover: fromBase64(one.memory),
        ...(one.credentials !== undefined && { answer: { credentials: one.credentials as JsonObject } }),
      })),
      ...present({ dashboardUrl }),
    },
  )
  return nothing
}

function offerFor(catalog: Catalog, service: string, plan: string): Offer {
  const offers = catalog.offers.filter((one) => one.service.id === service)
  if (offers.length === 0) return fail('catalog.service-unknown', service)
  return (
    offers.find((one) => one.plan.id === plan) ??
    offers.find((one) => one.plan.name === plan) ??
    fail('catalog.plan-unknown', plan)
  )
}

function fromBase64(memory: Readonly<Record<string, string>>): Carryover {
  return Object.fromEntries(
    Object.entries(memory).map(([name, text]) => [name, new Uint8Array(Buffer.from(text, 'base64'))]),
  )
}
