/**
 * Audit records and the head of their chain carry a code that needs a key; anchors are kept, and how far each sink has
 * got. An older program would add records without a code, so it must not run beside this one.
 */
import type { Migration } from './migration.ts'

export const keyedAudit: Migration = {
  number: 4,
  name: 'keyed audit',
  statements: [
    'ALTER TABLE audit ADD COLUMN mac text',
    'ALTER TABLE audit_head ADD COLUMN mac text',
    `CREATE TABLE audit_anchors (
      number identity,
      kind text NOT NULL CHECK (kind IN ('interval', 'retention')),
      seq bigint NOT NULL,
      at bigint NOT NULL,
      hash text NOT NULL,
      signature text NOT NULL
    )`,
    'CREATE INDEX audit_anchors_seq ON audit_anchors (kind, seq)',
    `CREATE TABLE audit_sinks (
      name text NOT NULL PRIMARY KEY,
      record bigint NOT NULL,
      anchor bigint NOT NULL
    )`,
  ],
}
