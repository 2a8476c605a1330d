/** One transaction: everything the broker and the workers write, handed to the file of its subject. */

import type { Reach } from '../model/access.ts'
import type { ApiToken, StoredAccount } from '../model/account.ts'
import type { Delivery } from '../model/delivery.ts'
import type { Binding, BindingKey, Instance, InstanceKey } from '../model/instance.ts'
import type { HistoryLine, Operation, Run } from '../model/operation.ts'
import type { SandboxPackage } from '../model/sandbox.ts'
import type { SealedOwner } from '../model/sealed.ts'
import type { TenantRule } from '../model/tenant-rule.ts'
import type { StoredTenantRule } from './account-rows.ts'
import {
  addAccount,
  lockAccount,
  putAccount,
  putToken,
  removeAccount,
  removeToken,
  useToken,
} from './accounts.ts'
import { addAudit, chainAudit } from './audit.ts'
import { putCursor } from './audit-anchors.ts'
import { countBindings, lockBinding, lockBindings, putBinding } from './bindings.ts'
import type { ClaimMark, ClaimOrder } from './claims.ts'
import type { ClusterKeys } from './cluster.ts'
import { countOrders } from './counts.ts'
import type { Session } from './database.ts'
import { claimDeliveries, putDelivered, remindDelivery, wishDelivery } from './deliveries.ts'
import type { Delivered } from './delivery-rows.ts'
import { endSession } from './ended-sessions.ts'
import type { OrderCount } from './filters.ts'
import { eraseEnded, forgetOld } from './forget.ts'
import { claimIdempotent, putIdempotent } from './idempotency.ts'
import { countInstances, hasInstanceNamed, lockInstance, putInstance } from './instances.ts'
import { addLog, eraseHidden, rewriteLog } from './logs.ts'
import { Looking } from './look.ts'
import { addTombstone, holdSingleton, lockName, putFreeze, putNode, raiseEpoch } from './nodes.ts'
import {
  cancelOperation,
  insertOperation,
  lockOperation,
  mayWrite,
  putTraces,
  sendOperation,
  updateOperation,
} from './operations.ts'
import { putEnrolment, putOffering, removeEnrolment } from './packages.ts'
import { claimOperations, forcedOperations, forgiveStrikes, overdueOperations, renewLeases } from './queue.ts'
import { addHistory, putRun } from './runs.ts'
import { listSandboxPackages, putSandboxPackage, removeSandboxPackage } from './sandbox.ts'
import { eraseSealed, putSealed } from './sealed.ts'
import type { Seals } from './sealer.ts'
import type {
  AuditCursor,
  CancelWish,
  Enrolment,
  Freeze,
  Held,
  Hint,
  IdempotencyRow,
  LogRow,
  NewAuditRecord,
  NewLogRow,
  NodeRow,
  Offering,
  Retention,
  Transaction,
} from './store.ts'
import { eraseTenantKey, lockTenantKey, ownerOfOperation, sealsFor } from './tenant-keys.ts'
import { addTenantRule, lockTenantRule, putTenantRule, removeTenantRule } from './tenant-rules.ts'

/** What a transaction shares with the others of this process. */
export interface Surroundings extends ClusterKeys {
  /** The next turn of a platform in the queue. */
  turn(platform: string): number
  tell(session: Session, hint: Hint): void
}

