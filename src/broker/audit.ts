/** Checks the audit trail: numbers without gaps, each record chained to the one before, nothing changed. */

import { sha256 } from '../kit/hash.ts'
import { canonical, type JsonObject } from '../kit/json.ts'
import type { Reach } from '../model/access.ts'
import type { AuditFilter } from '../model/audit.ts'
import { continuedAction } from '../model/audit.ts'
import type { AuditPoint, AuditRecord, Look, Store } from '../store/store.ts'

export interface AuditVerdict {
  readonly intact: boolean
  readonly records: number
  readonly firstBreak?: { readonly seq: number; readonly reason: string }
}

const batch = 1000

/** Records after a number, those of this moment included: what is not chained yet is chained first. */
export async function readAudit(
  store: Store,
  { after, most, tenants }: { readonly after: number; readonly most: number; readonly tenants: Reach },
): Promise<readonly AuditRecord[]> {
  await chainAll(store)
  return store.look.audit(after, most, tenants)
}

/** Records that fit, latest first, those of this moment included. */
export async function readAuditOf(store: Store, filter: AuditFilter): Promise<readonly AuditRecord[]> {
  await chainAll(store)
  return store.look.auditOf(filter)
}

async function chainAll(store: Store): Promise<void> {
  while ((await store.write((tx) => tx.chainAudit(batch))) === batch);
}

/** Walks the whole trail: from its first record, or the one behind what retention removed, to its end. */
export async function verifyAudit(store: Store): Promise<AuditVerdict> {
  await chainAll(store)
  return walk(store.look, 0)
}

/** The same of the latest records that have their number, without giving a number to others. */
export async function verifyLatestAudit(look: Look, most: number): Promise<AuditVerdict> {
  return walk(look, Math.max(0, (await look.auditHeight()) - most))
}

async function walk(look: Look, after: number): Promise<AuditVerdict> {
  // Before the records: what is chained meanwhile lies behind it.
  const head = await look.auditHead()
  const broken = (seq: number, reason: string): AuditVerdict => ({
    intact: false,
    records,
    firstBreak: { seq, reason },
  })
  let records = 0
  let before = await startOf(look, after)
  for (;;) {
    const page = await look.audit(Math.max(after, before.seq), batch)
    for (const record of page) {
      const reason = faultOf(record, before)
      if (reason !== undefined) return broken(Math.min(record.seq, before.seq + 1), reason)
      records++
      before = record
    }
    if (page.length === batch) continue
    const end = before.seq
    // Records cut off at the end leave nothing behind that does not fit.
    if (end < head.seq) return broken(end + 1, `records ${end + 1} to ${head.seq} are missing`)
    return head.isGenuine ? { intact: true, records } : broken(end, 'the end of the chain was changed')
  }
}

/** What the first record must follow: the one before it, what retention removed last, or nothing. */
async function startOf(look: Look, after: number): Promise<AuditPoint> {
  const retained = await look.auditRetained()
  if (retained !== undefined && retained.seq >= after) return retained
  const [found] = after === 0 ? [] : await look.audit(after - 1, 1)
  return found?.seq === after ? found : { seq: after, hash: '' }
}

/** What is wrong with a record, seen from the one before it. */
export function faultOf(record: AuditRecord, before: AuditPoint): string | undefined {
  const { hash, isGenuine, ...content } = record
  if (sha256(record.prev + canonical(content as unknown as JsonObject)) !== hash)
    return 'the record was changed'
  if (!isGenuine) return 'the record was not written by a holder of the key'
  if (record.action === continuedAction) return 'the chain goes on here behind an end that was changed'
  if (record.seq !== before.seq + 1) return `records ${before.seq + 1} to ${record.seq - 1} are missing`
  return record.prev === before.hash ? undefined : 'it does not follow the record before it'
}
