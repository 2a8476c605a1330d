/** What an operator can see of a broker from outside, and what of it is not as it was promised. */
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditRecord, AuditVerdict } from '../../src/api/audit.ts'
import type { Binding } from '../../src/api/binding.ts'
import type { Keys } from '../../src/api/cluster.ts'
import type { Instance } from '../../src/api/instance.ts'
import type { Operation, Run } from '../../src/api/operation.ts'
import { accounts } from '../support/broker-process.ts'
import type { Front } from './front.ts'

/** Asks as the operator; the answer must be there. */
export async function lookUp(front: Front, path: string): Promise<{ readonly [key: string]: unknown }> {
  const { status, body } = await front.ask({
    method: 'GET',
    path: `/api/v1${path}`,
    authorization: accounts.operator,
  })
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
  return body
}

/** All pages of a list. */
export async function listed(front: Front, path: string): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (let cursor = ''; ; ) {
    const page = await lookUp(front, `${path}?limit=500${cursor}`)
    found.push(...(page['items'] as readonly unknown[]))
    if (page['next'] === undefined) return found
    cursor =
      path === '/audit' ? `&after=${page['next']}` : `&cursor=${encodeURIComponent(String(page['next']))}`
  }
}

export async function runsOf(front: Front, { id }: Operation): Promise<readonly Run[]> {
  const { items } = await lookUp(front, `/operations/${id}/runs`)
  return items as readonly Run[]
}

export async function logOf(front: Front, { id }: Operation): Promise<string> {
  const { items } = await lookUp(front, `/operations/${id}/log`)
  return (items as readonly { readonly text: string }[]).map(({ text }) => text).join('')
}

/** An instance at rest belongs to no operation and is what its last one made of it. */
export async function instanceFaults(
  front: Front,
  operations: ReadonlyMap<string, Operation>,
): Promise<readonly string[]> {
  const latest = new Map<string, Operation>()
  for (const one of operations.values()) {
    const before = latest.get(one.instance)
    const isLater = before === undefined || before.id < one.id
    if (one.binding === undefined && isLater) latest.set(one.instance, one)
  }
  const instances = (await listed(front, '/instances')) as readonly Instance[]
  return instances.flatMap((instance) => {
    const last = latest.get(instance.id)
    const made = last?.state === 'succeeded' ? last.action : undefined
    const faults = [
      instance.operation === undefined ? '' : `still belongs to ${instance.operation}`,
      ['ready', 'failed', 'gone'].includes(instance.state) ? '' : `rests in ${instance.state}`,
      made === 'provision' && instance.state !== 'ready' ? `was provisioned and is ${instance.state}` : '',
      made === 'deprovision' && instance.state !== 'gone' ? `was deprovisioned and is ${instance.state}` : '',
      last !== undefined && last.platform !== instance.platform ? `was ordered by ${last.platform}` : '',
    ]
    return faults.filter(Boolean).map((fault) => `instance ${instance.id} ${fault}`)
  })
}

/** What is bound has credentials that can be opened; what is not, has none; and none outlives its instance. */
export async function bindingFaults(front: Front): Promise<readonly string[]> {
  const instances = (await listed(front, '/instances')) as readonly Instance[]
  // Those of an instance that is gone are asked for as a platform does.
  const gone = instances.filter(({ state }) => state === 'gone')
  const outlived = await inTurn(gone, async ({ id }) => {
    const paths = ['b1', 'b2'].map((binding) => `/v2/service_instances/${id}/service_bindings/${binding}`)
    const answers = paths.map((path) => front.ask({ method: 'GET', path, authorization: accounts.platform }))
    return (await Promise.all(answers)).flatMap(({ status }, i) =>
      status === 404 ? [] : [`${paths[i]} outlived its instance: ${status}`],
    )
  })
  const others = instances.filter(({ state }) => state !== 'gone')
  const wrong = await inTurn(others, async ({ platform, id }) => {
    const { items } = await lookUp(front, `/instances/${platform}/${id}/bindings`)
    const bindings = items as readonly Binding[]
    const found = bindings.map(async (binding) => {
      const path = `/v2/service_instances/${id}/service_bindings/${binding.id}`
      const { status, body } = await front.ask({ method: 'GET', path, authorization: accounts.platform })
      const hasCredentials = status === 200 && body['credentials'] !== undefined
      const isBound = binding.state === 'bound'
      return isBound === hasCredentials
        ? []
        : [`binding ${id}/${binding.id} is ${binding.state} and answered with ${status}`]
    })
    return (await Promise.all(found)).flat()
  })
  return [...outlived, ...wrong]
}

/** The chain holds, and each operation has the record of its order. */
export async function auditFaults(
  front: Front,
  operations: readonly Operation[],
): Promise<readonly string[]> {
  let orders = 0
  // Records are put into the chain once a second.
  for (let tries = 0; tries < 60 && orders !== operations.length; tries++) {
    if (tries > 0) await pause(500)
    const records = (await listed(front, '/audit')) as readonly AuditRecord[]
    orders = records.filter(
      ({ result, action }) => result === 'started' && /^(instance|binding)\./.test(action),
    ).length
  }
  const verdict = (await lookUp(front, '/audit/verify')) as unknown as AuditVerdict
  return [
    ...(verdict.intact ? [] : [`the audit trail is broken: ${JSON.stringify(verdict.firstBreak)}`]),
    ...(orders === operations.length
      ? []
      : [`${operations.length} operations and ${orders} records of their orders`]),
  ]
}

/** Whatever is sealed can be opened: with a fresh key all of it is sealed anew. */
export async function keyFaults(front: Front): Promise<readonly string[]> {
  const asked = { method: 'POST', path: '/api/v1/keys/rotate', authorization: accounts.operator }
  const { status, body } = await front.ask(asked)
  if (status !== 202) return [`the key cannot be changed: ${status} ${JSON.stringify(body)}`]
  let left: readonly string[] = []
  for (let tries = 0; tries < 120; tries++) {
    const { keys } = (await lookUp(front, '/keys')) as unknown as Keys
    left = keys
      .filter(({ active, records }) => !active && records > 0)
      .map(({ id, records }) => `${records} records are sealed with the key ${id} and cannot be sealed anew`)
    if (left.length === 0) return []
    await pause(500)
  }
  return left
}

/** Looks at all of them, a few at a time. */
export async function inTurn<T>(
  items: readonly T[],
  look: (item: T) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (let i = 0; i < items.length; i += 16) {
    const found = await Promise.all(items.slice(i, i + 16).map(look))
    faults.push(...found.flat())
  }
  return faults
}
