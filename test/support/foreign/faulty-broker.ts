/** A foreign service broker that is right until it is given faults, each of which it then has. For tests of the check. */
import type { IncomingMessage } from 'node:http'
import type { JsonObject } from '../../../src/kit/json.ts'
import { deepEqual, isObject } from '../../../src/kit/json.ts'
import type { Fault } from './faults.ts'
import { catalogOf, isOffered, planNamed, steam } from './pumps.ts'
import { type Answer, basic, type ForeignBroker, parse, refuse, serveForeign } from './wire.ts'

/** An instance or a binding, with what is going on with it. */
interface Row {
  order: JsonObject
  plan: string
  parameters: JsonObject
  secret: string
  ready: boolean
  doing?: {
    readonly id: string
    readonly what: 'make' | 'change' | 'drop'
    left: number
    readonly then: () => void
  }
}

interface World {
  readonly rows: Map<string, Row>
  readonly pastOperations: Map<string, string>
  readonly gone: Set<string>
  serial: number
  has(fault: Fault): boolean
}

interface Call {
  readonly world: World
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: JsonObject
  readonly waits: boolean
}

const pollsUntilDone = 8
const concurrency: Answer = [422, { error: 'ConcurrencyError', description: 'One thing after the other.' }]
const tooSoon: Answer = [422, { error: 'AsyncRequired', description: 'Wait for it.' }]

export async function startFaultyBroker(...given: readonly Fault[]): Promise<ForeignBroker> {
  const world: World = {
    rows: new Map(),
    pastOperations: new Map(),
    gone: new Set(),
    serial: 0,
    has: (fault) => given.includes(fault),
  }
  const served = await serveForeign((request, text) => dress(world, request, door(world, request, text)))
  return { ...served, left: () => [...world.rows.keys()] }
}

/** Headers and error bodies as the faults want them. */
function dress(world: World, request: IncomingMessage, [status, body, headers]: Answer): Answer {
  if (
    world.has('hangs up on a bind') &&
    request.method === 'PUT' &&
    request.url?.includes('service_bindings')
  )
    request.socket.destroy()
  const more = {
    ...headers,
    ...(world.has('says text/html') ? { 'Content-Type': 'text/html' } : {}),
    ...(world.has('drops the request identity') ? { 'X-Broker-API-Request-Identity': '' } : {}),
  }
  if (status >= 400 && world.has('answers errors without a body')) return [status, '', more]
  if (status >= 400 && world.has('describes errors with an object'))
    return [status, { description: {} }, more]
  if (status >= 400 && request.method === 'PUT' && world.has('flags a refused order as usable'))
    return [status, { ...(body as JsonObject), instance_usable: true }, more]
  return [status, body, more]
}

function door(world: World, request: IncomingMessage, text: string): Answer {
  const { authorization, 'x-broker-api-version': version } = request.headers
  const reading = request.method === 'GET'
  const stranger =
    authorization === undefined && world.has(reading ? 'lets strangers in' : 'lets strangers order')
  if (authorization !== basic && !stranger) {
    return refuse(
      authorization !== undefined && world.has('tells wrong passwords apart with 403') ? 403 : 401,
      'No.',
    )
  }
  if (version === undefined) return refuse(world.has('fails without a version') ? 500 : 412, 'Use 2.17.')
  if (!String(version).startsWith('2.')) {
    return refuse(world.has('refuses other versions with 400') ? 400 : 412, 'Use 2.17.')
  }
  if (request.headers['x-broker-api-originating-identity'] && world.has('refuses an originating identity'))
    return refuse(400, 'Who?')
  if (request.headers['if-none-match'])
    return world.has('fails on a conditional request') ? refuse(500, 'What?') : [304, {}]
  const body = request.method === 'PUT' || request.method === 'PATCH' ? parse(text) : {}
  if (body === undefined) return refuse(world.has('fails on a broken body') ? 500 : 400, 'No JSON.')
  const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://pumps')
  return route({
    world,
    method: request.method ?? '',
    path,
    query,
    body,
    waits: query.get('accepts_incomplete') === 'true',
  })
}

