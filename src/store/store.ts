/** What the broker and the workers ask of storage, in their words; two databases answer it. */

import type { JsonObject } from '../kit/json.ts'
import type { Reach } from '../model/access.ts'
import type { AuditAnchor, AuditFilter, AuditObject } from '../model/audit.ts'
import type { Binding, BindingKey, Instance, InstanceKey, Target } from '../model/instance.ts'
import type { HistoryLine, Operation, OperationState, Run } from '../model/operation.ts'
import type { HiddenBytes, SealedOwner } from '../model/sealed.ts'
import type { AccountLook, AccountWrites } from './account-rows.ts'
import type { AuditHead } from './audit-head.ts'
import type { ClaimMark, ClaimOrder } from './claims.ts'
import type { Durability } from './database.ts'
import type { DeliveryLook, DeliveryWrites } from './delivery-rows.ts'
import type { BindingFilter, InstanceFilter, OperationFilter, TenantCount, TenantFilter } from './filters.ts'

export interface Store {
  /** Reads outside any transaction; each call sees what was committed. */
  readonly look: Look
  /**
   * One transaction, retried when the database asks for it: everything in it is kept, or nothing.
   * `work` may run more than once and must do nothing but talk to its transaction.
   */
  write<T>(work: (tx: Transaction) => Promise<T>, manner?: WriteManner): Promise<T>
  /** Resolves when a power cut can take nothing any more of what was written before, however loosely. */
  settled(): Promise<void>
  /** Whether the store answers and takes writes. */
  probe(): Promise<void>
  /** Reads all of a file (SQLite); a server sees to its own files. Problems: store.corrupt. */
  verify(): Promise<void>
  /** How many connections of a pool write at the moment (PostgreSQL). */
  busy(): number
  /** Calls back when a process, this one among them, says what came about; a hint, never the truth. */
  onHint(listener: (hint: Hint) => void): void
  /** A consistent copy while running (SQLite); tells how else otherwise. */
  backup(file: string): Promise<void>
  /**
   * Reads the key ring again and uses it from now on, if it is the ring of this database; answers whether anything
   * changed. Problems: key.missing, key.wrong, key.exposed.
   */
  takeKeys(): Promise<boolean>
  /** Has a key taken off the ring while it is proved that nothing is sealed with it. Problems: key.in-use. */
  retireKey(key: string, remove: () => void): Promise<void>
  /** Re-seals a batch of records with the active key; answers how many are left. */
  reseal(batch: number): Promise<number>
  close(): Promise<void>
}

export interface WriteManner {
  readonly how?: Durability
  /** The one instance all of it is about: it may share its transaction with others, so that many endings are one commit. */
  readonly about?: InstanceKey
}

/** queued: there is something to claim. tenants: other things are decided for tenants. sandbox: authors offer others. */
export type Hint =
  | { readonly kind: 'queued' }
  | { readonly kind: 'tenants' | 'sandbox' }
  | { readonly kind: 'ended' | 'cancel'; readonly operation: string }

