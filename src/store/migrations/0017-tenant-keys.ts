/**
 * Each tenant has a secret, with which what belongs to it is sealed from now on; what was sealed before stays as it is. An
 * older program cannot open what is sealed with one, so it must not run beside this one.
 */
import type { Migration } from './migration.ts'

export const tenantKeys: Migration = {
  number: 17,
  name: 'tenant-keys',
  statements: [
    `CREATE TABLE tenant_keys (
      tenant text NOT NULL PRIMARY KEY,
      id text NOT NULL,
      key_id text NOT NULL,
      body bytes NOT NULL
    )`,
    'CREATE INDEX tenant_keys_key ON tenant_keys (key_id)',
  ],
}
