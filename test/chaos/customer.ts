/** A customer with one instance: orders, binds, changes and deletes it, and remembers what it was promised. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../simulation/world.ts'
import { accounts } from '../support/broker-process.ts'
import type { Front, Reply } from './front.ts'
import type { Acknowledged, Journal } from './journal.ts'
import type { Offer, Pretence, Wares } from './wares.ts'

export interface CustomerPorts {
  readonly front: Front
  readonly wares: Wares
  readonly journal: Journal
  readonly random: Random
  readonly faults: string[]
  /** Operations whose run others took away. */
  readonly bereft: ReadonlySet<string>
}

/** The end of an order as a poll tells it. */
interface End {
  readonly state: string
  readonly description: string
}

/** What the instance must be like at the end. */
export interface Expected {
  readonly instance: string
  readonly state: 'gone' | 'ready'
  readonly size?: number
}

/** Work takes a second at most; even in a storm a worker finds it again soon. */
const endsWithinMs = 600_000

/** One life; answers what must be left of it. */
export async function liveOnce(instance: string, ports: CustomerPorts): Promise<Expected> {
  const { random, wares } = ports
  const customer = makeCustomer(instance, ports)
  if (random.chance(0.15) && wares.quick !== undefined) return customer.quickLife(wares.quick)
  const made = await customer.provision()
  if (!made) return customer.leave()
  for (let updates = random.between(0, 2); updates > 0; updates--) await customer.update()
  for (const binding of ['b1', 'b2'].slice(random.between(0, 2))) await customer.bindAndUnbind(binding)
  return random.chance(0.2) ? customer.stay() : customer.leave()
}