function route(call: Call): Answer {
  const { world, path } = call
  if (path === '/v2/catalog') return [200, catalogOf(world), { ETag: '"pumps"' }]
  if (path.endsWith('/last_operation'))
    return poll({ ...call, path: path.slice(0, -'/last_operation'.length) })
  const bound = path.includes('/service_bindings/')
  switch (call.method) {
    case 'PUT':
      return bound ? bind(call) : provision(call)
    case 'PATCH':
      return update(call)
    case 'DELETE':
      return remove(call)
    default:
      return look(call)
  }
}

function start({ world, path }: Call, row: Row, what: 'make' | 'change' | 'drop', then: () => void): Answer {
  const id = `work-${++world.serial}`
  row.doing = { id, what, left: pollsUntilDone, then }
  world.pastOperations.set(path, id)
  return [202, { operation: world.has('has numbers for operations') && what === 'make' ? world.serial : id }]
}

function poll({ world, path }: Call): Answer {
  const row = world.rows.get(path)
  const known = row !== undefined || world.gone.has(path)
  if (!known && !world.has('knows operations of nobody')) return refuse(404, 'What?')
  const { doing } = row ?? {}
  if (row === undefined || doing === undefined) {
    if (row !== undefined && world.has('forgets what it has told')) return [200, { state: 'in progress' }]
    return [200, { state: 'succeeded' }]
  }
  if (!(doing.what === 'make' && world.has('never ends'))) doing.left--
  if (doing.left > 0) {
    const state = world.has('has a state of its own') ? 'working' : 'in progress'
    const description = world.has('describes states with a number') ? doing.left : 'Working.'
    const flags =
      world.has('flags a provision as usable') && doing.what === 'make' ? { instance_usable: true } : {}
    return [
      200,
      { state, description, ...flags },
      { 'Retry-After': world.has('asks to be polled soon') ? 'soon' : '2' },
    ]
  }
  delete row.doing
  doing.then()
  return [200, { state: 'succeeded' }]
}

function missingIn(world: World, body: JsonObject): string | undefined {
  const skipped: readonly (readonly [Fault, string])[] = [
    ['orders without service_id', 'service_id'],
    ['orders without plan_id', 'plan_id'],
    ['orders without organization', 'organization_guid'],
  ]
  const names = ['service_id', 'plan_id', 'organization_guid', 'space_guid']
  return names.find(
    (name) => body[name] === undefined && !skipped.some(([fault, skip]) => skip === name && world.has(fault)),
  )
}

function provision(call: Call): Answer {
  const { world, path, body, waits } = call
  const missing = missingIn(world, body)
  if (missing !== undefined) return refuse(400, `${missing}?`)
  if (!isOffered(body) && !world.has('orders what is not offered') && body['service_id'] && body['plan_id'])
    return refuse(400, 'Not offered.')
  if (Object.keys(body).some((name) => name.includes('check')) && world.has('refuses unknown fields'))
    return refuse(400, 'Unknown field.')
  const { plan_id: id, organization_guid, space_guid, parameters = {} } = body
  const plan = planNamed(id)
  const order = {
    id: plan.id,
    organization_guid: organization_guid ?? '',
    space_guid: space_guid ?? '',
    parameters,
  } as JsonObject
  const row = world.rows.get(path)
  if (row?.doing?.what === 'make') {
    const differs = !deepEqual(row.order, order)
    if (differs && !world.has('does not see a conflict while it works')) return refuse(409, 'Another one.')
    const anew = path.includes('-') && world.has('begins again while it works')
    const raced = world.has('begins twice in a race') && row.doing.left === pollsUntilDone
    return [202, { operation: anew || raced ? `work-${++world.serial}` : row.doing.id }]
  }
  if (row?.doing?.what === 'drop') return concurrency
  if (row !== undefined) {
    const differs = !deepEqual({ ...row.order, id: row.plan, parameters: row.parameters }, order)
    if (differs ? !world.has('does not see a conflict') : world.has('answers 409 to the same order'))
      return refuse(409, 'Another one.')
    return [200, {}]
  }
  const refusal = maintenanceOf(body, plan.version) && !world.has('ignores maintenance_info')
  if (refusal) return [422, { error: 'MaintenanceInfoConflict', description: 'Read the catalog.' }]
  const behind = plan === steam
  if (behind && !waits && !world.has('answers 202 to who cannot wait'))
    return world.has('asks to wait without a code') ? refuse(422, 'Wait.') : tooSoon
  if (!fits(parameters) && !world.has('does not read the schema')) return refuse(400, 'Litres are whole.')
  const fresh: Row = {
    order,
    plan: plan.id,
    parameters: parameters as JsonObject,
    secret: '',
    ready: !behind,
  }
  world.rows.set(path, fresh)
  if (behind) return start(call, fresh, 'make', () => Object.assign(fresh, { ready: true }))
  return [world.has('answers 200 for what is new') ? 200 : 201, {}]
}

