/** The end of the audit chain: its last number and hash, in a row of its own that only a holder of the key can write. */
import type { AuditKeys } from './audit-keys.ts'
import type { Session } from './database.ts'
import { maybeText, number, text } from './row.ts'

/** Where the chain ends, as its row says. */
export interface AuditHead {
  readonly seq: number
  readonly hash: string
  /** Whether it was written by a holder of the key. */
  readonly isGenuine: boolean
}

/** Reads the end of the chain; `lock` is appended to the question. */
export async function readHead(session: Session, keys: AuditKeys, lock = ''): Promise<AuditHead> {
  const row = await session.get(`SELECT seq, hash, mac FROM audit_head WHERE one = 1${lock}`)
  if (row === undefined) return { seq: 0, hash: '', isGenuine: false }
  const head = { seq: number(row, 'seq'), hash: text(row, 'hash') }
  return { ...head, isGenuine: keys.isMac(headText(keys, head), maybeText(row, 'mac')) }
}

/** Writes the end of the chain down. */
export async function writeHead(
  session: Session,
  keys: AuditKeys,
  head: Pick<AuditHead, 'seq' | 'hash'>,
): Promise<void> {
  await session.send(
    `INSERT INTO audit_head (one, seq, hash, mac) VALUES (1, ?, ?, ?)
      ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, mac = excluded.mac`,
    head.seq,
    head.hash,
    keys.mac(headText(keys, head)),
  )
}

function headText({ cluster }: AuditKeys, { seq, hash }: Pick<AuditHead, 'seq' | 'hash'>): string {
  return `head\n${cluster}\n${seq}\n${hash}`
}
