/** A foreign service broker that does in every version from 2.11 to 2.17 what the specification says. For tests of the check. */
import type { IncomingMessage } from 'node:http'
import type { TlsOptions } from 'node:tls'
import { deepEqual, isObject, type JsonObject } from '../../../src/kit/json.ts'
import { compileSchema } from '../../../src/kit/schema.ts'
import { catalogOf, extras, type Plan, planOf, plans, schema, serviceId, updateSchema } from './lamps.ts'
import { type Answer, basic, type ForeignBroker, parse, refuse, serveForeign } from './wire.ts'

interface Options {
  /** The highest minor version that it serves; 17 when absent. */
  readonly highest?: number
  /** A bearer token instead of the account. */
  readonly token?: string
  /** How many instances it may have at once; as many as are wanted when absent. */
  readonly quota?: number
  /** How it listens; plain HTTP when absent. */
  readonly tls?: TlsOptions & { readonly requestCert?: boolean }
}

interface Operation {
  readonly id: string
  readonly kind: 'create' | 'update' | 'delete'
  polls: number
  state: 'in progress' | 'succeeded' | 'failed'
  finish(): void
}

interface Held {
  readonly order: JsonObject
  facts: JsonObject
  planId: string
  readonly credentials: JsonObject
  operation?: Operation
  ready: boolean
}

interface Ask {
  readonly method: string
  readonly query: URLSearchParams
  readonly minor: number
  readonly body: JsonObject | undefined
  readonly path: string
}

const pollsUntilDone = 9

/** What it remembers. */
interface World {
  readonly quota: number
  readonly held: Map<string, Held>
  /** The last operation of everything that there ever was. */
  readonly ended: Map<string, Operation>
  count: number
}

/** Starts it on a free port. */
export async function startRightBroker(options: Options = {}): Promise<ForeignBroker> {
  const { quota = Number.POSITIVE_INFINITY } = options
  const world: World = { quota, held: new Map(), ended: new Map(), count: 0 }
  const served = await serveForeign((request, text) => judge(world, { request, text, options }), options.tls)
  return { ...served, left: () => [...world.held.keys()] }
}

function begin(world: World, path: string, kind: Operation['kind'], finish: () => void): Operation {
  const operation: Operation = { id: `op-${++world.count}`, kind, polls: 0, state: 'in progress', finish }
  const one = world.held.get(path)
  if (one !== undefined) one.operation = operation
  world.ended.set(path, operation)
  return operation
}

function serve(world: World, ask: Ask): Answer {
  const [, , kind, instance, second, binding, third] = ask.path.split('/')
  if (ask.path === '/v2/catalog') return [200, catalogOf(ask.minor), { ETag: '"lamps"' }]
  if (kind !== 'service_instances' || instance === undefined) return refuse(404, 'There is nothing.')
  const path = `/v2/service_instances/${instance}`
  if (second === 'last_operation') return poll(world, path, ask)
  if (second === undefined) return ofInstance(world, path, ask)
  const bound = `${path}/service_bindings/${binding}`
  if (third === 'last_operation')
    return ask.minor < 14 ? refuse(404, 'There is nothing.') : poll(world, bound, ask)
  return ofBinding(world, path, bound, ask)
}

function poll(world: World, path: string, { query, minor }: Ask): Answer {
  const operation = world.held.get(path)?.operation ?? world.ended.get(path)
  if (operation === undefined)
    return world.held.has(path) ? [200, { state: 'succeeded' }] : refuse(404, 'Unknown.')
  const named = query.get('operation')
  if (named !== null && named !== operation.id)
    return [200, { state: 'failed', description: 'It was replaced.' }]
  if (operation.state === 'in progress' && ++operation.polls >= pollsUntilDone) {
    operation.state = 'succeeded'
    operation.finish()
  }
  return [
    200,
    { state: operation.state, description: 'As far as it is.' },
    minor >= 15 ? { 'Retry-After': '1' } : {},
  ]
}

function ofInstance(world: World, path: string, ask: Ask): Answer {
  switch (ask.method) {
    case 'PUT':
      return provision(world, path, ask)
    case 'PATCH':
      return update(world, path, ask)
    case 'DELETE':
      return remove(world, path, ask)
    default:
      return ask.minor < 14 ? refuse(404, 'Unknown.') : fetch(world, path)
  }
}