function maintenanceOf(body: JsonObject, version: string | undefined): boolean {
  const info = body['maintenance_info']
  return isObject(info) && info['version'] !== version
}

function fits(parameters: unknown): boolean {
  return (
    isObject(parameters) && (parameters['litres'] === undefined || Number.isInteger(parameters['litres']))
  )
}

function update(call: Call): Answer {
  const { world, path, body, waits } = call
  const row = world.rows.get(path)
  if (body['service_id'] === undefined && !world.has('updates without service_id'))
    return refuse(400, 'service_id?')
  if (row === undefined) return world.has('updates what nobody made') ? [200, {}] : refuse(404, 'What?')
  const wanted = body['plan_id']
  const known =
    wanted === undefined || wanted === 'pump-hand' || wanted === 'pump-steam' || wanted === 'pump-toy'
  if (!known && !world.has('updates to an unknown plan')) return refuse(400, 'Not offered.')
  if (row.doing !== undefined && !world.has('updates twice at once')) return concurrency
  const now = planNamed(row.plan)
  const moves = known && wanted !== undefined && wanted !== row.plan
  if (moves && now === steam && !world.has('moves a plan that stays')) return refuse(422, 'It stays.')
  if (maintenanceOf(body, now.version) && !world.has('ignores maintenance_info of updates'))
    return [422, { error: 'MaintenanceInfoConflict', description: 'Read the catalog.' }]
  const parameters = (body['parameters'] ?? {}) as JsonObject
  if (body['parameters'] === undefined && !moves && known && world.has('refuses a new context'))
    return refuse(400, 'For what?')
  const behind = now === steam
  if (behind && !waits) return tooSoon
  const apply = () => {
    if (!world.has('loses new parameters')) row.parameters = { ...row.parameters, ...parameters }
    if (moves && !world.has('loses a new plan')) row.plan = String(wanted)
  }
  if (behind) return start(call, row, 'change', apply)
  apply()
  return [200, {}]
}

