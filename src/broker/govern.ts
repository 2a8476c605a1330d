/** What operators may do to the broker's memory and doors: forget an instance, freeze, thaw. */

import { present } from '../kit/present.ts'
import type { InstanceKey } from '../model/instance.ts'
import { fail } from '../model/problem.ts'
import { ownerOfBinding, ownerOfInstance } from '../model/sealed.ts'
import type { Freeze, Transaction } from '../store/store.ts'
import { type Asker, orders } from './orders.ts'
import type { Ports } from './ports.ts'
import { checkName, nameIn } from './provision.ts'

/** Forgets an instance and its bindings without running anything; what they stand for outside stays there. */
export async function purgeInstance(ports: Ports, asker: Asker, key: InstanceKey): Promise<void> {
  await ports.store.write(async (tx) => {
    const instance = await tx.lockInstance(key)
    if (instance === undefined || instance.state === 'gone') fail('instance.unknown', key.instance)
    const bindings = await tx.bindings(key)
    if (
      instance.currentOperation !== undefined ||
      bindings.some((one) => one.currentOperation !== undefined)
    ) {
      fail('instance.busy', undefined, { hint: 'Cancel the operation that is under way, then purge.' })
    }
    const now = await tx.now()
    for (const binding of bindings) {
      await tx.erase(ownerOfBinding(binding))
      await tx.putBinding({ ...binding, state: 'gone', updatedAt: now })
      await tx.wishDelivery(binding, undefined)
    }
    await tx.erase(ownerOfInstance(key))
    await tx.eraseHidden(key)
    const { dashboardUrl: _url, labels: _labels, attributes: _attributes, name: _name, ...rest } = instance
    await tx.putInstance({ ...rest, state: 'gone', updatedAt: now, generation: instance.generation + 1 })
    await record(tx, ports, asker, { action: 'instance.purge', ...aboutInstance(key) })
  })
}

/**
 * Moves an instance to the package that its plan is offered from now, without running anything:
 * its next action runs the mended package.
 */
export async function repinInstance(ports: Ports, asker: Asker, key: InstanceKey): Promise<void> {
  await ports.store.write(async (tx) => {
    const instance = await tx.lockInstance(key)
    if (instance === undefined || instance.state === 'gone') fail('instance.unknown', key.instance)
    if (instance.currentOperation !== undefined) fail('instance.busy')
    const offer = ports.catalog().plan(instance.planId) ?? fail('catalog.plan-unknown', instance.planId)
    const { digest } = offer.package
    await tx.putInstance({ ...instance, digest, updatedAt: await tx.now() })
    await record(tx, ports, asker, { action: 'instance.repin', ...aboutInstance(key) })
  })
}

/** Gives an instance another name, which must be the only one of its platform; nothing is run. */
export async function renameInstance(
  ports: Ports,
  asker: Asker,
  key: InstanceKey,
  name: string,
): Promise<void> {
  await ports.store.write(async (tx) => {
    const instance = await tx.lockInstance(key)
    if (instance === undefined || instance.state === 'gone') fail('instance.unknown', key.instance)
    const { parameters, context: before } = await orders.instance(tx, key)
    const context = { ...before, instance_name: name }
    const named = nameIn(context)
    if (named.name === instance.name) return
    await checkName(tx, key.platform, named.name)
    await orders.putInstance(tx, key, { parameters, context })
    await tx.putInstance({ ...instance, ...named, updatedAt: await tx.now() })
    await record(tx, ports, asker, { action: 'instance.rename', ...aboutInstance(key) })
  })
}

function aboutInstance({ platform, instance }: InstanceKey): Pick<Deed, 'kind' | 'id' | 'within'> {
  return { kind: 'instance', id: instance, within: [platform] }
}

/** Refuses new orders until thawed; running work goes on. */
export async function freezeBroker(ports: Ports, asker: Asker, freeze: Omit<Freeze, 'by'>): Promise<void> {
  await ports.store.write(async (tx) => {
    await tx.putFreeze({ ...freeze, by: asker.account.id })
    await record(tx, ports, asker, { action: 'broker.freeze', kind: 'cluster', id: (await tx.cluster()).id })
  })
}

/** Takes new orders again. */
export async function thawBroker(ports: Ports, asker: Asker): Promise<void> {
  await ports.store.write(async (tx) => {
    await tx.putFreeze(undefined)
    await record(tx, ports, asker, { action: 'broker.thaw', kind: 'cluster', id: (await tx.cluster()).id })
  })
}

/** Writes down that something was done or looked at. */
export async function recordDeed(ports: Ports, asker: Asker, deed: Deed): Promise<void> {
  await ports.store.write((tx) => record(tx, ports, asker, deed))
}

export interface Deed {
  readonly action: string
  readonly kind: string
  readonly id: string
  /** What an id is unique in, outermost first: platform and instance. What differs in it is no repetition. */
  readonly within?: readonly string[]
  /** The tenant of its object, where that cannot be found by its id. */
  readonly tenant?: string
  /** Absent: allowed, and it succeeded. */
  readonly refusal?: { readonly denied: boolean; readonly code: string }
  /** How often, where repetitions are one record. */
  readonly times?: number
}

/** Writes it down in the transaction of what was done. */
export async function record(
  tx: Transaction,
  ports: Pick<Ports, 'node'>,
  asker: Asker,
  deed: Deed,
): Promise<void> {
  const { action, kind, id, within: [platform, instance] = [], refusal, times } = deed
  await tx.addAudit({
    actor: { ...asker.account, ...(asker.requester ? { identity: asker.requester.identity } : {}) },
    action,
    object: { kind, id, ...present({ platform, instance }) },
    ...present({ tenant: await tenantOfDeed(tx, deed) }),
    decision: refusal?.denied ? 'denied' : 'allowed',
    result: refusal ? 'failed' : 'succeeded',
    ...(refusal ? { code: refusal.code } : {}),
    requestId: asker.requestId,
    ...present({ source: asker.source }),
    node: ports.node,
    ...present({ times }),
  })
}

/** The tenant of what a deed is about; of what is not there, as of what is the broker's, there is none. */
async function tenantOfDeed(
  tx: Pick<Transaction, 'tenantOf'>,
  { kind, id, within = [], tenant }: Deed,
): Promise<string | undefined> {
  if (tenant !== undefined) return tenant
  const [platform, instance = id] = within
  if (kind === 'tenant') return id
  if (kind === 'operation') return tx.tenantOf({ operation: id })
  return platform === undefined ? undefined : tx.tenantOf({ platform, instance })
}
