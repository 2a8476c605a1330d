/** Counts for metrics and the UI. */
import { firstUlid } from '../kit/id.ts'
import type { Row, Session } from './database.ts'
import type { OrderCount } from './filters.ts'
import { maybeNumber, number, text } from './row.ts'
import type { StateCount } from './store.ts'
import { withinTenants } from './tenants.ts'

type Kind = Exclude<StateCount['of'], 'operation'>

const byState = (moment: string, rows: string): string =>
  `SELECT state, count(*) AS many, min(${moment}) AS oldest FROM ${rows} GROUP BY state`

const openOperations = `SELECT state, kind, count(*) AS many, min(created_at) AS oldest FROM operations
  WHERE ended = 0 GROUP BY state, kind ORDER BY state, kind`

// The settled ones are many and not looked at: all, less the others.
const settled: Readonly<
  Record<Kind, { readonly state: string; readonly rest: string; readonly table: string }>
> = {
  instance: {
    state: 'ready',
    table: 'instances',
    rest: byState(
      'updated_at',
      `instances WHERE state IN ('provisioning', 'updating', 'deprovisioning', 'failed', 'gone')`,
    ),
  },
  binding: {
    state: 'bound',
    table: 'bindings',
    rest: byState('updated_at', `bindings WHERE state IN ('binding', 'unbinding', 'failed', 'gone')`),
  },
}

/** How many of what are in which state, and how old the oldest is; of operations those that have not ended, by action. */
export async function countByState(session: Session, now: number): Promise<readonly StateCount[]> {
  const operations = await session.all(openOperations)
  return [
    ...(await countOf(session, 'instance', now)),
    ...(await countOf(session, 'binding', now)),
    ...operations.map((row) => ({ ...stateCount('operation', row, now), action: text(row, 'kind') })),
  ]
}

async function countOf(session: Session, of: Kind, now: number): Promise<readonly StateCount[]> {
  const { state, rest, table } = settled[of]
  const others = (await session.all(rest)).map((row) => stateCount(of, row, now))
  const all = await session.get(`SELECT count(*) AS many FROM ${table}`)
  const oldest = await session.get(`SELECT min(updated_at) AS oldest FROM ${table} WHERE state = ?`, state)
  const count = number(all ?? {}, 'many') - others.reduce((sum, other) => sum + other.count, 0)
  const since = maybeNumber(oldest ?? {}, 'oldest')
  if (since === undefined || count <= 0) return others
  return [{ of, state, count, oldestMs: Math.max(0, now - since) }, ...others]
}

function stateCount(of: StateCount['of'], row: Row, now: number): StateCount {
  const oldestMs = Math.max(0, now - number(row, 'oldest'))
  return { of, state: text(row, 'state'), count: number(row, 'many'), oldestMs }
}

/** How many operations of some tenants wait, or were ordered of late, counted no further than asked. */
export async function countOrders(
  session: Session,
  { tenants, state, since, most }: OrderCount,
): Promise<number> {
  const [within, ...values] = withinTenants('tenant', tenants)
  const conditions = [within]
  if (state !== undefined) {
    conditions.push('ended = 0', 'state = ?')
    values.push(state)
  }
  if (since !== undefined) {
    // Ids begin with their time, and the index of tenants ends with them.
    conditions.push('id > ?', "kind NOT IN ('deprovision', 'unbind')")
    values.push(firstUlid(since))
  }
  const row = await session.get(
    `SELECT count(*) AS many FROM (
      SELECT 1 AS one FROM operations WHERE ${conditions.join(' AND ')} LIMIT ?) AS counted`,
    ...values,
    most,
  )
  return row ? number(row, 'many') : 0
}
