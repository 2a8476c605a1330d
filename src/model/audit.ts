/** Anchors of the audit chain: signed words about how far it went and how it ended there, kept where it cannot be changed. */
import type { Reach } from './access.ts'
import type { Target } from './instance.ts'

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

/** What was done something to. Ids of instances and bindings are chosen by platforms, so each is one only where it lies. */
export interface AuditObject {
  readonly kind: string
  readonly id: string
  /** Of an instance or binding: the platform that it belongs to. Records of earlier releases lack it. */
  readonly platform?: string
  /** Of a binding: its instance. */
  readonly instance?: string
}

/** An instance or binding as the object of a record. */
export function auditObjectOf({ platform, instance, binding }: Target): AuditObject {
  return binding === undefined
    ? { kind: 'instance', id: instance, platform }
    : { kind: 'binding', id: binding, platform, instance }
}

/** The record that a chain was continued although its end was not the one that had been written. */
export const continuedAction = 'audit.continued'

/** Which records are asked for. */
export interface AuditFilter {
  /** About the thing of this id, or a binding of the instance of this id. */
  readonly object?: string
  readonly action?: string
  /** About what belongs to these tenants; absent: about everything. */
  readonly tenants?: Reach
  /** Before this number. */
  readonly before?: number
  readonly most: number
}