function provision(world: World, path: string, { body = {}, query, minor }: Ask): Answer {
  const fault = orderFault(body, ['service_id', 'plan_id', 'organization_guid', 'space_guid'])
  if (fault !== undefined) return fault
  const plan = planOf(body['plan_id'])
  const order = pick(body, ['service_id', 'plan_id', 'organization_guid', 'space_guid', 'parameters'])
  const known = world.held.get(path)
  const wanted = { ...order, parameters: order['parameters'] ?? {} }
  if (known !== undefined) {
    if (known.operation?.kind === 'delete' && known.operation.state === 'in progress') return busy()
    if (!deepEqual(standing(known), wanted)) return refuse(409, 'It is another one.')
    return known.ready ? [200, {}] : [202, { operation: known.operation?.id ?? '' }]
  }
  const stale = minor >= 15 ? maintenanceFault(body, plan) : undefined
  if (stale !== undefined) return stale
  if (plan.inBackground && query.get('accepts_incomplete') !== 'true') return asyncRequired()
  const parameters = isObject(body['parameters']) ? body['parameters'] : {}
  if (minor >= 13 && !takes(schema, parameters)) return refuse(400, 'The parameters break the schema.')
  if (world.held.size >= world.quota) return refuse(403, 'There are as many as there may be.')
  const one: Held = {
    order,
    facts: (parameters ?? {}) as JsonObject,
    planId: plan.id,
    credentials: {},
    ready: !plan.inBackground,
  }
  world.held.set(path, one)
  if (!plan.inBackground) return [201, {}]
  return [202, { operation: begin(world, path, 'create', () => Object.assign(one, { ready: true })).id }]
}

/** What an order has to say to be the same as what stands. */
function standing({ order, facts, planId }: Held): JsonObject {
  return { ...order, plan_id: planId, parameters: facts }
}

function update(world: World, path: string, { body = {}, query, minor }: Ask): Answer {
  if (body['service_id'] === undefined) return refuse(400, 'service_id is missing.')
  const one = world.held.get(path)
  if (one === undefined || !one.ready) return refuse(404, 'Unknown.')
  if (body['service_id'] !== serviceId) return refuse(400, 'Another service.')
  const wanted = body['plan_id'] ?? one.planId
  const plan = plans.find(({ id }) => id === wanted)
  if (plan === undefined) return refuse(400, 'No such plan.')
  if (isBusy(one)) return busy()
  if (plan.id !== one.planId && planOf(one.planId).updateable === false)
    return [
      422,
      {
        error: 'PlanChangeNotSupported',
        description: 'It stays.',
        ...(minor >= 16 ? { update_repeatable: false } : {}),
      },
    ]
  const stale = minor >= 15 ? maintenanceFault(body, plan) : undefined
  if (stale !== undefined) return stale
  if (planOf(one.planId).inBackground && query.get('accepts_incomplete') !== 'true') return asyncRequired()
  const parameters = (isObject(body['parameters']) ? body['parameters'] : {}) as JsonObject
  if (minor >= 13 && !takes(updateSchema, parameters)) return refuse(400, 'The parameters break the schema.')
  const apply = () => {
    one.facts = { ...one.facts, ...parameters }
    one.planId = plan.id
  }
  if (planOf(one.planId).inBackground) return [202, { operation: begin(world, path, 'update', apply).id }]
  apply()
  return [200, {}]
}

function remove(world: World, path: string, { query, minor }: Ask): Answer {
  for (const name of ['service_id', 'plan_id'])
    if (!query.has(name)) return refuse(400, `${name} is missing.`)
  const plan = plans.find(({ id }) => id === query.get('plan_id'))
  const ofBinding = path.includes('/service_bindings/')
  const one = world.held.get(path)
  const inBackground = plan?.inBackground === true && !(ofBinding && minor < 14)
  if (inBackground && query.get('accepts_incomplete') !== 'true') return asyncRequired()
  if (one === undefined) return refuse(410, 'Gone.')
  if (!inBackground) {
    world.held.delete(path)
    return [200, {}]
  }
  if (one.operation?.state === 'in progress') {
    if (one.operation.kind === 'delete') return [202, { operation: one.operation.id }]
    if (one.operation.kind === 'update') return busy()
  }
  return [202, { operation: begin(world, path, 'delete', () => world.held.delete(path)).id }]
}

function fetch(world: World, path: string): Answer {
  const one = world.held.get(path)
  if (one === undefined || !one.ready) return refuse(404, 'Unknown.')
  return isBusy(one) ? busy() : [200, { service_id: serviceId, plan_id: one.planId, parameters: one.facts }]
}

