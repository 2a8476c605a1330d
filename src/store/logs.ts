/** Logs as sealed pieces, each kept once by its position in its stream; what is hidden in a piece is sealed apart. */
import { decode, encode } from '../kit/codec.ts'
import { present } from '../kit/present.ts'
import type { InstanceKey } from '../model/instance.ts'
import type { HiddenBytes } from '../model/sealed.ts'
import type { Row, Session } from './database.ts'
import { bytes, number, text } from './row.ts'
import { eraseSealed, putSealed } from './sealed.ts'
import type { Sealer, Seals } from './sealer.ts'
import type { LogEnd, LogRow, NewLogRow } from './store.ts'
import { opensFor, ownerOfOperation } from './tenant-keys.ts'

/** What a log piece is sealed under. */
export function logOwner(run: string): string {
  return `log/${run}`
}

/** What is hidden in the log of a run is sealed under another owner, so that it does not open in place of what is shown. */
export function hiddenOwner(run: string): string {
  return `hidden/${run}`
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

/** The values of the condition that nothing from there on is kept yet. */
function placeOf({ run, step, stream, position }: NewLogRow): readonly (string | number)[] {
  return [run, step, stream, position]
}

/** Seals for the tenant of an operation. */
type SealsOf = (operation: string) => Promise<Seals>

/** Appends pieces; one that begins before the end of what is kept was kept already. */
export async function addLog(session: Session, sealsOf: SealsOf, rows: readonly NewLogRow[]): Promise<void> {
  for (const row of rows) {
    const seals = await sealsOf(row.operation)
    await addHidden(session, seals, row)
    const { key, body } = seals.seal(logOwner(row.run), pieceName(row), row.bytes)
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
      ...placeOf(row),
    )
  }
}

/** Before its piece, under the same condition. */
async function addHidden(session: Session, seals: Seals, row: NewLogRow): Promise<void> {
  if (row.hidden === undefined) return
  const [owner, name] = [hiddenOwner(row.run), pieceName(row)]
  const { key, body } = seals.seal(owner, name, contentOf(row.hidden))
  await session.send(
    `INSERT INTO sealed (owner, name, key_id, body)
      SELECT ?, ?, ?, ? WHERE coalesce((${end}), 0) <= ?
      ON CONFLICT (owner, name) DO NOTHING`,
    owner,
    name,
    key,
    body,
    ...placeOf(row),
  )
}

function replaceHidden(session: Session, seals: Seals, row: LogRow): Promise<void> {
  const [owner, name] = [hiddenOwner(row.run), pieceName(row)]
  if (row.hidden === undefined) return eraseSealed(session, owner, name)
  return putSealed(session, seals, { owner, name, content: contentOf(row.hidden) })
}

function contentOf(hidden: readonly HiddenBytes[]): Uint8Array {
  return Buffer.from(encode(hidden))
}

/** Replaces the bytes of rows by their numbers, and what is hidden in them. */
export async function rewriteLog(session: Session, sealsOf: SealsOf, rows: readonly LogRow[]): Promise<void> {
  for (const row of rows) {
    const seals = await sealsOf(row.operation)
    const { key, body } = seals.seal(logOwner(row.run), pieceName(row), row.bytes)
    await session.send('UPDATE logs SET key_id = ?, body = ? WHERE number = ?', key, body, row.number)
    await replaceHidden(session, seals, row)
  }
}

/** Erases what is hidden in pieces of logs. */
export async function eraseHiddenIn(
  session: Session,
  rows: readonly Pick<LogRow, 'run' | 'step' | 'stream' | 'position'>[],
): Promise<void> {
  for (const [run, pieces] of Map.groupBy(rows, (row) => row.run))
    await session.run(
      `DELETE FROM sealed WHERE owner = ? AND name IN ${session.dialect.list}`,
      hiddenOwner(run),
      JSON.stringify(pieces.map(pieceName)),
    )
}

/** Erases what is hidden in all logs of an instance. */
export async function eraseHidden(session: Session, { platform, instance }: InstanceKey): Promise<void> {
  await session.send(
    `DELETE FROM sealed WHERE owner IN (SELECT 'hidden/' || runs.name FROM operations
      JOIN runs ON runs.operation = operations.id WHERE operations.platform = ? AND operations.instance = ?)`,
    platform,
    instance,
  )
}

/** Pieces with what is hidden in them. */
export async function readPrinted(
  session: Session,
  sealer: Sealer,
  from: { readonly operation: string; readonly after: number; readonly most: number },
): Promise<readonly LogRow[]> {
  const rows = await readLog(session, sealer, from)
  const names = JSON.stringify(rows.map(pieceName))
  const found = new Map<string, readonly HiddenBytes[]>()
  if (rows.length === 0) return []
  const seals = await opensFor(session, sealer, ownerOfOperation(from.operation))
  for (const run of new Set(rows.map((row) => row.run))) {
    const owner = hiddenOwner(run)
    const sealed = await session.all(
      `SELECT name, key_id, body FROM sealed WHERE owner = ? AND name IN ${session.dialect.list}`,
      owner,
      names,
    )
    for (const row of sealed) {
      const name = text(row, 'name')
      const opened = seals.unseal(owner, name, { key: text(row, 'key_id'), body: bytes(row, 'body') })
      found.set(`${run} ${name}`, decode<readonly HiddenBytes[]>(Buffer.from(opened).toString()))
    }
  }
  return rows.map((row) => ({ ...row, ...present({ hidden: found.get(`${row.run} ${pieceName(row)}`) }) }))
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
  return openRows(session, sealer, rows)
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
  return (await openRows(session, sealer, rows)).toReversed()
}

/** Which piece of which run a row is. */
export function pieceOf(row: Row): Pick<LogRow, 'run' | 'step' | 'stream' | 'position'> {
  const stream = text(row, 'stream') as LogRow['stream']
  return { run: text(row, 'run'), stream, step: text(row, 'step'), position: number(row, 'position') }
}

/** Rows of one operation. */
async function openRows(session: Session, sealer: Sealer, rows: readonly Row[]): Promise<readonly LogRow[]> {
  const [first] = rows
  if (first === undefined) return []
  const seals = await opensFor(session, sealer, ownerOfOperation(text(first, 'operation')))
  return rows.map((row) => logRow(row, seals))
}

function logRow(row: Row, seals: Seals): LogRow {
  const piece = pieceOf(row)
  return {
    number: number(row, 'number'),
    at: number(row, 'at'),
    operation: text(row, 'operation'),
    ...piece,
    span: number(row, 'span'),
    bytes: seals.unseal(logOwner(piece.run), pieceName(piece), {
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
