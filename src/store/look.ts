/** Looks: every question the broker asks, handed to the file of its subject. */
import type { Reach } from '../model/access.ts'
import type { ApiToken, StoredAccount } from '../model/account.ts'
import type { AuditFilter } from '../model/audit.ts'
import type { Delivery } from '../model/delivery.ts'
import type { Binding, BindingKey, Instance, InstanceKey, Target } from '../model/instance.ts'
import type { HistoryLine, Operation, Run } from '../model/operation.ts'
import type { SandboxPackage } from '../model/sandbox.ts'
import type { SealedOwner } from '../model/sealed.ts'
import type { StoredTenantRule } from './account-rows.ts'
import { findAccount, findToken, listAccounts, listTokens } from './accounts.ts'
import { auditHeight, auditWritten, readAudit, readAuditOf } from './audit.ts'
import { readAnchors, readCursor, readRetained } from './audit-anchors.ts'
import { type AuditHead, readHead } from './audit-head.ts'
import type { AuditKeys } from './audit-keys.ts'
import { countBindings, findBinding, listBindings, listBindingsNamed } from './bindings.ts'
import type { ClusterKeys } from './cluster.ts'
import { countByState, countOrders } from './counts.ts'
import { type Session, skippedSince } from './database.ts'
import { isDeliveryDue, listDeliveries, listFailedDeliveries } from './deliveries.ts'
import { isSessionEnded } from './ended-sessions.ts'
import type {
  BindingFilter,
  InstanceFilter,
  OperationFilter,
  OrderCount,
  TenantCount,
  TenantFilter,
  TokenFilter,
} from './filters.ts'
import { findIdempotent } from './idempotency.ts'
import { countInstances, findInstance, listInstances } from './instances.ts'
import { endsOfLog, readLastLog, readLog, readPrinted } from './logs.ts'
import { listNodes, listTombstones, readCluster } from './nodes.ts'
import { countQueued, findOperation, listOperations, pollOperation } from './operations.ts'
import { findEnrolment, findOffering, listEnrolments, listOfferings } from './packages.ts'
import { listHistory, listRuns } from './runs.ts'
import { listSandboxPackages } from './sandbox.ts'
import { getSealed } from './sealed.ts'
import type { Sealer } from './sealer.ts'
import { countByKey, countOfKeys } from './sealing.ts'
import type {
  AuditCursor,
  AuditPoint,
  AuditRecord,
  Cluster,
  Enrolment,
  IdempotencyRow,
  KeptAnchor,
  KeyCount,
  LogEnd,
  LogRow,
  Look,
  NodeRow,
  Offering,
  Page,
  Polled,
  StateCount,
} from './store.ts'
import { listTenantRules } from './tenant-rules.ts'
import { changeMark, findTenant, listTenants } from './tenants.ts'