/** The database's clock in milliseconds since 1970; leases are compared with this one only. */
export interface Look extends AccountLook, DeliveryLook {
  now(): Promise<number>
  /** The time by which the deadline of what began then is judged: where a clock was set forward since, no time has passed. */
  nowFor(began: number): Promise<number>
  cluster(): Promise<Cluster>
  instance(key: InstanceKey): Promise<Instance | undefined>
  instances(filter: InstanceFilter): Promise<Page<Instance>>
  binding(key: BindingKey): Promise<Binding | undefined>
  bindings(key: InstanceKey): Promise<readonly Binding[]>
  operation(id: string): Promise<Operation | undefined>
  /** The tenant of what an address names; it takes as long where there is nothing. */
  tenantOf(thing: InstanceKey | { readonly operation: string }): Promise<string | undefined>
  operations(filter: OperationFilter): Promise<Page<Operation>>
  /** The hot path of polling: the named operation of the target, else its latest. */
  poll(target: Target, operation: string | undefined): Promise<Polled | undefined>
  runs(operation: string): Promise<readonly Run[]>
  history(operation: string): Promise<readonly HistoryLine[]>
  /** Log pieces after a number, oldest first; what is hidden in them is not read. */
  log(operation: string, after: number, most: number): Promise<readonly LogRow[]>
  /** The newest pieces, oldest first. */
  lastLog(operation: string, most: number): Promise<readonly LogRow[]>
  /** The same with what is hidden in them: for those that hide more, never for readers of the log. */
  printedLog(operation: string, after: number, most: number): Promise<readonly LogRow[]>
  /** How far the log of a run is already kept. */
  logEnds(run: string): Promise<readonly LogEnd[]>
  /** Opens what was sealed under a name; undefined when there is nothing. */
  unseal(owner: SealedOwner, name: string): Promise<Uint8Array | undefined>
  /** The plan as the package of this digest offers it; without a digest, as it is or was last offered. */
  offering(planId: string, digest?: string): Promise<Offering | undefined>
  offerings(): Promise<readonly Offering[]>
  /** Instances that are not gone, of a plan or all plans, of a platform or all platforms, of some tenants or all. */
  countInstances(planId?: string, platform?: string, tenants?: Reach): Promise<number>
  /** Bindings of these tenants that give something or may yet. */
  countBindings(tenants: Reach): Promise<number>
  /** Operations of a platform that wait, counted no further than asked. */
  countQueued(platform: string, most: number): Promise<number>
  countByState(): Promise<readonly StateCount[]>
  /** Chained records after a number, in order; of these tenants' objects, or all there are. */
  audit(after: number, most: number, tenants?: Reach): Promise<readonly AuditRecord[]>
  /** Chained records that fit, latest first. */
  auditOf(filter: AuditFilter): Promise<readonly AuditRecord[]>
  /** Grows with every record, chained or not: where it is the same as before, nothing was done since. */
  auditWritten(): Promise<number>
  /** Another text whenever something of these tenants was ordered, ended or changed. */
  changeMark(tenants: Reach): Promise<string>
  /** Bindings that are not gone, of whatever instance. */
  bindingsNamed(filter: BindingFilter): Promise<readonly Binding[]>
  /** Tenants that have or had something, in the order of names. */
  tenants(filter: TenantFilter): Promise<readonly TenantCount[]>
  isSessionEnded(id: string): Promise<boolean>
  nodes(): Promise<readonly NodeRow[]>
  tombstones(): Promise<readonly string[]>
  enrolment(name: string): Promise<Enrolment | undefined>
  enrolments(): Promise<readonly Enrolment[]>
  /** The answer given to an idempotency key. */
  idempotent(scope: string, key: string): Promise<IdempotencyRow | undefined>
  sealedByKey(): Promise<readonly KeyCount[]>
  /** The same for the keys that are on the ring and not active; with one key it costs nothing. */
  sealedByOthers(): Promise<readonly KeyCount[]>
  /** The number of the latest record in the audit chain. */
  auditHeight(): Promise<number>
  /** Where the chain ends. */
  auditHead(): Promise<AuditHead>
  /** Anchors after one, oldest first. */
  auditAnchors(after: number, most: number): Promise<readonly KeptAnchor[]>
  /** The last record that was removed because of its age, if the key vouches for that. */
  auditRetained(): Promise<AuditPoint | undefined>
  /** How far a sink has got. */
  auditCursor(sink: string): Promise<AuditCursor>
  /** The public key that anchors are signed with. */
  auditKey(): string
}

