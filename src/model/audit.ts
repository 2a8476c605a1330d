/** Anchors of the audit chain: signed words about how far it went and how it ended there, kept where it cannot be changed. */
import type { Reach } from './access.ts'

export interface AuditAnchor {
  readonly cluster: string
  /** interval: set as the chain grows; retention: all up to this record was removed because of its age. */
  readonly kind: 'interval' | 'retention'
  readonly seq: number
  readonly at: number
  /** The hash of the record of this number. */
  readonly hash: string
  /** The Ed25519 key that signed it, and the signature over `anchorText`, both in Base64. */
  readonly publicKey: string
  readonly signature: string
}

/** What is signed of an anchor. */
export function anchorText({
  cluster,
  kind,
  seq,
  at,
  hash,
}: Omit<AuditAnchor, 'publicKey' | 'signature'>): string {
  return ['chandler-audit-anchor-1', cluster, kind, seq, at, hash].join('\n')
}

/** The record that a chain was continued although its end was not the one that had been written. */
export const continuedAction = 'audit.continued'

/** Which records are asked for. */
export interface AuditFilter {
  readonly object?: string
  readonly action?: string
  /** About what belongs to these tenants; absent: about everything. */
  readonly tenants?: Reach
  /** Before this number. */
  readonly before?: number
  readonly most: number
}