function bind(call: Call): Answer {
  const { world, path, body, waits } = call
  const needed = world.has('binds without service_id') ? ['plan_id'] : ['service_id', 'plan_id']
  const missing = needed.find((name) => body[name] === undefined)
  if (missing !== undefined) return refuse(400, `${missing}?`)
  const instance = world.rows.get(path.split('/service_bindings/')[0] ?? '')
  if (instance === undefined && !world.has('binds what nobody made')) return refuse(404, 'What?')
  const plan = planNamed(body['plan_id'])
  if (!plan.bindable && !world.has('binds what cannot be bound')) return refuse(400, 'Not this one.')
  const { app_guid = '', parameters = {}, predecessor_binding_id: before = '' } = body
  const order = { app_guid, parameters, before } as JsonObject
  const row = world.rows.get(path)
  if (row?.doing?.what === 'make') return [202, { operation: row.doing.id }]
  if (row !== undefined) {
    if (!deepEqual(row.order, order) && !world.has('does not see another binding'))
      return refuse(409, 'Another one.')
    if (world.has('binds anew every time')) row.secret = `s-${++world.serial}`
    return [200, bound(world, row)]
  }
  const predecessor = `${path.split('/service_bindings/')[0]}/service_bindings/${before}`
  if (before !== '' && !world.rows.has(predecessor) && !world.has('takes any predecessor'))
    return refuse(400, 'Whose?')
  const behind = plan === steam
  if (behind && !waits) return tooSoon
  if (before !== '' && world.has('ends the predecessor')) world.rows.delete(predecessor)
  const secret = world.has('shares credentials') ? 'one' : `s-${++world.serial}`
  const fresh: Row = { order, plan: plan.id, parameters: parameters as JsonObject, secret, ready: !behind }
  world.rows.set(path, fresh)
  if (behind) return start(call, fresh, 'make', () => Object.assign(fresh, { ready: true }))
  return [201, bound(world, fresh)]
}

function bound(world: World, { secret }: Row): JsonObject {
  return {
    ...(world.has('binds without credentials') ? {} : { credentials: { secret } }),
    ...(world.has('drains without permission') ? { syslog_drain_url: 'syslog://pumps' } : {}),
    endpoints: [{ host: 'pumps.example', ports: [world.has('has numbers for ports') ? 443 : '443'] }],
    metadata: { expires_at: world.has('expires tomorrow') ? 'tomorrow' : '2040-01-31T12:00:00.0Z' },
  }
}

function remove(call: Call): Answer {
  const { world, path, query, waits } = call
  const binding = path.includes('/service_bindings/')
  const skip = binding ? world.has('unbinds without service_id') : false
  if (!query.has('service_id') && !skip) return refuse(400, 'service_id?')
  if (!query.has('plan_id') && !(world.has('deprovisions without plan_id') && !binding))
    return refuse(400, 'plan_id?')
  const row = world.rows.get(path)
  if (row === undefined) {
    if (binding && world.has('unbinds for ever')) return [200, {}]
    return refuse(world.has('does not know what is gone') && !binding ? 404 : 410, 'Gone.')
  }
  const behind = row.plan === steam.id
  const unasked = binding && world.has('unbinds in the background unasked')
  if (behind && !waits && !unasked) return tooSoon
  if (world.has('keeps what it made') && !binding) return refuse(500, 'Not now.')
  const drop = () => {
    world.rows.delete(path)
    world.gone.add(path)
  }
  if (!behind) {
    drop()
    return world.has('answers 204 to a deletion') && !binding ? [204, ''] : [200, {}]
  }
  if (row.doing?.what === 'drop' && !world.has('deletes anew while it deletes'))
    return [202, { operation: row.doing.id }]
  if (row.doing?.what === 'change') return concurrency
  return start(call, row, 'drop', drop)
}

function look({ world, path }: Call): Answer {
  const row = world.rows.get(path)
  const binding = path.includes('/service_bindings/')
  if (row === undefined) {
    const told = world.gone.has(path)
      ? world.has('fetches what is deleted')
      : world.has('fetches what nobody made')
    return told ? [200, {}] : refuse(404, 'What?')
  }
  const early = world.has(binding ? 'fetches a binding too soon' : 'fetches what is not there yet')
  if (!row.ready && !early) return refuse(404, 'Not yet.')
  if (row.ready && !binding && row.doing !== undefined && !world.has('fetches what is changing'))
    return concurrency
  if (binding) return [200, world.has('fetches no credentials') ? {} : bound(world, row)]
  const parameters = world.has('fetches other parameters')
    ? { ...row.parameters, litres: -5 }
    : row.parameters
  return [
    200,
    {
      service_id: 'pump',
      plan_id: world.has('fetches another plan') ? 'pump-of-others' : row.plan,
      parameters,
    },
  ]
}
