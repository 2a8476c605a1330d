/** Packages that authors offer to their own tenants. An older program offers none of them. */
import type { Migration } from './migration.ts'

export const sandbox: Migration = {
  number: 14,
  name: 'sandbox',
  statements: [
    `CREATE TABLE sandbox_packages (
      tenant text NOT NULL,
      name text NOT NULL,
      reference text NOT NULL,
      contract text,
      shared_with text NOT NULL,
      account text NOT NULL,
      changed_at bigint NOT NULL,
      PRIMARY KEY (tenant, name)
    )`,
  ],
}
