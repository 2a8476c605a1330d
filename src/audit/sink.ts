/** Where audit records and anchors go besides the store. */
import type { AuditAnchor, AuditRecord } from '../api/audit.ts'

/** One line of a sink, as `chandler audit verify --anchors` reads it. */
export type AuditLine = { readonly record: AuditRecord } | { readonly anchor: AuditAnchor }

export interface AuditSink {
  /** What its progress is kept under; it goes on from there when it is used again. */
  readonly name: string
  /** Whether it takes records, too, or only anchors. */
  readonly records: boolean
  /** Resolves when they are where they should be; after a failure they come again, those that had arrived included. */
  take(lines: readonly AuditLine[]): Promise<void>
}
