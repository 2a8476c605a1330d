/** Runs and the history of operations as rows. */
import type { HistoryLine, Run } from '../model/operation.ts'
import type { Used } from '../model/report.ts'
import type { Session } from './database.ts'
import { compact, maybeText, number, text } from './row.ts'

/** All runs of an operation, first stage and attempt first. */
export async function listRuns(session: Session, operation: string): Promise<readonly Run[]> {
  const rows = await session.all(
    `SELECT operation, stage, attempt, name, engine, state, ticket, used FROM runs WHERE operation = ?
      ORDER BY stage, attempt`,
    operation,
  )
  return rows.map((row) => {
    const used = maybeText(row, 'used')
    return compact<Run>({
      operation: text(row, 'operation'),
      stage: number(row, 'stage'),
      attempt: number(row, 'attempt'),
      name: text(row, 'name'),
      engine: text(row, 'engine'),
      state: text(row, 'state') as Run['state'],
      ticket: maybeText(row, 'ticket'),
      used: used === undefined ? undefined : (JSON.parse(used) as Used),
    })
  })
}

/** Writes a run, new or changed. */
export async function putRun(session: Session, run: Run): Promise<void> {
  await session.send(
    `INSERT INTO runs (operation, stage, attempt, name, engine, state, ticket, used) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (operation, stage, attempt) DO UPDATE
      SET name = excluded.name, engine = excluded.engine, state = excluded.state, ticket = excluded.ticket,
        used = excluded.used`,
    run.operation,
    run.stage,
    run.attempt,
    run.name,
    run.engine,
    run.state,
    run.ticket ?? null,
    run.used === undefined ? null : JSON.stringify(run.used),
  )
}

/** The history of an operation, oldest first. */
export async function listHistory(session: Session, operation: string): Promise<readonly HistoryLine[]> {
  const rows = await session.all(
    'SELECT at, state, reason, node, fence FROM history WHERE operation = ? ORDER BY line',
    operation,
  )
  return rows.map((row) => ({
    at: number(row, 'at'),
    state: text(row, 'state') as HistoryLine['state'],
    reason: text(row, 'reason'),
    node: text(row, 'node'),
    fence: number(row, 'fence'),
  }))
}

/** Appends a line with the database's time. */
export async function addHistory(
  session: Session,
  operation: string,
  line: Omit<HistoryLine, 'at'>,
): Promise<void> {
  await session.send(
    `INSERT INTO history (operation, line, at, state, reason, node, fence)
      VALUES (?, (SELECT coalesce(max(line), 0) + 1 FROM history WHERE operation = ?), now_ms(), ?, ?, ?, ?)`,
    operation,
    operation,
    line.state,
    line.reason,
    line.node,
    line.fence,
  )
}