export interface Transaction extends Look, AccountWrites, DeliveryWrites {
  /** Reads and locks, so that what is decided on it still holds at commit. */
  lockInstance(key: InstanceKey): Promise<Instance | undefined>
  lockBinding(key: BindingKey): Promise<Binding | undefined>
  lockOperation(id: string): Promise<Operation | undefined>
  /** Writes the whole row, new or changed. */
  putInstance(instance: Instance): Promise<void>
  /** Whether an instance of this platform that is not gone has this name; no other transaction gives it away before this one ends. */
  isNameTaken(platform: string, name: string): Promise<boolean>
  putBinding(binding: Binding): Promise<void>
  /** Inserts; a second active operation for the same mutated target is refused by the database and retried. */
  addOperation(operation: Operation): Promise<void>
  /**
   * Writes what the work changes of the row if it has not ended and still has this fence (and owner, when leased); false:
   * another has taken over. Deadline and cancel stay as they are, and a lease of the same owner is not shortened.
   */
  putOperation(operation: Operation, held: Held): Promise<boolean>
  /** Asks an operation to end, whichever node works on it; answers it as it is now, undefined when it has ended. */
  cancelOperation(id: string, wish: CancelWish): Promise<Operation | undefined>
  addHistory(operation: string, line: Omit<HistoryLine, 'at'>): Promise<void>
  putRun(run: Run): Promise<void>
  seal(owner: SealedOwner, name: string, bytes: Uint8Array): Promise<void>
  /** Erases one sealed thing, or all of its owner. */
  erase(owner: SealedOwner, name?: string): Promise<void>
  /**
   * Claims up to n operations whose time has come and whose lease is free or over; fair over platforms.
   * Each claim adds a strike: its owner takes it back by recording progress.
   */
  claim(order: ClaimOrder): Promise<readonly Operation[]>
  /** Names the spans that later work on an operation links to, as long as the claim that it was read with holds. */
  putTraces(claimed: Operation, traces: readonly string[]): Promise<void>
  /** Takes back the strike of each claim that came to nothing through no fault of its operation; once, however often asked. */
  forgive(node: string, claims: readonly ClaimMark[]): Promise<void>
  /** Renews all leases of a node on these operations; answers those it still holds. */
  renew(node: string, operations: readonly string[], leaseMs: number): Promise<readonly string[]>
  /** Active operations whose deadline passed so long ago, with or without a lease. */
  overdue(graceMs: number, most: number): Promise<readonly Operation[]>
  /** Active operations whose end is forced by now, with or without a lease. */
  forced(most: number): Promise<readonly Operation[]>
  addLog(rows: readonly NewLogRow[]): Promise<void>
  /** Seals other bytes, and what is hidden in them, in place of those of rows that are kept; where they lie in their stream stays as it is. */
  rewriteLog(rows: readonly LogRow[]): Promise<void>
  /** Erases what is hidden in the logs of an instance: nothing will be learned of it any more. */
  eraseHidden(key: InstanceKey): Promise<void>
  addAudit(record: NewAuditRecord): Promise<void>
  endSession(id: string, forMs: number): Promise<void>
  /** Gives number and hash to records that have none yet; one caller at a time. */
  chainAudit(most: number): Promise<number>
  putAuditCursor(sink: string, cursor: AuditCursor): Promise<void>
  /** A name that is forbidden for so long, in case a process wakes up late; what is found under it is removed. */
  addTombstone(name: string, reason: string, forMs: number): Promise<void>
  putOffering(offering: Offering): Promise<void>
  putEnrolment(enrolment: Enrolment): Promise<void>
  removeEnrolment(name: string): Promise<void>
  putIdempotent(row: IdempotencyRow): Promise<void>
  /** Keeps the first answer of a key; false: there is one already. */
  claimIdempotent(row: IdempotencyRow): Promise<boolean>
  putNode(node: NodeRow): Promise<void>
  putFreeze(freeze: Freeze | undefined): Promise<void>
  /** Takes or keeps the one lease of a singleton; false: another node has it. */
  holdSingleton(name: string, node: string, leaseMs: number): Promise<boolean>
  /** Raises the epoch: every process that started before is fenced out. */
  raiseEpoch(): Promise<number>
  /** Removes what its retention has passed, a bounded number of things; answers how many. */
  forget(retention: Retention, most: number): Promise<number>
  /** Tells all processes, this one among them, once it is committed; `queued` may be told here a little before. */
  hint(hint: Hint): void
}

export interface Cluster {
  readonly id: string
  readonly epoch: number
  readonly freeze?: Freeze
}

export interface Freeze {
  readonly reason: string
  readonly by: string
  /** Whether deletes and unbinds are refused, too. */
  readonly all: boolean
  /** The store is a copy of before: until the thaw nothing is cleared away either. */
  readonly isCopy?: boolean
}

/** What the writer of an operation believes to hold. */
export interface Held {
  readonly fence: number
  /** Absent: the lease need not be held (a cancel, a deadline). */
  readonly owner?: string
}

