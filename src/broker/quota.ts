/** Upper bounds of what platforms and tenants may have; refused before anything is accepted. */
import type { Binding, Instance } from '../model/instance.ts'
import { fail } from '../model/problem.ts'
import { type Bounded, boundsOf, type TenantBound } from '../model/tenant-rule.ts'
import type { Transaction } from '../store/store.ts'
import type { Offer } from './catalog.ts'
import type { Policy, Ports } from './ports.ts'

type Ruled = Pick<Ports, 'policy'>

/** Problems: broker.quota. */
export async function checkInstanceQuota(
  tx: Transaction,
  ports: Ruled,
  order: {
    readonly offer: Offer
    readonly platform: string
    readonly tenant: string
    /** It counts among the others, and makes room for the one that is ordered. */
    readonly there: Instance | undefined
  },
): Promise<void> {
  const { offer, platform, tenant, there } = order
  const policy = ports.policy()
  const freed = there === undefined || there.state === 'gone' ? 0 : 1
  await checkPlanLimit(tx, offer, there?.planId === offer.plan.id ? freed : 0)
  const most = policy.instancesPerPlatformMax
  if (most !== undefined && (await tx.countInstances(undefined, platform)) - freed >= most) {
    fail('broker.quota', `this platform is limited to ${most} instances`)
  }
  for (const bound of tenantBounds(policy, tenant, 'instancesMax')) {
    const used = await tx.countInstances(undefined, undefined, [bound.name])
    if (used - freed >= bound.most) refuse(bound, tenant, 'instances')
  }
}

/** Problems: broker.quota. */
export async function checkPlanLimit(tx: Transaction, { plan }: Offer, freed = 0): Promise<void> {
  const { limit } = plan.operator
  if (limit !== undefined && (await tx.countInstances(plan.id)) - freed >= limit) {
    fail('broker.quota', `the plan ${plan.name} is limited to ${limit} instances`)
  }
}

/** Problems: broker.quota. */
export async function checkBindingQuota(tx: Transaction, ports: Ruled, instance: Instance): Promise<void> {
  const policy = ports.policy()
  const most = policy.bindingsPerInstanceMax
  if (most !== undefined && (await tx.bindings(instance)).filter(counts).length >= most)
    fail('broker.quota', `an instance is limited to ${most} bindings`)
  for (const bound of tenantBounds(policy, instance.tenant, 'bindingsMax')) {
    if ((await tx.countBindings([bound.name])) >= bound.most) refuse(bound, instance.tenant, 'bindings')
  }
}

/** A failed binding gives nothing, and is in the way of none. */
function counts({ state }: Binding): boolean {
  return state !== 'gone' && state !== 'failed'
}

/** The bounds of a tenant now. */
export function tenantBounds(policy: Policy, tenant: string, of: Bounded): readonly TenantBound[] {
  const usual = {
    instancesMax: policy.instancesPerTenantMax,
    bindingsMax: policy.bindingsPerTenantMax,
    queuedMax: policy.queuedPerTenantMax,
    ordersPerMinuteMax: policy.ordersPerMinutePerTenantMax,
  }
  // What is usual is so for each tenant, and bounds no group of them.
  const group = tenant.endsWith('*')
  return boundsOf(policy.tenants ?? [], { tenant, of, usual: group ? undefined : usual[of] })
}

const minuteMs = 60_000

/** How fast a tenant may order, and how much of it may wait. Problems: request.too-many. */
export async function checkTenantRate(tx: Transaction, ports: Ruled, tenant: string): Promise<void> {
  const policy = ports.policy()
  for (const { name, most } of tenantBounds(policy, tenant, 'queuedMax')) {
    if ((await tx.countOrders({ tenants: [name], state: 'queued', most })) < most) continue
    fail('request.too-many', `${most} operations of ${name} wait already`)
  }
  const rates = tenantBounds(policy, tenant, 'ordersPerMinuteMax')
  const since = rates.length === 0 ? 0 : (await tx.now()) - minuteMs
  for (const { name, most } of rates) {
    if ((await tx.countOrders({ tenants: [name], since, most })) < most) continue
    fail('request.too-many', `${name} orders more than ${most} times a minute`)
  }
}

function refuse({ name, most }: TenantBound, tenant: string, what: string): never {
  const bounded = name === tenant ? `the tenant ${name} is` : `the tenants ${name} together are`
  return fail('broker.quota', `${bounded} limited to ${most} ${what}`)
}