/** A class, so that a transaction costs one small object and not fifty functions. */
export class Looking implements Look {
  protected readonly session: Session
  protected readonly sealer: Sealer
  protected readonly chain: AuditKeys
  constructor(session: Session, { sealer, audit }: ClusterKeys) {
    this.session = session
    this.sealer = sealer
    this.chain = audit
  }
  now(): Promise<number> {
    return this.session.now()
  }
  async nowFor(began: number): Promise<number> {
    const now = await this.session.now()
    return now - skippedSince(this.session.steps(), began)
  }
  cluster(): Promise<Cluster> {
    return readCluster(this.session)
  }
  instance(key: InstanceKey): Promise<Instance | undefined> {
    return findInstance(this.session, key)
  }
  instances(filter: InstanceFilter): Promise<Page<Instance>> {
    return listInstances(this.session, filter)
  }
  binding(key: BindingKey): Promise<Binding | undefined> {
    return findBinding(this.session, key)
  }
  bindings(key: InstanceKey): Promise<readonly Binding[]> {
    return listBindings(this.session, key)
  }
  operation(id: string): Promise<Operation | undefined> {
    return findOperation(this.session, id)
  }
  tenantOf(thing: InstanceKey | { readonly operation: string }): Promise<string | undefined> {
    return findTenant(this.session, thing)
  }
  operations(filter: OperationFilter): Promise<Page<Operation>> {
    return listOperations(this.session, filter)
  }
  poll(target: Target, operation: string | undefined): Promise<Polled | undefined> {
    return pollOperation(this.session, target, operation)
  }
  runs(operation: string): Promise<readonly Run[]> {
    return listRuns(this.session, operation)
  }
  history(operation: string): Promise<readonly HistoryLine[]> {
    return listHistory(this.session, operation)
  }
  log(operation: string, after: number, most: number): Promise<readonly LogRow[]> {
    return readLog(this.session, this.sealer, { operation, after, most })
  }
  lastLog(operation: string, most: number): Promise<readonly LogRow[]> {
    return readLastLog(this.session, this.sealer, { operation, most })
  }
  printedLog(operation: string, after: number, most: number): Promise<readonly LogRow[]> {
    return readPrinted(this.session, this.sealer, { operation, after, most })
  }
  logEnds(run: string): Promise<readonly LogEnd[]> {
    return endsOfLog(this.session, run)
  }
  unseal(owner: SealedOwner, name: string): Promise<Uint8Array | undefined> {
    return getSealed(this.session, this.sealer, { owner, name })
  }
  offering(planId: string, digest?: string): Promise<Offering | undefined> {
    return findOffering(this.session, planId, digest)
  }
  offerings(): Promise<readonly Offering[]> {
    return listOfferings(this.session)
  }
  countQueued(platform: string, most: number): Promise<number> {
    return countQueued(this.session, platform, most)
  }
  countOrders(count: OrderCount): Promise<number> {
    return countOrders(this.session, count)
  }
  countInstances(planId?: string, platform?: string, tenants?: Reach): Promise<number> {
    return countInstances(this.session, planId, platform, tenants)
  }
  countBindings(tenants: Reach): Promise<number> {
    return countBindings(this.session, tenants)
  }
  async countByState(): Promise<readonly StateCount[]> {
    return countByState(this.session, await this.now())
  }
  audit(after: number, most: number, tenants?: Reach): Promise<readonly AuditRecord[]> {
    return readAudit(this.session, this.chain, { after, most, tenants })
  }
  auditOf(filter: AuditFilter): Promise<readonly AuditRecord[]> {
    return readAuditOf(this.session, this.chain, filter)
  }
  auditWritten(): Promise<number> {
    return auditWritten(this.session)
  }
  changeMark(tenants: Reach): Promise<string> {
    return changeMark(this.session, tenants)
  }
  bindingsNamed(filter: BindingFilter): Promise<readonly Binding[]> {
    return listBindingsNamed(this.session, filter)
  }
  account(name: string): Promise<StoredAccount | undefined> {
    return findAccount(this.session, name)
  }
  accounts(page: { readonly after?: string; readonly most: number }): Promise<readonly StoredAccount[]> {
    return listAccounts(this.session, page)
  }
  token(digest: string): Promise<ApiToken | undefined> {
    return findToken(this.session, digest)
  }
  tokens(filter: TokenFilter): Promise<readonly ApiToken[]> {
    return listTokens(this.session, filter)
  }
  tenantRules(): Promise<readonly StoredTenantRule[]> {
    return listTenantRules(this.session)
  }
  sandboxPackages(): Promise<readonly SandboxPackage[]> {
    return listSandboxPackages(this.session)
  }
  deliveries(key: BindingKey): Promise<readonly Delivery[]> {
    return listDeliveries(this.session, key)
  }
  failedDeliveries(most: number): Promise<readonly Delivery[]> {
    return listFailedDeliveries(this.session, most)
  }
  isDeliveryDue(): Promise<boolean> {
    return isDeliveryDue(this.session)
  }
  tenants(filter: TenantFilter): Promise<readonly TenantCount[]> {
    return listTenants(this.session, filter)
  }
  isSessionEnded(id: string): Promise<boolean> {
    return isSessionEnded(this.session, id)
  }
  nodes(): Promise<readonly NodeRow[]> {
    return listNodes(this.session)
  }
  tombstones(): Promise<readonly string[]> {
    return listTombstones(this.session)
  }
  enrolment(name: string): Promise<Enrolment | undefined> {
    return findEnrolment(this.session, name)
  }
  enrolments(): Promise<readonly Enrolment[]> {
    return listEnrolments(this.session)
  }
  idempotent(scope: string, key: string): Promise<IdempotencyRow | undefined> {
    return findIdempotent(this.session, this.sealer, { scope, key })
  }
  sealedByKey(): Promise<readonly KeyCount[]> {
    return countByKey(this.session)
  }
  sealedByOthers(): Promise<readonly KeyCount[]> {
    return countOfKeys(this.session, this.sealer.others())
  }
  auditHeight(): Promise<number> {
    return auditHeight(this.session)
  }
  auditHead(): Promise<AuditHead> {
    return readHead(this.session, this.chain)
  }
  auditAnchors(after: number, most: number): Promise<readonly KeptAnchor[]> {
    return readAnchors(this.session, this.chain, { after, most })
  }
  auditRetained(): Promise<AuditPoint | undefined> {
    return readRetained(this.session, this.chain)
  }
  auditCursor(sink: string): Promise<AuditCursor> {
    return readCursor(this.session, sink)
  }
  auditKey(): string {
    return this.chain.publicKey
  }
}