export class Writing extends Looking implements Transaction {
  readonly #around: Surroundings
  /** Rows this transaction has locked and seen: whether to insert or to update is known, not guessed. */
  readonly #there = new Set<string>()
  readonly #locked = new Map<string, Operation>()
  readonly #seals = new Map<string, Seals>()
  constructor(session: Session, around: Surroundings) {
    super(session, around)
    this.#around = around
  }
  async lockInstance(key: InstanceKey): Promise<Instance | undefined> {
    const found = await lockInstance(this.session, key)
    if (found) this.#there.add(nameOfInstance(key))
    return found
  }
  async lockBinding(key: BindingKey): Promise<Binding | undefined> {
    const found = await lockBinding(this.session, key)
    if (found) this.#there.add(nameOf(key))
    return found
  }
  override async bindings(key: InstanceKey): Promise<readonly Binding[]> {
    const found = await lockBindings(this.session, key)
    for (const binding of found) this.#there.add(nameOf(binding))
    return found
  }
  async lockOperation(id: string): Promise<Operation | undefined> {
    const found = await lockOperation(this.session, id)
    if (found) this.#locked.set(id, found)
    return found
  }
  async putInstance(instance: Instance): Promise<void> {
    const name = nameOfInstance(instance)
    await putInstance(this.session, instance, this.#there.has(name))
    this.#there.add(name)
  }
  async putBinding(binding: Binding): Promise<void> {
    const name = nameOf(binding)
    await putBinding(this.session, binding, this.#there.has(name))
    this.#there.add(name)
  }
  async addOperation(operation: Operation): Promise<void> {
    await insertOperation(this.session, operation, this.#around.turn(operation.target.platform))
  }
  async putOperation(operation: Operation, held: Held): Promise<boolean> {
    const locked = this.#locked.get(operation.id)
    if (locked === undefined) return updateOperation(this.session, operation, held)
    // No other transaction can change it now: whether the write will be kept is known without waiting for it.
    if (!mayWrite(locked, held)) return false
    await sendOperation(this.session, operation, held)
    this.#locked.set(operation.id, operation)
    return true
  }
  async cancelOperation(id: string, wish: CancelWish): Promise<Operation | undefined> {
    const changed = await cancelOperation(this.session, id, wish)
    if (changed) this.#locked.set(id, changed)
    return changed
  }
  addHistory(operation: string, line: Omit<HistoryLine, 'at'>): Promise<void> {
    return addHistory(this.session, operation, line)
  }
  putRun(run: Run): Promise<void> {
    return putRun(this.session, run)
  }
  async seal(owner: SealedOwner, name: string, content: Uint8Array): Promise<void> {
    await putSealed(this.session, await this.#sealsFor(owner), { owner, name, content })
  }
  /** Asked for once per owner, as long as the owner has no row yet each time. */
  async #sealsFor(owner: string): Promise<Seals> {
    const known = this.#seals.get(owner)
    if (known !== undefined) return known
    const seals = await sealsFor(this.session, this.sealer, owner)
    if (seals !== this.sealer) this.#seals.set(owner, seals)
    return seals
  }
  erase(owner: SealedOwner, name?: string): Promise<void> {
    return eraseSealed(this.session, owner, name)
  }
  claim(order: ClaimOrder): Promise<readonly Operation[]> {
    return claimOperations(this.session, order)
  }
  putTraces(claimed: Operation, traces: readonly string[]): Promise<void> {
    return putTraces(this.session, claimed, traces)
  }
  forgive(node: string, claims: readonly ClaimMark[]): Promise<void> {
    return forgiveStrikes(this.session, node, claims)
  }
  renew(node: string, operations: readonly string[], leaseMs: number): Promise<readonly string[]> {
    return renewLeases(this.session, node, operations, leaseMs)
  }
  overdue(graceMs: number, most: number): Promise<readonly Operation[]> {
    return overdueOperations(this.session, graceMs, most)
  }
  forced(most: number): Promise<readonly Operation[]> {
    return forcedOperations(this.session, most)
  }
  addLog(rows: readonly NewLogRow[]): Promise<void> {
    return addLog(this.session, (operation) => this.#sealsFor(ownerOfOperation(operation)), rows)
  }

  rewriteLog(rows: readonly LogRow[]): Promise<void> {
    return rewriteLog(this.session, (operation) => this.#sealsFor(ownerOfOperation(operation)), rows)
  }
  eraseHidden(key: InstanceKey): Promise<void> {
    return eraseHidden(this.session, key)
  }
  addAudit(record: NewAuditRecord): Promise<void> {
    return addAudit(this.session, record)
  }
  async endSession(id: string, forMs: number): Promise<void> {
    await endSession(this.session, id, (await this.now()) + forMs)
  }
  lockAccount(name: string): Promise<StoredAccount | undefined> {
    return lockAccount(this.session, name)
  }
  addAccount(account: StoredAccount): Promise<boolean> {
    return addAccount(this.session, account)
  }
  putAccount(account: StoredAccount): Promise<void> {
    return putAccount(this.session, account)
  }
  removeAccount(name: string): Promise<void> {
    return removeAccount(this.session, name)
  }
  putToken(token: ApiToken): Promise<void> {
    return putToken(this.session, token)
  }
  useToken(id: string): Promise<void> {
    return useToken(this.session, id)
  }
  removeToken(id: string): Promise<void> {
    return removeToken(this.session, id)
  }
  lockTenantRule(name: string): Promise<StoredTenantRule | undefined> {
    return lockTenantRule(this.session, name)
  }
  addTenantRule(rule: TenantRule): Promise<boolean> {
    return addTenantRule(this.session, rule)
  }
  putTenantRule(rule: TenantRule): Promise<void> {
    return putTenantRule(this.session, rule)
  }
  removeTenantRule(name: string): Promise<void> {
    return removeTenantRule(this.session, name)
  }
  lockTenantKey(tenant: string): Promise<boolean> {
    return lockTenantKey(this.session, tenant)
  }
  eraseEnded(tenant: string, after: string, most: number): Promise<string | undefined> {
    return eraseEnded(this.session, { tenant, after, most })
  }
  async eraseTenantKey(tenant: string): Promise<void> {
    await eraseTenantKey(this.session, tenant)
    this.#letGo()
  }
  /** Every process that has opened secrets of tenants lets go of them. */
  #letGo(): void {
    this.hint({ kind: 'tenants' })
  }
  wishDelivery(key: BindingKey, namespace: string | undefined): Promise<void> {
    return wishDelivery(this.session, key, namespace)
  }
  claimDeliveries(order: { readonly leaseMs: number; readonly most: number }): Promise<readonly Delivery[]> {
    return claimDeliveries(this.session, order)
  }
  putDelivered(delivery: Delivery, came: Delivered | undefined): Promise<boolean> {
    return putDelivered(this.session, delivery, came)
  }
  remindDelivery(delivery: Delivery): Promise<void> {
    return remindDelivery(this.session, delivery)
  }
  async lockSandbox(tenant: string): Promise<readonly SandboxPackage[]> {
    await lockName(this.session, JSON.stringify(['sandbox', tenant]))
    return (await listSandboxPackages(this.session)).filter((one) => one.tenant === tenant)
  }
  putSandboxPackage(one: SandboxPackage): Promise<void> {
    return putSandboxPackage(this.session, one)
  }
  removeSandboxPackage(tenant: string, name: string): Promise<boolean> {
    return removeSandboxPackage(this.session, tenant, name)
  }
  chainAudit(most: number): Promise<number> {
    return chainAudit(this.session, this.chain, most)
  }
  putAuditCursor(sink: string, cursor: AuditCursor): Promise<void> {
    return putCursor(this.session, sink, cursor)
  }
  async addTombstone(name: string, reason: string, forMs: number): Promise<void> {
    await addTombstone(this.session, name, { reason, until: (await this.now()) + forMs })
  }
  putOffering(offering: Offering): Promise<void> {
    return putOffering(this.session, offering)
  }
  putEnrolment(enrolment: Enrolment): Promise<void> {
    return putEnrolment(this.session, enrolment)
  }
  removeEnrolment(name: string): Promise<void> {
    return removeEnrolment(this.session, name)
  }
  putIdempotent(row: IdempotencyRow): Promise<void> {
    return putIdempotent(this.session, this.sealer, row)
  }
  claimIdempotent(row: IdempotencyRow): Promise<boolean> {
    return claimIdempotent(this.session, row)
  }
  putNode(node: NodeRow): Promise<void> {
    return putNode(this.session, node)
  }
  putFreeze(freeze: Freeze | undefined): Promise<void> {
    return putFreeze(this.session, freeze)
  }
  holdSingleton(name: string, node: string, leaseMs: number): Promise<boolean> {
    return holdSingleton(this.session, name, { node, ms: leaseMs })
  }
  raiseEpoch(): Promise<number> {
    return raiseEpoch(this.session)
  }
  async forget(retention: Retention, most: number): Promise<number> {
    const bound = { now: await this.now(), most, keys: this.chain, erased: () => this.#letGo() }
    return forgetOld(this.session, retention, bound)
  }
  hint(hint: Hint): void {
    this.#around.tell(this.session, hint)
  }
  async isNameTaken(platform: string, name: string): Promise<boolean> {
    await lockName(this.session, JSON.stringify(['instance', platform, name]))
    return hasInstanceNamed(this.session, platform, name)
  }
  /** Counts while no other transaction counts the same, so that a limit holds. */
  override async countInstances(planId?: string, platform?: string, tenants?: Reach): Promise<number> {
    await lockName(
      this.session,
      JSON.stringify(['count', planId ?? '', planId === undefined ? platform : '', ...(tenants ?? [])]),
    )
    return countInstances(this.session, planId, platform, tenants)
  }
  /** Likewise. */
  override async countOrders(count: OrderCount): Promise<number> {
    await lockName(this.session, JSON.stringify(['orders', ...count.tenants]))
    return countOrders(this.session, count)
  }
  /** Likewise. */
  override async countBindings(tenants: Reach): Promise<number> {
    await lockName(this.session, JSON.stringify(['count bindings', ...tenants]))
    return countBindings(this.session, tenants)
  }
}

function nameOf({ platform, instance, binding }: BindingKey): string {
  return JSON.stringify([platform, instance, binding])
}

/** A key of a binding names its instance, too. */
export function nameOfInstance({ platform, instance }: InstanceKey): string {
  return JSON.stringify([platform, instance])
}