/** That an operation is to end. Times are the database's. */
export interface CancelWish {
  readonly at: number
  /** From when on it is ended even if a worker holds it. */
  readonly forceAt?: number
  readonly reason: string
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Where the next page starts. */
  readonly next?: string
}

export interface Polled {
  readonly id: string
  readonly action: Operation['action']['kind']
  readonly state: OperationState
  readonly description: string | undefined
  readonly usable: boolean | undefined
  readonly repeatable: boolean | undefined
  readonly createdAt: number
  /** Database time of the answer. */
  readonly now: number
}

export interface NewLogRow {
  readonly operation: string
  readonly run: string
  readonly stream: 'stdout' | 'stderr' | 'system'
  readonly step: string
  /** Byte position in this stream of this step; the same position is kept once. */
  readonly position: number
  /** How many bytes of the stream this piece stands for (redaction may change its length). */
  readonly span: number
  readonly bytes: Uint8Array
  /** What is hidden in the bytes, in order. */
  readonly hidden?: readonly HiddenBytes[]
}

/** How many bytes of a stream are kept. */
export interface LogEnd {
  readonly step: string
  readonly stream: NewLogRow['stream']
  readonly end: number
}

export interface LogRow extends NewLogRow {
  readonly number: number
  readonly at: number
}

/** A plan that is or was offered, with everything needed to serve its instances after it left the catalog. */
export interface Offering {
  readonly serviceId: string
  readonly planId: string
  readonly digest: string
  readonly retired: boolean
  /** Package, service and plan as documents. */
  readonly document: JsonObject
}

/** A package in the catalog, as read once per digest. */
export interface Enrolment {
  readonly name: string
  readonly reference: string
  readonly digest: string
  readonly contract: string
  readonly state: 'offered' | 'refused'
  readonly document: JsonObject
  readonly updatedAt: number
}

export interface StateCount {
  readonly of: 'instance' | 'binding' | 'operation'
  readonly state: string
  /** Of operations: what they do. */
  readonly action?: string
  readonly count: number
  /** Age of the oldest, milliseconds. */
  readonly oldestMs: number
}

/** How many records a key seals. */
export interface KeyCount {
  readonly key: string
  readonly records: number
}

export interface NodeRow {
  readonly name: string
  readonly boot: string
  readonly version: string
  readonly draining: boolean
  readonly startedAt: number
  readonly heartbeatAt: number
  /** The key it seals with; not known of an earlier release. */
  readonly activeKey?: string
}

export interface NewAuditRecord {
  readonly actor: {
    readonly kind: 'platform' | 'user' | 'token' | 'system'
    readonly id: string
    readonly identity?: JsonObject
    /** The Cloud Controller that a request of a platform named. */
    readonly location?: string
  }
  readonly action: string
  readonly object: AuditObject
  /** The tenant of its object; absent: the object is of the broker as a whole. */
  readonly tenant?: string
  readonly decision: 'allowed' | 'denied'
  readonly result: 'started' | 'succeeded' | 'failed'
  readonly code?: string
  readonly requestId: string
  readonly source?: string
  readonly node: string
  /** How often it happened, where repetitions are one record. */
  readonly times?: number
}

export interface AuditRecord extends NewAuditRecord {
  readonly seq: number
  readonly at: number
  readonly prev: string
  readonly hash: string
  /** Whether a holder of the key wrote it, as far as its release had one. */
  readonly isGenuine: boolean
}

/** One record of the chain. */
export type AuditPoint = Pick<AuditHead, 'seq' | 'hash'>

export interface KeptAnchor {
  /** In the order in which they were set. */
  readonly number: number
  readonly anchor: AuditAnchor
  readonly isGenuine: boolean
}

/** The last record and the last anchor that a sink has taken. */
export interface AuditCursor {
  readonly record: number
  readonly anchor: number
}

export interface IdempotencyRow {
  readonly scope: string
  readonly key: string
  readonly fingerprint: string
  readonly operation?: string
  readonly status: number
  readonly body: JsonObject
}

/** Days that things are kept after they ended. */
export interface Retention {
  readonly operationDays: number
  readonly logDays: number
  readonly goneDays: number
  readonly auditDays: number
}
