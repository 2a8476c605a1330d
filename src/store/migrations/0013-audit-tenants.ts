/**
 * Audit records carry the tenant of their object, and the hash covers it. Those of before carry none: they were chained
 * without. An older program would chain records without it, so it must not run beside this one.
 */
import type { Migration } from './migration.ts'

export const auditTenants: Migration = {
  number: 13,
  name: 'audit-tenants',
  statements: [
    'ALTER TABLE audit ADD COLUMN tenant text',
    'CREATE INDEX audit_tenant ON audit (tenant, seq) WHERE seq IS NOT NULL',
  ],
}
