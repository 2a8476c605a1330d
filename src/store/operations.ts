/** Operations as rows: reading them, ordering them, and writing them under their fence. */
import { invariant } from '../kit/assert.ts'
import type { Target } from '../model/instance.ts'
import { activeStates, hasEnded, type Operation } from '../model/operation.ts'
import type { Action } from '../model/situation.ts'
import type { Row, Session, Value } from './database.ts'
import type { OperationFilter } from './filters.ts'
import { cursorOf, openCursor, pageOf } from './page.ts'
import { compact, maybeFlag, maybeJson, maybeNumber, maybeText, number, text, toFlag, toJson } from './row.ts'
import type { CancelWish, Held, Page, Polled } from './store.ts'
import { withinTenants } from './tenants.ts'

/** The columns of a whole operation. */
export const operationColumns = `id, platform, instance, binding, kind, action, tenant, state, reason, description, problem,
  usable, repeatable, requester, request_id, priority, turn, blocked_by, created_at, started_at, finished_at,
  deadline_at, run_after, cancel_requested_at, force_at, lease_owner, lease_until, fence, strikes, stage, attempt, traces`

const select = `SELECT ${operationColumns} FROM operations WHERE id = ?`

const polled = (now: string) => `SELECT id, kind, state, description, usable, repeatable, created_at${now}
  FROM operations WHERE instance = ? AND binding = ? AND platform = ?`

const pollsOf = (now: string) => ({
  named: `${polled(now)} AND id = ?`,
  latest: `${polled(now)} ORDER BY id DESC LIMIT 1`,
})

// Asking for the time is another round over a network; within this process a statement that asks costs more than a call.
const polls = { sqlite: pollsOf(''), postgres: pollsOf(', now_ms() AS now') }

