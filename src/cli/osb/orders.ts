/** The calls of an OSB client, one function each: parameters in, the broker's answer out. */
import { randomUUID } from 'node:crypto'
import { findPlan, type OsbClient, type OsbDone, type OsbState, type OsbTarget } from '../../client/osb.ts'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { writeYaml } from '../../kit/yaml.ts'
import { fail } from '../../model/problem.ts'
import { durationOf } from '../follow.ts'
import { type Form, printList, printOne } from '../output.ts'
import { type ParameterOptions, parametersOf } from '../parameters.ts'
import { untilReady } from '../readiness.ts'
import { type BrokerOptions, withClient } from './connection.ts'

interface Common extends BrokerOptions, ParameterOptions {
  readonly output: Form
  readonly wait?: boolean
  readonly timeout: string
  readonly service?: string
  readonly plan?: string
}

interface ProvisionOptions extends Common {
  readonly org: string
  readonly space: string
  readonly maintenance?: string
}

interface BindOptions extends Common {
  readonly app?: string
  readonly predecessor?: string
}

export async function catalog(options: Common & { readonly waitReady?: true }): Promise<void> {
  const address = options.url ?? process.env['CHANDLER_SERVER']
  if (options.waitReady && address !== undefined) await untilReady(address, options.caFile)
  return withClient(options, async (client) => {
    const document = await client.catalog()
    if (options.output === 'json' || options.output === 'yaml') {
      return printOne(options.output, { kind: 'OsbCatalog', value: document, name: '', fields: [] })
    }
    const services = listOf(document['services'])
    await printList(options.output, {
      kind: 'OsbCatalog',
      items: services.flatMap((service) => listOf(service['plans']).map((plan) => ({ service, plan }))),
      empty: 'The catalog is empty.',
      name: ({ service, plan }) => `${service['name']}/${plan['name']}`,
      columns: [
        { title: 'SERVICE', of: ({ service }) => String(service['name']) },
        { title: 'PLAN', of: ({ plan }) => String(plan['name']) },
        { title: 'COST', of: ({ plan }) => (plan['free'] === false ? 'paid' : 'free') },
        { title: 'SERVICE ID', of: ({ service }) => String(service['id']), wide: true },
        { title: 'PLAN ID', of: ({ plan }) => String(plan['id']), wide: true },
        { title: 'DESCRIPTION', of: ({ plan }) => String(plan['description']) },
      ],
    })
  })
}

export function provision(
  service: string,
  plan: string,
  given: string | undefined,
  options: ProvisionOptions,
): Promise<void> {
  return withClient(options, async (client) => {
    const offer = findPlan(await client.catalog(), service, plan)
    const target = { instance: given ?? randomUUID() }
    const done = await client.provision(target, {
      service_id: offer.service.id,
      plan_id: offer.plan.id,
      organization_guid: options.org,
      space_guid: options.space,
      ...(options.maintenance === undefined ? {} : { maintenance_info: { version: options.maintenance } }),
      ...(await wishes(options)),
    })
    await finish(client, { target, done, options, verb: 'provisioned' })
  })
}

export function update(instance: string, options: ProvisionOptions): Promise<void> {
  return withClient(options, async (client) => {
    const known = await idsOf(client, { instance }, { ...options, plan: undefined })
    const moved = options.plan
    const plan =
      moved === undefined ? undefined : findPlan(await client.catalog(), known.service, moved).plan.id
    const done = await client.update(
      { instance },
      {
        service_id: known.service,
        ...present({ plan_id: plan }),
        ...(options.maintenance === undefined ? {} : { maintenance_info: { version: options.maintenance } }),
        ...(await wishes(options)),
      },
    )
    await finish(client, { target: { instance }, done, options, verb: 'updated' })
  })
}

