/**
 * Instances and operations have a tenant. Those of before get the one that an order of the same organisation and space
 * gets now. An older program leaves it empty, which is a tenant of its own.
 */
import type { Migration } from './migration.ts'

const placed = `platform || CASE WHEN organization = '' THEN '' ELSE '/' || organization END
  || CASE WHEN space = '' THEN '' ELSE '/' || space END`

export const tenants: Migration = {
  number: 9,
  name: 'tenants',
  statements: [
    `ALTER TABLE instances ADD COLUMN tenant text NOT NULL DEFAULT ''`,
    `ALTER TABLE operations ADD COLUMN tenant text NOT NULL DEFAULT ''`,
    `UPDATE instances SET tenant = ${placed}`,
    `UPDATE operations SET tenant = coalesce((SELECT i.tenant FROM instances i
      WHERE i.platform = operations.platform AND i.id = operations.instance), platform)`,
    'CREATE INDEX instances_tenant ON instances (tenant, id, platform)',
    'CREATE INDEX operations_tenant ON operations (tenant, id)',
  ],
}
