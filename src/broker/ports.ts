/** What the broker needs from outside to decide: store, contracts, catalog, time, chance and the house rules. */
import type { Contract, Prepared } from '../contracts/contract.ts'
import type { Chance, Clock } from '../kit/clock.ts'
import type { InstanceKey, Target } from '../model/instance.ts'
import type { Job } from '../model/job.ts'
import type { Package } from '../model/package.ts'
import type { Problem } from '../model/problem.ts'
import type { Action, Situation } from '../model/situation.ts'
import type { TenantRule } from '../model/tenant-rule.ts'
import type { Look, Store } from '../store/store.ts'
import type { Catalog, Offer } from './catalog.ts'

export interface Ports {
  readonly store: Store
  readonly clock: Clock
  readonly chance: Chance
  readonly node: string
  /** A fresh id for this database time; ids of one process grow. */
  newId(now: number): string
  /** As it is now: it may change while the broker runs. */
  policy(): Policy
  contract(name: string): Contract
  /** Prepares an action in a process of its own, for contracts that evaluate programs; absent: that is done here. */
  readonly apart?: (contract: string, action: Action, situation: Situation) => Promise<Prepared>
  catalog(): Catalog
  /** Why no engine here can run a job, or not the one that it must run on, if so. */
  refuses(job: Job, engine?: string): Problem | undefined
  /** What the operator lends to an instance of a plan: accounts, addresses. */
  infrastructure(offer: Offer, borrower: Borrower): MountedPrograms | Promise<MountedPrograms>
  /** An order is being written down; it counts once its request was accepted. Answers the span that the work on it links to. */
  began(order: Began): string | undefined
  /** What the request ordered is committed. */
  accepted(request: string): void
}

export type MountedPrograms = Situation['infrastructure']

/** The instance that something is lent to, and how to look at what the store keeps of it. */
export interface Borrower {
  readonly key: InstanceKey
  readonly look: Look
}

export interface Began {
  readonly request: string
  readonly kind: Action['kind']
  readonly target: Target
  readonly operation: string
  /** The contract of its package. */
  readonly format: string
  readonly package: Pick<Package, 'name' | 'digest'>
}

/** What the operator decided for all orders. */
export interface Policy {
  /** Milliseconds after which an operation ends whatever happens. */
  readonly deadlineMs: Readonly<Record<Action['kind'], number>>
  readonly queuedPerPlatformMax: number
  /** Instances per platform; absent: as many as there is room for. */
  readonly instancesPerPlatformMax?: number
  readonly bindingsPerInstanceMax?: number
  /** Of each tenant that no rule of its own gives another number. */
  readonly instancesPerTenantMax?: number
  readonly bindingsPerTenantMax?: number
  readonly queuedPerTenantMax?: number
  readonly ordersPerMinutePerTenantMax?: number
  /** Platforms whose bindings are also held by Secrets of their namespaces; absent: none. */
  readonly bindingSecrets?: ReadonlySet<string>
  /** What holds for tenants; `isStored`: decided by command, not by the configuration. */
  readonly tenants?: readonly (TenantRule & { readonly isStored?: boolean })[]
  /** What authors may offer to their own tenants; absent: nothing. */
  readonly sandbox?: { readonly registries: readonly string[]; readonly packagesMax: number }
}
