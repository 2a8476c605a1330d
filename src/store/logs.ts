/** Logs as sealed pieces, each kept once by its position in its stream. */
import type { Row, Session } from './database.ts'
import { bytes, number, text } from './row.ts'
import type { Sealer } from './sealer.ts'
import type { LogEnd, LogRow, NewLogRow } from './store.ts'

/** What a log piece is sealed under. */
export function logOwner(run: string): string {
  return `log/${run}`
}

const end = `SELECT position + span FROM logs WHERE run = ? AND step = ? AND stream = ?
  ORDER BY position DESC LIMIT 1`

/** What tells a piece of a run from the others; sealed under it. */
export function pieceName({
  step,
  stream,
  position,
}: Pick<NewLogRow, 'step' | 'stream' | 'position'>): string {
  return JSON.stringify([step, stream, position])
}

/** Appends pieces; one that begins before the end of what is kept was kept already. */
export async function addLog(session: Session, sealer: Sealer, rows: readonly NewLogRow[]): Promise<void> {
  for (const row of rows) {
    const { key, body } = sealer.seal(logOwner(row.run), pieceName(row), row.bytes)
    await session.send(
      `INSERT INTO logs (operation, run, stream, step, position, span, at, key_id, body)
        SELECT ?, ?, ?, ?, ?, ?, now_ms(), ?, ? WHERE coalesce((${end}), 0) <= ?`,
      row.operation,
      row.run,
      row.stream,
      row.step,
      row.position,
      row.span,
      key,
      body,
      row.run,
      row.step,
      row.stream,
      row.position,
    )
  }
}

/** Replaces the bytes of rows by their numbers. */
export async function rewriteLog(session: Session, sealer: Sealer, rows: readonly LogRow[]): Promise<void> {
  for (const row of rows) {
    const { key, body } = sealer.seal(logOwner(row.run), pieceName(row), row.bytes)
    await session.send('UPDATE logs SET key_id = ?, body = ? WHERE number = ?', key, body, row.number)
  }
}

/** Pieces after a number, oldest first. */
export async function readLog(
  session: Session,
  sealer: Sealer,
  from: { readonly operation: string; readonly after: number; readonly most: number },
): Promise<readonly LogRow[]> {
  const rows = await session.all(
    `SELECT number, operation, run, stream, step, position, span, at, key_id, body FROM logs
      WHERE operation = ? AND number > ? ORDER BY number LIMIT ?`,
    from.operation,
    from.after,
    from.most,
  )
  return rows.map((row) => logRow(row, sealer))
}

/** The newest pieces, oldest first. */
export async function readLastLog(
  session: Session,
  sealer: Sealer,
  { operation, most }: { readonly operation: string; readonly most: number },
): Promise<readonly LogRow[]> {
  const rows = await session.all(
    `SELECT number, operation, run, stream, step, position, span, at, key_id, body FROM logs
      WHERE operation = ? ORDER BY number DESC LIMIT ?`,
    operation,
    most,
  )
  return rows.map((row) => logRow(row, sealer)).toReversed()
}

function logRow(row: Row, sealer: Sealer): LogRow {
  const [run, step, position] = [text(row, 'run'), text(row, 'step'), number(row, 'position')]
  const stream = text(row, 'stream') as LogRow['stream']
  return {
    number: number(row, 'number'),
    at: number(row, 'at'),
    operation: text(row, 'operation'),
    run,
    stream,
    step,
    position,
    span: number(row, 'span'),
    bytes: sealer.unseal(logOwner(run), pieceName({ step, stream, position }), {
      key: text(row, 'key_id'),
      body: bytes(row, 'body'),
    }),
  }
}

/** Where the next piece of each stream of a run begins. */
export async function endsOfLog(session: Session, run: string): Promise<readonly LogEnd[]> {
  const rows = await session.all(
    'SELECT step, stream, max(position + span) AS reached FROM logs WHERE run = ? GROUP BY step, stream',
    run,
  )
  return rows.map((row) => ({
    step: text(row, 'step'),
    stream: text(row, 'stream') as LogEnd['stream'],
    end: number(row, 'reached'),
  }))
}
