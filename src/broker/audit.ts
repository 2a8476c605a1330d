/** Checks the audit trail: numbers without gaps, each record chained to the one before, nothing changed. */
import { sha256 } from '../kit/hash.ts'
import { canonical, type JsonObject } from '../kit/json.ts'
import type { AuditRecord, Look, Store } from '../store/store.ts'

export interface AuditVerdict {
  readonly intact: boolean
  readonly records: number
  readonly firstBreak?: { readonly seq: number; readonly reason: string }
}

const batch = 1000

/** Records after a number, those of this moment included: what is not chained yet is chained first. */
export async function readAudit(store: Store, after: number, most: number): Promise<readonly AuditRecord[]> {
  await chainAll(store)
  return store.look.audit(after, most)
}

async function chainAll(store: Store): Promise<void> {
  while ((await store.write((tx) => tx.chainAudit(batch))) === batch);
}

/** Walks the whole trail; the first record that is left after retention is the anchor. */
export async function verifyAudit(store: Store): Promise<AuditVerdict> {
  await chainAll(store)
  return walk(store.look)
}

/** The same of the latest records that have their number, without giving a number to others. */
export async function verifyLatestAudit(look: Look, most: number): Promise<AuditVerdict> {
  return walk(look, Math.max(0, (await look.auditHeight()) - most))
}

async function walk(look: Look, from = 0): Promise<AuditVerdict> {
  const height = await look.auditHeight()
  let before: AuditRecord | undefined
  let records = 0
  for (;;) {
    const page = await look.audit(before?.seq ?? from, batch)
    for (const record of page) {
      const reason = faultOf(record, before)
      if (reason !== undefined) return { intact: false, records, firstBreak: { seq: record.seq, reason } }
      records++
      before = record
    }
    if (page.length < batch) return endingOf(records, before, height)
  }
}

/** Who cuts off the end leaves nothing behind that does not fit. */
function endingOf(records: number, last: AuditRecord | undefined, height: number): AuditVerdict {
  if (last === undefined || last.seq >= height) return { intact: true, records }
  const reason = `records ${last.seq + 1} to ${height} are missing`
  return { intact: false, records, firstBreak: { seq: last.seq + 1, reason } }
}

/** What is wrong with a record, seen from the one before it. */
export function faultOf(record: AuditRecord, before: AuditRecord | undefined): string | undefined {
  const { hash, ...content } = record
  if (sha256(record.prev + canonical(content as unknown as JsonObject)) !== hash)
    return 'the record was changed'
  if (before === undefined) return undefined
  if (record.seq !== before.seq + 1) return `records ${before.seq + 1} to ${record.seq - 1} are missing`
  return record.prev === before.hash ? undefined : 'it does not follow the record before it'
}
