/** What is decided for tenants by command: made, changed and taken away, each with its audit record in the same transaction. */

import { activeStates } from '../model/operation.ts'
import { fail } from '../model/problem.ts'
import type { TenantRule } from '../model/tenant-rule.ts'
import type { Transaction } from '../store/store.ts'
import { record } from './govern.ts'
import type { Asker } from './orders.ts'
import type { Ports } from './ports.ts'

/** Makes a tenant. Problems: tenant.exists, tenant.configured. */
export async function createTenant(ports: Ports, asker: Asker, rule: TenantRule): Promise<void> {
  refuseConfigured(ports, rule.name)
  await ports.store.write(async (tx) => {
    if (!(await tx.addTenantRule(rule))) fail('tenant.exists', rule.name)
    await record(tx, ports, asker, { action: 'tenant.create', ...about(rule.name) })
    tx.hint({ kind: 'tenants' })
  })
}

/** What is to be otherwise; `undefined` takes away what was decided. */
export type TenantChange = { readonly [K in keyof Omit<TenantRule, 'name'>]?: TenantRule[K] | undefined }

/** Changes what is decided for a tenant. Problems: tenant.unknown, tenant.configured. */
export async function changeTenant(
  ports: Ports,
  asker: Asker,
  name: string,
  change: TenantChange,
): Promise<void> {
  refuseConfigured(ports, name)
  await ports.store.write(async (tx) => {
    const { changedAt: _at, ...before } = (await tx.lockTenantRule(name)) ?? fail('tenant.unknown', name)
    await tx.putTenantRule({ ...before, ...change } as TenantRule)
    await record(tx, ports, asker, { action: 'tenant.set', ...about(name) })
    tx.hint({ kind: 'tenants' })
  })
}

/** Takes away what is decided for a tenant; what it has stays. Problems: tenant.unknown, tenant.configured. */
export async function removeTenant(ports: Ports, asker: Asker, name: string): Promise<void> {
  refuseConfigured(ports, name)
  await ports.store.write(async (tx) => {
    if ((await tx.lockTenantRule(name)) === undefined) fail('tenant.unknown', name)
    await tx.removeTenantRule(name)
    await record(tx, ports, asker, { action: 'tenant.remove', ...about(name) })
    tx.hint({ kind: 'tenants' })
  })
}

const batch = 200

/**
 * Erases for good what is sealed of a tenant that has nothing any more: what its operations left, batch by batch, and then its
 * key. Interrupted, it is begun again. Problems: tenant.in-use, tenant.keyless.
 */
export async function eraseTenant(ports: Ports, asker: Asker, name: string): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after
    after = await ports.store.write(async (tx) => {
      // Locked before it is looked: what is ordered meanwhile is sealed before, and seen, or afterwards, with another key.
      const hasKey = await tx.lockTenantKey(name)
      await refuseInUse(tx, name)
      const last = await tx.eraseEnded(name, from, batch)
      if (last !== undefined) return last
      if (!hasKey && from === '') fail('tenant.keyless', name)
      // Without a lock, the key that another transaction makes for a new order would go.
      if (hasKey) await tx.eraseTenantKey(name)
      await record(tx, ports, asker, { action: 'tenant.erase', ...about(name) })
      return undefined
    })
  }
}

async function refuseInUse(tx: Transaction, name: string): Promise<void> {
  const instances = await tx.instances({ tenants: [name], isPresent: true, most: 1 })
  const operations = await tx.operations({ tenants: [name], states: activeStates, most: 1 })
  for (const { instance } of instances.items) fail('tenant.in-use', `${name} has instance ${instance}`)
  for (const { id } of operations.items) fail('tenant.in-use', `operation ${id} of ${name} has not ended`)
}

function about(name: string) {
  return { kind: 'tenant', id: name }
}

/** The configuration is not changed by commands, and no name is in both. */
function refuseConfigured({ policy }: Pick<Ports, 'policy'>, name: string): void {
  const { tenants = [] } = policy()
  if (tenants.some((one) => one.name === name && one.isStored !== true)) fail('tenant.configured', name)
}