const insert = `INSERT INTO operations (id, platform, instance, binding, kind, action, tenant, requester, request_id,
  blocked_by, waits, created_at, priority, deadline_at, cancel_requested_at, force_at, turn, lease_owner, lease_until, traces,
  state, ended, reason, description, problem, usable, repeatable, started_at, finished_at, run_after, fence, strikes,
  stage, attempt)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Only what a step of the work changes: a deadline or a cancel is not its business, so a writer that read the row earlier
// cannot undo one; nor does it shorten a lease of the same owner. The sum hides its column from the planner: it would
// read through everything that has not ended.
const update = `UPDATE operations SET
  lease_until = CASE WHEN lease_owner = ? AND lease_until > ? THEN lease_until ELSE ? END, lease_owner = ?,
  state = ?, ended = ?, reason = ?, description = ?, problem = ?, usable = ?, repeatable = ?, started_at = ?,
  finished_at = ?, run_after = ?, fence = ?, strikes = ?, stage = ?, attempt = ?
  WHERE id = ? AND fence = ? AND ended + 0 = 0`

const updateOwned = `${update} AND lease_owner = ?`

// What is held back is taken up once more, to be ended.
const askToEnd = `UPDATE operations SET cancel_requested_at = coalesce(cancel_requested_at, ?),
  force_at = coalesce(force_at, ?), run_after = ?, reason = ?,
  state = CASE state WHEN 'quarantined' THEN 'queued' ELSE state END
  WHERE id = ? AND ended + 0 = 0 RETURNING ${operationColumns}`

const indexed: readonly (readonly [readonly string[], string])[] = [
  [activeStates, 'ended = 0'],
  [['failed', 'cancelled'], `state IN ('failed', 'cancelled')`],
]

/** One operation, or undefined. */
export async function findOperation(session: Session, id: string): Promise<Operation | undefined> {
  const row = await session.get(select, id)
  return row && operationOf(row)
}

/** One operation, locked until the end of the transaction. */
export async function lockOperation(session: Session, id: string): Promise<Operation | undefined> {
  const row = await session.get(select + session.dialect.forUpdate, id)
  return row && operationOf(row)
}

/** What a poll needs, by one statement. */
export async function pollOperation(
  session: Session,
  target: Target,
  operation: string | undefined,
): Promise<Polled | undefined> {
  const { instance, binding = '', platform } = target
  const { named, latest } = polls[session.dialect.name]
  const row =
    operation === undefined
      ? await session.get(latest, instance, binding, platform)
      : await session.get(named, instance, binding, platform, operation)
  return row && polledOf(row, maybeNumber(row, 'now') ?? (await session.now()))
}

/** A page, latest first. */
export async function listOperations(session: Session, filter: OperationFilter): Promise<Page<Operation>> {
  const conditions: string[] = []
  const values: Value[] = []
  const add = (condition: string, ...more: readonly Value[]): void => {
    conditions.push(condition)
    values.push(...more)
  }
  // What goes on is little, what a tenant had may be much: hidden from the planner, it is not read through.
  const isOpen = filter.states?.every((state) => !hasEnded(state)) === true
  add(...withinTenants(isOpen ? `tenant || ''` : 'tenant', filter.tenants))
  if (filter.instance !== undefined) add('instance = ?', filter.instance)
  if (filter.binding !== undefined) add('binding = ?', filter.binding)
  if (filter.platform !== undefined) add('platform = ?', filter.platform)
  if (filter.states !== undefined) {
    add(`state IN ${session.dialect.list}`, JSON.stringify(filter.states))
    // Says to the database in so many words which of its indexes holds them all.
    for (const [states, condition] of indexed)
      if (filter.states.every((state) => states.includes(state))) add(condition)
  }
  if (filter.after !== undefined) add('id < ?', openCursor(filter.after, 1)[0])
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const rows = await session.all(
    `SELECT ${operationColumns} FROM operations ${where} ORDER BY id DESC LIMIT ?`,
    ...values,
    filter.most + 1,
  )
  return pageOf(rows.map(operationOf), filter.most, (last) => cursorOf(last.id))
}

/** Inserts with a turn in the queue. */
export async function insertOperation(session: Session, operation: Operation, turn: number): Promise<void> {
  const { target, action } = operation
  const waits = await mustWait(session, operation)
  await session.send(
    insert,
    operation.id,
    target.platform,
    target.instance,
    target.binding ?? '',
    action.kind,
    action.kind === 'invoke' ? action.name : '',
    operation.tenant,
    toJson(operation.requester),
    operation.requestId,
    operation.blockedBy ?? null,
    waits ? 1 : 0,
    operation.createdAt,
    operation.priority,
    operation.deadlineAt,
    operation.cancelRequestedAt ?? null,
    operation.forceAt ?? null,
    turn,
    operation.lease?.owner ?? null,
    operation.lease?.until ?? null,
    operation.traces?.join(' ') ?? null,
    ...changingValues(operation),
  )
}

/** Whether the holder of this lease may write the row as it is. */
export function mayWrite(row: Operation, held: Held): boolean {
  const owns = held.owner === undefined || held.owner === row.lease?.owner
  return row.fence === held.fence && owns && !hasEnded(row.state)
}

/** Asks that an operation end, whichever node works on it and whatever is written meanwhile; undefined when it has ended. */
export async function cancelOperation(
  session: Session,
  id: string,
  { at, forceAt, reason }: CancelWish,
): Promise<Operation | undefined> {
  const [row] = await session.all(askToEnd, at, forceAt ?? null, at, reason, id)
  return row && operationOf(row)
}

/** Writes the row if it still has this fence (and owner), and wakes what waited for its end. */
export async function updateOperation(session: Session, operation: Operation, held: Held): Promise<boolean> {
  const changed = await session.run(
    held.owner === undefined ? update : updateOwned,
    ...updateValues(operation, held),
  )
  if (changed === 1) await letGo(session, operation)
  return changed === 1
}

/** The same for a row that is locked and known to be writable. */
export async function sendOperation(session: Session, operation: Operation, held: Held): Promise<void> {
  await session.send(held.owner === undefined ? update : updateOwned, ...updateValues(operation, held))
  await letGo(session, operation)
}

function updateValues(operation: Operation, held: Held): readonly Value[] {
  invariant(operation.fence >= held.fence, 'a fence never falls')
  const until = operation.lease?.until ?? null
  const owner = operation.lease?.owner ?? null
  return [
    owner,
    until,
    until,
    owner,
    ...changingValues(operation),
    operation.id,
    held.fence,
    ...(held.owner === undefined ? [] : [held.owner]),
  ]
}

async function letGo(session: Session, { id, state }: Operation): Promise<void> {
  if (hasEnded(state))
    await session.send('UPDATE operations SET waits = 0 WHERE blocked_by = ? AND waits = 1 AND ended = 0', id)
}

/** Names the spans that later work links to, as long as this claim holds. */
export async function putTraces(
  session: Session,
  { id, fence }: Operation,
  traces: readonly string[],
): Promise<void> {
  await session.send(
    'UPDATE operations SET traces = ? WHERE id = ? AND fence = ?',
    traces.join(' '),
    id,
    fence,
  )
}

/** Reads a whole operation. */
export function operationOf(row: Row): Operation {
  const owner = maybeText(row, 'lease_owner')
  return compact<Operation>({
    id: text(row, 'id'),
    target: targetOf(row),
    action: actionOf(row),
    tenant: text(row, 'tenant'),
    state: text(row, 'state') as Operation['state'],
    reason: text(row, 'reason'),
    description: maybeText(row, 'description'),
    problem: maybeText(row, 'problem') as Operation['problem'],
    usable: maybeFlag(row, 'usable'),
    repeatable: maybeFlag(row, 'repeatable'),
    requester: maybeJson<NonNullable<Operation['requester']>>(row, 'requester'),
    requestId: text(row, 'request_id'),
    priority: number(row, 'priority') as Operation['priority'],
    blockedBy: maybeText(row, 'blocked_by'),
    createdAt: number(row, 'created_at'),
    startedAt: maybeNumber(row, 'started_at'),
    finishedAt: maybeNumber(row, 'finished_at'),
    deadlineAt: number(row, 'deadline_at'),
    runAfter: number(row, 'run_after'),
    cancelRequestedAt: maybeNumber(row, 'cancel_requested_at'),
    forceAt: maybeNumber(row, 'force_at'),
    lease: owner === undefined ? undefined : { owner, until: number(row, 'lease_until') },
    fence: number(row, 'fence'),
    strikes: number(row, 'strikes'),
    stage: number(row, 'stage'),
    attempt: number(row, 'attempt'),
    traces: maybeText(row, 'traces')?.split(' '),
  })
}

/** Whether what it waits for is still under way; locked, so that its end and this cannot miss each other. */
async function mustWait(session: Session, operation: Operation): Promise<boolean> {
  if (operation.blockedBy === undefined) return false
  const row = await session.get(
    `SELECT ended FROM operations WHERE id = ?${session.dialect.forUpdate}`,
    operation.blockedBy,
  )
  return row !== undefined && number(row, 'ended') === 0
}

/** What the work changes, but for the lease. */
function changingValues(operation: Operation): readonly Value[] {
  return [
    operation.state,
    hasEnded(operation.state) ? 1 : 0,
    operation.reason,
    operation.description ?? null,
    operation.problem ?? null,
    toFlag(operation.usable),
    toFlag(operation.repeatable),
    operation.startedAt ?? null,
    operation.finishedAt ?? null,
    operation.runAfter,
    operation.fence,
    operation.strikes,
    operation.stage,
    operation.attempt,
  ]
}

function targetOf(row: Row): Target {
  const binding = text(row, 'binding')
  const key = { platform: text(row, 'platform'), instance: text(row, 'instance') }
  return binding === '' ? key : { ...key, binding }
}

function actionOf(row: Row): Action {
  const kind = text(row, 'kind') as Action['kind']
  return kind === 'invoke' ? { kind, name: text(row, 'action') } : { kind }
}

function polledOf(row: Row, now: number): Polled {
  return {
    id: text(row, 'id'),
    action: text(row, 'kind') as Polled['action'],
    state: text(row, 'state') as Polled['state'],
    description: maybeText(row, 'description'),
    usable: maybeFlag(row, 'usable'),
    repeatable: maybeFlag(row, 'repeatable'),
    createdAt: number(row, 'created_at'),
    now,
  }
}

/** Operations of a platform that wait, counted no further than asked. */
export async function countQueued(session: Session, platform: string, most: number): Promise<number> {
  const row = await session.get(
    `SELECT count(*) AS many FROM (
      SELECT 1 AS one FROM operations WHERE ended = 0 AND state = 'queued' AND platform = ? LIMIT ?) AS waiting`,
    platform,
    most,
  )
  return row ? number(row, 'many') : 0
}
