/** Secrets that are known only when a run is over: what it had printed of them is hidden in the log that is kept already. */
import type { Mask, Redactor } from '../kit/redact.ts'
import type { LogRow, Store } from '../store/store.ts'

const pageRows = 200

interface Stream {
  readonly redactor: Redactor
  /** The newest row as it is to be shown; what waits at the end is added to it. */
  last: LogRow
}

/** Goes through the whole log of an operation; a secret may reach from one row into the next, so all is changed at once. */
export async function hideInLog(store: Store, operation: string, mask: Mask): Promise<void> {
  const streams = new Map<string, Stream>()
  const changed = new Map<number, LogRow>()
  const show = (row: LogRow, bytes: Uint8Array): LogRow => {
    const shown = { ...row, bytes }
    if (Buffer.compare(bytes, row.bytes) !== 0) changed.set(row.number, shown)
    return shown
  }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: readonly LogRow[] = await store.look.log(operation, after, pageRows)
    for (const row of rows) {
      const name = JSON.stringify([row.run, row.step, row.stream])
      const { redactor } = streams.get(name) ?? { redactor: mask.open() }
      streams.set(name, { redactor, last: show(row, redactor.push(row.bytes)) })
    }
    after = rows.length < pageRows ? undefined : rows.at(-1)?.number
  }
  for (const { redactor, last } of streams.values()) show(last, Buffer.concat([last.bytes, redactor.end()]))
  const rows = [...changed.values()]
  if (rows.length > 0) await store.write((tx) => tx.rewriteLog(rows))
}