function ofBinding(world: World, instance: string, path: string, ask: Ask): Answer {
  if (ask.method === 'PUT') return bind(world, instance, path, ask)
  if (ask.method === 'DELETE') return remove(world, path, ask)
  const one = world.held.get(path)
  if (ask.minor < 14 || one === undefined || !one.ready) return refuse(404, 'Unknown.')
  return [200, { credentials: one.credentials, parameters: one.facts, ...extras(ask.minor) }]
}

function bind(world: World, instance: string, path: string, { body = {}, query, minor }: Ask): Answer {
  const fault = orderFault(body, ['service_id', 'plan_id'])
  if (fault !== undefined) return fault
  const order = pick(body, [
    'service_id',
    'plan_id',
    'parameters',
    'bind_resource',
    'app_guid',
    'predecessor_binding_id',
  ])
  const known = world.held.get(path)
  if (known !== undefined) {
    if (!deepEqual(known.order, order)) return refuse(409, 'It is another one.')
    return known.ready
      ? [200, { credentials: known.credentials, ...extras(minor) }]
      : [202, { operation: known.operation?.id ?? '' }]
  }
  const to = world.held.get(instance)
  const plan = planOf(body['plan_id'])
  if (to === undefined || !to.ready) return refuse(404, 'No such instance.')
  if (!plan.bindable) return refuse(400, 'It cannot be bound.')
  const before = body['predecessor_binding_id']
  if (
    minor >= 17 &&
    before !== undefined &&
    !(plan.rotatable && world.held.has(`${instance}/service_bindings/${before}`))
  )
    return refuse(400, 'No such predecessor.')
  const inBackground = plan.inBackground && minor >= 14
  if (inBackground && query.get('accepts_incomplete') !== 'true') return asyncRequired()
  const facts = (body['parameters'] ?? {}) as JsonObject
  const one: Held = {
    order,
    facts,
    planId: plan.id,
    credentials: { password: `light-${++world.count}` },
    ready: !inBackground,
  }
  world.held.set(path, one)
  if (inBackground)
    return [202, { operation: begin(world, path, 'create', () => Object.assign(one, { ready: true })).id }]
  return [201, { credentials: one.credentials, ...extras(minor) }]
}

interface Asked {
  readonly request: IncomingMessage
  readonly text: string
  readonly options: Options
}

/** Checks the account, version and body first, then the request itself. */
function judge(world: World, { request, text, options: { token, highest = 17 } }: Asked): Answer {
  const wanted = token === undefined ? basic : `Bearer ${token}`
  if (request.headers.authorization !== wanted) return refuse(401, 'Who calls?')
  const [, minor] = /^2\.(\d+)$/.exec(String(request.headers['x-broker-api-version'])) ?? []
  const most = highest === 17 ? 99 : highest
  if (minor === undefined || Number(minor) > most) return refuse(412, `Use version 2.${highest}.`)
  if (request.headers['if-none-match'] === '"lamps"' && Number(minor) >= 16) return [304, {}]
  const url = new URL(request.url ?? '', 'http://broker')
  const parsed = request.method === 'PUT' || request.method === 'PATCH' ? parse(text) : {}
  if (parsed === undefined) return refuse(400, 'That is no JSON object.')
  return serve(world, {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    minor: Math.min(17, Number(minor)),
    body: parsed,
  })
}

function orderFault(body: JsonObject, names: readonly string[]): Answer | undefined {
  const missing = names.find((name) => typeof body[name] !== 'string' || body[name] === '')
  if (missing !== undefined) return refuse(400, `${missing} is missing.`)
  const known = body['service_id'] === serviceId && plans.some(({ id }) => id === body['plan_id'])
  return known ? undefined : refuse(400, 'That is not offered.')
}

function maintenanceFault(body: JsonObject, { maintenance }: Plan): Answer | undefined {
  const version = isObject(body['maintenance_info']) ? body['maintenance_info']['version'] : undefined
  if (version === undefined || version === maintenance) return undefined
  return [422, { error: 'MaintenanceInfoConflict', description: 'It has changed.' }]
}

function isBusy({ operation }: Held): boolean {
  return operation?.state === 'in progress'
}

function busy(): Answer {
  return [422, { error: 'ConcurrencyError', description: 'Something else is under way.' }]
}

function asyncRequired(): Answer {
  return [422, { error: 'AsyncRequired', description: 'This takes a while.' }]
}

function takes(one: JsonObject, value: unknown): boolean {
  const compiled = compileSchema(one)
  return compiled.kind === 'check' && compiled.check(value).length === 0
}

function pick(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  ) as JsonObject
}
