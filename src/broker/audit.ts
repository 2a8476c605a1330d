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

async function walk(look: Look): Promise<AuditVerdict> {
  let before: AuditRecord | undefined
  let records = 0
  for (;;) {
    const page = await look.audit(before?.seq ?? 0, batch)
    for (const record of page) {
      const reason = faultOf(record, before)
      if (reason !== undefined) return { intact: false, records, firstBreak: { seq: record.seq, reason } }
      records++
      before = record
    }
    if (page.length < batch) return { intact: true, records }
  }
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
