/** The queue: which node may work on which operation now; leases by the database's clock. */
import type { HistoryLine, Operation } from '../model/operation.ts'
import type { ClaimMark, ClaimOrder } from './claims.ts'
import type { Dialect, Row, Session } from './database.ts'
import { lockName } from './nodes.ts'
import { operationColumns, operationOf } from './operations.ts'
import { number, text } from './row.ts'
import { addHistory } from './runs.ts'

const agedMs = 600_000

// As a subquery it is asked once per statement, and an index can be used with the answer.
const now = '(SELECT now_ms())'

const due = `state <> 'quarantined' AND run_after <= ${now}`

const unleased = `ended = 0 AND waits = 0 AND lease_until IS NULL AND ${due}`
// Sums hide a column from the planner: each question is answered by the one index that was made for it, even where
// no statistics say so yet.
const overtime = `ended = 0 AND waits + 0 = 0 AND lease_until < ${now} AND ${due}`
const stillReady = `ended + 0 = 0 AND waits + 0 = 0 AND ${due} AND (lease_until IS NULL OR lease_until < ${now})`

// Two questions, for each kind has its own index.
const anyReady = `SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM operations WHERE ${unleased})
  OR EXISTS (SELECT 1 FROM operations WHERE ${overtime})`

// Those without a lease by class and turn, and those whose lease is over.
const kinds = [
  ...[0, 1, 2, 3].map((priority) => ({
    condition: `${unleased} AND priority = ${priority}`,
    order: 'turn, id',
  })),
  { condition: overtime, order: 'lease_until' },
]

/**
 * Claims up to n operations whose time has come, fair over platforms, with a new fence each.
 * A claim counts as a strike until its owner records progress.
 */
export async function claimOperations(session: Session, order: ClaimOrder): Promise<readonly Operation[]> {
  // Two claims at once would both count up to the limit of a platform.
  await lockName(session, 'claim')
  // Most looks at the queue find nothing; that must cost next to nothing. Over a network it would cost a round.
  if (session.dialect.name === 'sqlite' && (await session.get(anyReady)) === undefined) return []
  // More heads than wanted, for some of them may belong to a platform that is at its limit.
  const heads = order.most * 4
  const rows = await session.all(
    claimText(session.dialect, order.only !== undefined),
    ...kinds.flatMap(() => [
      order.perPlatform,
      ...(order.only === undefined ? [] : [JSON.stringify(order.only)]),
      heads,
    ]),
    order.perPlatform,
    order.epoch,
    order.most,
    order.node,
    order.leaseMs,
  )
  return rows.toSorted(byTurn(order.leaseMs)).map(operationOf)
}

/**
 * Takes back the strikes of claims whose owner lives and could not work because the database was away. A claim that
 * wrote anything down has settled its strike by that, even if its owner never heard of it; so does this.
 */
export async function forgiveStrikes(
  session: Session,
  node: string,
  claims: readonly ClaimMark[],
): Promise<void> {
  for (const { operation, fence } of claims) {
    const reason = noStrike(fence)
    const [row] = await session.all(
      `UPDATE operations SET strikes = strikes - 1 WHERE id = ? AND strikes > 0 AND ended + 0 = 0
        AND NOT EXISTS (SELECT 1 FROM history
          WHERE operation = ? AND (reason = ? OR fence = ? AND reason NOT LIKE ?)) RETURNING state, fence`,
      operation,
      operation,
      reason,
      fence,
      noStrike('%'),
    )
    if (row === undefined) continue
    // With the fence of now, for a later claim may have written before.
    const state = text(row, 'state') as HistoryLine['state']
    await addHistory(session, operation, { state, reason, node, fence: number(row, 'fence') })
  }
}

/** The history tells which strikes were taken back; `%` stands for any claim. */
function noStrike(claim: number | '%'): string {
  return `claim ${claim} is no strike`
}

/**
 * Takes every lease away from processes that are certainly gone, so that their work is taken up at once. Their claims stay
 * strikes: what was being done may be what ended them.
 */
export async function voidLeases(session: Session): Promise<void> {
  await session.send(
    `UPDATE operations SET fence = fence + 1, lease_owner = NULL, lease_until = NULL
      WHERE ended = 0 AND lease_until IS NOT NULL`,
  )
  await session.send('DELETE FROM singletons')
}