export function bind(instance: string, given: string | undefined, options: BindOptions): Promise<void> {
  return withClient(options, async (client) => {
    const ids = await idsOf(client, { instance }, options)
    const target = { instance, binding: given ?? randomUUID() }
    const done = await client.bind(target, {
      service_id: ids.service,
      plan_id: ids.plan,
      ...(options.app === undefined
        ? {}
        : { app_guid: options.app, bind_resource: { app_guid: options.app } }),
      ...present({ predecessor_binding_id: options.predecessor }),
      ...(await wishes(options)),
    })
    await finish(client, { target, done, options, verb: 'bound' })
  })
}

export function deprovision(instance: string, options: Common): Promise<void> {
  return remove({ instance }, options, 'deprovisioned')
}

export function unbind(instance: string, binding: string, options: Common): Promise<void> {
  return remove({ instance, binding }, options, 'unbound')
}

function remove(target: OsbTarget, options: Common, verb: string): Promise<void> {
  return withClient(options, async (client) => {
    const done = await client.remove(target, await idsOf(client, { instance: target.instance }, options))
    await finish(client, { target, done, options, verb })
  })
}

export function fetch(instance: string, binding: string | undefined, options: Common): Promise<void> {
  return withClient(options, async (client) => {
    const target = targetOf(instance, binding)
    await show(target, await client.fetch(target), options, 'there')
  })
}

export function lastOperation(
  instance: string,
  binding: string | undefined,
  options: Common & { readonly operation?: string },
): Promise<void> {
  return withClient(options, async (client) => {
    const target = targetOf(instance, binding)
    const last = await client.poll(target, options.operation)
    await show(target, last.body, options, last.gone ? 'gone' : last.state)
    refuseFailure(last)
  })
}

interface Ending {
  readonly target: OsbTarget
  readonly done: OsbDone
  readonly options: Common
  readonly verb: string
}

/** Waits unless told not to, and shows what came of it. */
async function finish(client: OsbClient, { target, done, options, verb }: Ending): Promise<void> {
  if (!done.accepted) return show(target, done.body, options, verb)
  if (options.wait === false) return show(target, done.body, options, 'under way')
  const last = await client.wait(target, done.operation, durationOf(options.timeout))
  refuseFailure(last)
  const fetched = verb === 'bound' ? await client.fetch(target) : done.body
  await show(target, fetched, options, verb)
}

function refuseFailure({ state, description }: OsbState): void {
  if (state === 'failed') fail('osb.operation-failed', description)
}

function show(target: OsbTarget, body: JsonObject, { output }: Common, state: string): Promise<void> {
  return printOne(output, {
    kind: target.binding === undefined ? 'OsbInstance' : 'OsbBinding',
    value: { ...target, state, ...body },
    name: target.binding ?? target.instance,
    fields: [
      ['Instance', target.instance],
      ['Binding', target.binding],
      ['State', state],
      ...Object.entries(body)
        .filter(([key]) => key !== 'state')
        .map(
          ([key, value]) => [key, typeof value === 'string' ? value : writeYaml(value).trimEnd()] as const,
        ),
    ],
  })
}

/** The ids that every call has to repeat: as given, else as the broker says when it is asked for the instance. */
async function idsOf(
  client: OsbClient,
  target: OsbTarget,
  { service, plan }: { readonly service?: string; readonly plan?: string | undefined },
): Promise<{ readonly service: string; readonly plan: string }> {
  if (service !== undefined && plan !== undefined) {
    const offer = findPlan(await client.catalog(), service, plan)
    return { service: offer.service.id, plan: offer.plan.id }
  }
  const fetched = await client.fetch(target)
  const { service_id: serviceId, plan_id: planId } = fetched
  if (typeof serviceId !== 'string' || typeof planId !== 'string') {
    return fail(
      'usage.invalid',
      'the broker does not tell service and plan of the instance; give --service and --plan',
    )
  }
  return { service: serviceId, plan: planId }
}

async function wishes(options: ParameterOptions): Promise<JsonObject> {
  const parameters = await parametersOf(options)
  return parameters === undefined ? {} : { parameters }
}

function targetOf(instance: string, binding: string | undefined): OsbTarget {
  return binding === undefined ? { instance } : { instance, binding }
}

function listOf(value: unknown): readonly { readonly [key: string]: unknown }[] {
  return Array.isArray(value) ? value : []
}
