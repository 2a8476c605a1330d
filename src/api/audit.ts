/** The audit trail as operators read it. */
import { Type } from 'typebox'
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { AuditAnchor as Anchor, AuditObject } from '../model/audit.ts'
import { Free, Moment, moment, type Of, PageQuery } from './words.ts'

export const AuditRecord = Type.Object(
  {
    seq: Type.Integer(),
    at: Moment,
    actor: Type.Object({
      kind: Type.Union([
        Type.Literal('platform'),
        Type.Literal('user'),
        Type.Literal('token'),
        Type.Literal('system'),
      ]),
      id: Type.String(),
      identity: Type.Optional(Free),
      location: Type.Optional(Type.String({ description: 'The Cloud Controller that the request named.' })),
    }),
    action: Type.String({ examples: ['instance.provision'] }),
    object: Type.Object({
      kind: Type.String(),
      id: Type.String(),
      platform: Type.Optional(
        Type.String({
          description: 'Of an instance or binding: the platform it belongs to. Records of 0.1.0 lack it.',
        }),
      ),
      instance: Type.Optional(Type.String({ description: 'Of a binding: its instance.' })),
    }),
    tenant: Type.Optional(
      Type.String({ description: 'Of the object; absent where it is of the broker as a whole.' }),
    ),
    decision: Type.Union([Type.Literal('allowed'), Type.Literal('denied')]),
    result: Type.Union([Type.Literal('started'), Type.Literal('succeeded'), Type.Literal('failed')]),
    code: Type.Optional(Type.String()),
    requestId: Type.String(),
    source: Type.Optional(Type.String()),
    node: Type.String(),
    times: Type.Optional(
      Type.Integer({ description: 'How often it happened since the record before it of the same kind.' }),
    ),
    prev: Type.String({ description: 'Hash of the record before it.' }),
    hash: Type.String({ description: 'SHA-256 over `prev` and the canonical JSON of the rest.' }),
  },
  { title: 'AuditRecord' },
)
export type AuditRecord = Of<typeof AuditRecord>

export const AuditPage = Type.Object({
  items: Type.Array(AuditRecord),
  next: Type.Optional(
    Type.Integer({ description: '`after` of the following page; `before`, where the latest are first.' }),
  ),
})
export type AuditPage = Of<typeof AuditPage>

export const AuditQuery = Type.Object({
  limit: PageQuery.limit,
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'Records after this number.' })),
  latest: Type.Optional(
    Type.Boolean({ description: 'The latest first; with `object`, `action` or `tenant` in any case.' }),
  ),
  before: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Records before this number, the latest first.' }),
  ),
  object: Type.Optional(
    Type.String({ description: 'About the thing of this id; of an instance, also about its bindings.' }),
  ),
  action: Type.Optional(Type.String({ description: 'Of this deed.' })),
  tenant: Type.Optional(Type.String({ description: 'About what belongs to this tenant.' })),
})
export type AuditQuery = Of<typeof AuditQuery>

export const AuditVerdict = Type.Object(
  {
    intact: Type.Boolean(),
    records: Type.Integer(),
    firstBreak: Type.Optional(Type.Object({ seq: Type.Integer(), reason: Type.String() })),
    publicKey: Type.String({ description: 'The Ed25519 key that anchors are signed with, in Base64.' }),
  },
  { title: 'AuditVerdict' },
)
export type AuditVerdict = Of<typeof AuditVerdict>

interface Recorded {
  readonly seq: number
  readonly at: number
  readonly actor: {
    readonly kind: 'platform' | 'user' | 'token' | 'system'
    readonly id: string
    readonly identity?: JsonObject
  }
  readonly action: string
  readonly object: AuditObject
  readonly tenant?: string
  readonly decision: 'allowed' | 'denied'
  readonly result: 'started' | 'succeeded' | 'failed'
  readonly code?: string
  readonly requestId: string
  readonly source?: string
  readonly node: string
  readonly times?: number
  readonly prev: string
  readonly hash: string
}

export function toAuditRecord(record: Recorded): AuditRecord {
  const { seq, actor, action, object, tenant, decision, result, code, requestId, source, node, times } =
    record
  const { prev, hash } = record
  return present({
    seq,
    at: moment(record.at),
    actor,
    action,
    object,
    tenant,
    decision,
    result,
    code,
    requestId,
    source,
    node,
    times,
    prev,
    hash,
  })
}

/** An anchor as the log and the sinks carry it. */
export interface AuditAnchor extends Omit<Anchor, 'at'> {
  readonly at: string
}

export function toAuditAnchor(anchor: Anchor): AuditAnchor {
  return { ...anchor, at: moment(anchor.at) }
}