function makeCustomer(instance: string, { front, wares, journal, random, faults, bereft }: CustomerPorts) {
  const path = `/v2/service_instances/${instance}`
  const ended = new Map<string, string>()
  let size = random.between(1, 9)

  const ask = (method: string, where: string, body?: object): Promise<Reply> =>
    front.ask({
      method,
      path: where,
      authorization: accounts.platform,
      ...(body === undefined ? {} : { body }),
    })
  const complain = (what: string, reply: Reply): void => {
    faults.push(`${instance}: ${what}: ${reply.status} ${JSON.stringify(reply.body)}`)
  }
  const complainOfEnd = (kind: string, { state, description }: End, { body }: Reply): void => {
    if (state === 'failed' && bereft.has(String(body['operation']))) return
    faults.push(`${instance}: ${kind} ${String(body['operation'])} ended ${state}: ${description}`)
  }
  const pretence = (failing: number): Pretence => ({
    ms: random.pick([0, 0, 50, 150, 400, 900]),
    outcome: random.chance(failing) ? 'fail' : 'succeed',
  })
  const { service_id: service } = wares.offer

  /** How an accepted order ends; a state that was reported never changes again. */
  async function follow(where: string, operation: string): Promise<End> {
    for (const begun = performance.now(); performance.now() - begun < endsWithinMs; ) {
      const reply = await ask('GET', `${where}/last_operation?operation=${operation}`)
      const state = String(reply.body['state'])
      if (reply.status !== 200) {
        complain(`poll of ${operation}`, reply)
        return { state: 'unknown', description: '' }
      }
      const before = ended.get(operation)
      if (before !== undefined && before !== state) complain(`${operation} was ${before} before`, reply)
      if (state !== 'in progress') {
        ended.set(operation, state)
        return { state, description: String(reply.body['description'] ?? '') }
      }
      await pause(random.between(60, 260))
    }
    const { body } = await front.ask({
      method: 'GET',
      path: `/api/v1/operations/${operation}/history`,
      authorization: accounts.operator,
    })
    const history = JSON.stringify(body)
    throw new Error(`${operation} of ${instance} has not ended after ${endsWithinMs} ms: ${history}`)
  }

  /** Notes an accepted order before anything else happens, and follows it. */
  async function accepted(reply: Reply, where: string, order: Omit<Acknowledged, 'operation' | 'instance'>) {
    const operation = String(reply.body['operation'])
    journal.note({ operation, instance, ...order })
    return follow(where, operation)
  }

  async function provision(): Promise<boolean> {
    const create = pretence(0.08)
    const body = {
      ...{ ...wares.offer, organization_guid: 'o', space_guid: 's' },
      parameters: wares.create(size, create, pretence(0.05)),
    }
    const reply = await ask('PUT', `${path}?accepts_incomplete=true`, body)
    if (reply.status === 200) return true
    if (reply.status !== 202) {
      complain('provision', reply)
      return false
    }
    const order = { kind: 'provision', ms: create.ms } as const
    // An impatient one deletes what is not finished yet.
    if (random.chance(0.1)) {
      journal.note({ operation: String(reply.body['operation']), instance, ...order, ms: 0 })
      return false
    }
    const end = await accepted(reply, path, order)
    if (end.state !== (create.outcome === 'fail' ? 'failed' : 'succeeded'))
      complainOfEnd('provision', end, reply)
    return end.state === 'succeeded'
  }

  async function update(): Promise<void> {
    const wanted = random.between(1, 9)
    const change = pretence(0.1)
    const parameters = wares.change(wanted, change, pretence(0.05), random.next())
    const reply = await ask('PATCH', `${path}?accepts_incomplete=true`, { service_id: service, parameters })
    if (reply.status === 200) {
      size = wanted
      return
    }
    if (reply.status !== 202) return complain('update', reply)
    const end = await accepted(reply, path, { kind: 'update', ms: change.ms })
    if (end.state === 'succeeded') size = wanted
    if (end.state !== (change.outcome === 'fail' ? 'failed' : 'succeeded'))
      complainOfEnd('update', end, reply)
  }

  async function bindAndUnbind(binding: string): Promise<void> {
    const where = `${path}/service_bindings/${binding}`
    const create = pretence(0.1)
    const body = { ...wares.offer, parameters: wares.bind(create, pretence(0.05)) }
    const reply = await ask('PUT', `${where}?accepts_incomplete=true`, body)
    if (![200, 201, 202].includes(reply.status)) return complain('bind', reply)
    const isBound =
      reply.status !== 202 ||
      (await accepted(reply, where, { binding, kind: 'bind', ms: create.ms })).state === 'succeeded'
    if (isBound) {
      const fetched = await ask('GET', where)
      if (fetched.body['credentials'] === undefined) complain('fetch of a binding that was made', fetched)
    }
    // A customer that leaves cleans up what was forgotten here.
    if (random.chance(0.8)) await remove(where, 'unbind', binding)
  }

  /** Until it is gone: a pretended delete may fail once. */
  async function remove(where: string, kind: 'unbind' | 'deprovision', binding?: string): Promise<void> {
    for (let tries = 0; tries < 4; tries++) {
      const query = `service_id=${service}&plan_id=${wares.offer.plan_id}&accepts_incomplete=true`
      const reply = await ask('DELETE', `${where}?${query}`)
      if (reply.status === 410 || reply.status === 200) return
      if (reply.status !== 202) return complain(kind, reply)
      const order = { kind, ms: 0, ...(binding === undefined ? {} : { binding }) }
      if ((await accepted(reply, where, order)).state === 'succeeded') return
    }
    complain(`${kind} never ended well`, { status: 0, body: {} })
  }

  return {
    provision,
    update,
    bindAndUnbind,
    stay: (): Expected => ({ instance, state: 'ready', size }),
    async leave(): Promise<Expected> {
      await remove(path, 'deprovision')
      return { instance, state: 'gone' }
    },
    /** Everything inside the request: what was answered is done. */
    async quickLife(ids: Offer): Promise<Expected> {
      const made = await ask('PUT', path, {
        ...ids,
        organization_guid: 'o',
        space_guid: 's',
        parameters: { size },
      })
      if (made.status !== 201 && made.status !== 200) complain('quick provision', made)
      if (random.chance(0.5)) return { instance, state: 'ready', size }
      const gone = await ask('DELETE', `${path}?service_id=${ids.service_id}&plan_id=${ids.plan_id}`)
      if (gone.status !== 200 && gone.status !== 410) complain('quick deprovision', gone)
      return { instance, state: 'gone' }
    },
  }
}