/** Renews the leases a node still holds; answers those. */
export async function renewLeases(
  session: Session,
  node: string,
  operations: readonly string[],
  leaseMs: number,
): Promise<readonly string[]> {
  const rows = await session.all(
    `UPDATE operations SET lease_until = now_ms() + ? WHERE lease_owner = ? AND ended = 0
      AND id IN ${session.dialect.list} RETURNING id`,
    leaseMs,
    node,
    JSON.stringify(operations),
  )
  return rows.map((row) => text(row, 'id'))
}

/** Active operations whose deadline and grace have passed, by the time that has passed since they began. */
export async function overdueOperations(
  session: Session,
  graceMs: number,
  most: number,
): Promise<readonly Operation[]> {
  // The beginning of the transaction tells of a step.
  await session.now()
  const steps = session.steps()
  const skipped = steps.map(() => ' - CASE WHEN created_at <= ? THEN CAST(? AS bigint) ELSE 0 END').join('')
  const rows = await session.all(
    `SELECT ${operationColumns} FROM operations WHERE ended = 0 AND deadline_at < ${now} - ?${skipped}
      ORDER BY deadline_at LIMIT ?${session.dialect.skipLocked}`,
    graceMs,
    ...steps.flatMap(({ at, ms }) => [at, ms]),
    most,
  )
  return rows.map(operationOf)
}

/** Active operations that are to be ended by now even if a worker holds them. */
export async function forcedOperations(session: Session, most: number): Promise<readonly Operation[]> {
  const rows = await session.all(
    `SELECT ${operationColumns} FROM operations WHERE ended = 0 AND force_at <= ${now}
      ORDER BY force_at LIMIT ?${session.dialect.skipLocked}`,
    most,
  )
  return rows.map(operationOf)
}

/** The heads of the queue, those that waited long one class higher, at most so many per platform. */
function claimText(dialect: Dialect, isChosen: boolean): string {
  const chosen = isChosen ? ` AND id IN ${dialect.list}` : ''
  const heads = kinds.map(
    ({ condition, order }, i) => `SELECT * FROM (
      SELECT id, platform, turn, CASE WHEN priority > 0 AND created_at < ${now} - ${agedMs}
        THEN priority - 1 ELSE priority END AS class
      FROM operations WHERE ${condition}
        AND platform NOT IN (SELECT platform FROM running WHERE many >= ?)${chosen}
      ORDER BY ${order} LIMIT ?) AS heads_${i}`,
  )
  return `WITH running AS MATERIALIZED (
      SELECT platform, count(*) AS many FROM operations
      WHERE ended = 0 AND lease_until >= ${now} GROUP BY platform
    ), heads AS MATERIALIZED (${heads.join(' UNION ALL ')}), placed AS MATERIALIZED (
      SELECT id, class, turn,
        row_number() OVER (PARTITION BY platform ORDER BY class, turn, id)
        + coalesce((SELECT many FROM running WHERE running.platform = heads.platform), 0) AS place
      FROM heads
    ), chosen AS MATERIALIZED (
      SELECT operations.id FROM operations JOIN placed ON placed.id = operations.id
      WHERE placed.place <= ? AND ${stillReady} AND EXISTS (SELECT 1 FROM cluster WHERE epoch = ?)
      ORDER BY placed.class, placed.turn, placed.id LIMIT ?${dialect.skipLocked}
    )
    UPDATE operations SET lease_owner = ?, lease_until = now_ms() + ?, fence = fence + 1, strikes = strikes + 1
    WHERE id IN (SELECT id FROM chosen)
    RETURNING ${operationColumns}`
}

/** The order they were chosen in, which an update does not keep. */
function byTurn(leaseMs: number): (a: Row, b: Row) => number {
  const rank = (row: Row): number => {
    const claimedAt = number(row, 'lease_until') - leaseMs
    const hasAged = number(row, 'created_at') < claimedAt - agedMs
    return Math.max(0, number(row, 'priority') - (hasAged ? 1 : 0))
  }
  return (a, b) =>
    rank(a) - rank(b) || number(a, 'turn') - number(b, 'turn') || (text(a, 'id') < text(b, 'id') ? -1 : 1)
}
