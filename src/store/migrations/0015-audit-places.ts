/**
 * Audit records tell the platform and instance of what they are about, and the hash covers them. Those of before carry none:
 * they were chained without. An older program would chain records without them, so it must not run beside this one.
 */
import type { Migration } from './migration.ts'

export const auditPlaces: Migration = {
  number: 15,
  name: 'audit-places',
  statements: [
    'ALTER TABLE audit ADD COLUMN object_platform text',
    'ALTER TABLE audit ADD COLUMN object_instance text',
    'CREATE INDEX audit_instance ON audit (object_instance, seq) WHERE object_instance IS NOT NULL',
  ],
}
