/** What is decided for tenants by command. An older program knows only what its configuration decides. */
import type { Migration } from './migration.ts'

export const tenantRules: Migration = {
  number: 12,
  name: 'tenant-rules',
  statements: [
    `CREATE TABLE tenant_rules (
      name text NOT NULL PRIMARY KEY,
      rule text NOT NULL,
      changed_at bigint NOT NULL
    )`,
  ],
}
