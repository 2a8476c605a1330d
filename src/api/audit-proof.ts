/** Checks audit records against anchors that were kept elsewhere, by their public key alone: no broker, no store. */
import { isSigned, sha256 } from '../kit/hash.ts'
import { canonical, isObject, type Json, type JsonObject } from '../kit/json.ts'
import { anchorText } from '../model/audit.ts'
import type { AuditAnchor, AuditRecord } from './audit.ts'

export interface AuditProof {
  readonly records: number
  readonly anchors: number
  /** The latest record that an anchor vouches for. */
  readonly anchored: number
  readonly publicKey: string
  /** What does not fit, in the order of the records. */
  readonly faults: readonly string[]
}

/** What a file says that was filled by a sink, a log, or `chandler audit list -o json`. */
export interface AuditEvidence {
  readonly records: readonly AuditRecord[]
  readonly anchors: readonly AuditAnchor[]
}

/** Reads a document or lines; what is before the first brace of a line, as syslog writes it, is passed over. */
export function readEvidence(text: string): AuditEvidence {
  const documents = documentsIn(text)
  return {
    records: documents.flatMap((one) => [one['record'], ...listIn(one)].filter(isRecord)),
    anchors: documents.flatMap((one) => [one['anchor'] as unknown].filter(isAnchor)),
  }
}

/** Holds records and anchors against each other. */
export function proveAudit({ records, anchors }: AuditEvidence, publicKey?: string): AuditProof {
  const signer = publicKey ?? anchors[0]?.publicKey ?? ''
  const unsigned = anchors.filter((anchor) => !isTrue(anchor, signer))
  const trusted = anchors.filter((anchor) => isTrue(anchor, signer))
  // A sink that failed half-way is given the same records again.
  const sorted = [
    ...new Map(records.map((record) => [`${record.seq} ${record.hash}`, record])).values(),
  ].toSorted((a, b) => a.seq - b.seq)
  const anchored = Math.max(0, ...trusted.map(({ seq }) => seq))
  return {
    records: sorted.length,
    anchors: trusted.length,
    anchored,
    publicKey: signer,
    faults: [
      ...unsigned.map(({ seq }) => `the anchor at record ${seq} is not signed by ${signer}`),
      ...faultsOfChain(sorted, trusted),
      ...faultsOfAnchors(sorted, trusted),
    ],
  }
}

function faultsOfChain(records: readonly AuditRecord[], anchors: readonly AuditAnchor[]): readonly string[] {
  const [first] = records
  if (first === undefined) return []
  const start = anchors.find(({ kind, seq }) => kind === 'retention' && seq === first.seq - 1)
  const begins = first.seq === 1 ? first.prev === '' : start?.hash === first.prev
  return [
    ...(begins
      ? []
      : [`records 1 to ${first.seq - 1} are missing, and no anchor says that they went for their age`]),
    ...records.flatMap((record, i) => {
      const fault = faultOf(record, records[i - 1])
      return fault === undefined ? [] : [fault]
    }),
  ]
}

function faultOf(record: AuditRecord, before: AuditRecord | undefined): string | undefined {
  const { hash, at, ...rest } = record
  const content = canonical({ ...rest, at: Date.parse(at) } as unknown as Json)
  if (sha256(record.prev + content) !== hash) return `record ${record.seq} was changed`
  if (before === undefined) return undefined
  if (record.seq === before.seq) return `there are two records ${record.seq}`
  if (record.seq !== before.seq + 1) return `records ${before.seq + 1} to ${record.seq - 1} are missing`
  return record.prev === before.hash ? undefined : `record ${record.seq} does not follow the one before it`
}

/** An anchor before the first record says nothing about those that are there. */
function faultsOfAnchors(
  records: readonly AuditRecord[],
  anchors: readonly AuditAnchor[],
): readonly string[] {
  const hashes = new Map(records.map(({ seq, hash }) => [seq, hash]))
  const [first, last] = [records[0]?.seq ?? 1, records.at(-1)?.seq ?? 0]
  return anchors.flatMap(({ seq, at, hash }) => {
    if (seq > last) return [`records ${last + 1} to ${seq} are missing: record ${seq} was anchored ${at}`]
    const found = hashes.get(seq)
    if (seq < first || found === undefined || found === hash) return []
    return [`record ${seq} is not the one that was anchored ${at}`]
  })
}

function isTrue(anchor: AuditAnchor, publicKey: string): boolean {
  if (anchor.publicKey !== publicKey) return false
  return isSigned(anchorText({ ...anchor, at: Date.parse(anchor.at) }), anchor.signature, publicKey)
}

function documentsIn(text: string): readonly JsonObject[] {
  const whole = parsed(text)
  if (whole !== undefined) return [whole]
  return text.split('\n').flatMap((line) => {
    const start = line.indexOf('{')
    const document = start === -1 ? undefined : parsed(line.slice(start))
    return document === undefined ? [] : [document]
  })
}

function parsed(text: string): JsonObject | undefined {
  try {
    const document: unknown = JSON.parse(text)
    return isObject(document) ? (document as JsonObject) : undefined
  } catch {
    return undefined
  }
}

function listIn({ items }: JsonObject): readonly unknown[] {
  return Array.isArray(items) ? items : []
}

function isRecord(value: unknown): value is AuditRecord {
  return hasFields(
    value,
    ['seq', 'number'],
    ['at', 'string'],
    ['prev', 'string'],
    ['hash', 'string'],
    ['action', 'string'],
  )
}

function isAnchor(value: unknown): value is AuditAnchor {
  const texts = ['at', 'hash', 'cluster', 'kind', 'publicKey', 'signature'] as const
  return hasFields(value, ['seq', 'number'], ...texts.map((name) => [name, 'string'] as const))
}

function hasFields(value: unknown, ...fields: readonly (readonly [string, string])[]): boolean {
  return isObject(value) && fields.every(([name, type]) => typeof value[name] === type)
}
