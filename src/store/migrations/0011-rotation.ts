/**
 * Passwords of an account that stay valid for a while beside a new one, and indexes that tell of changes in a tenant. An
 * older program knows the new password only.
 */
import type { Migration } from './migration.ts'

export const rotation: Migration = {
  number: 11,
  name: 'rotation',
  statements: [
    `ALTER TABLE accounts ADD COLUMN former text NOT NULL DEFAULT '[]'`,
    'CREATE INDEX instances_changed ON instances (tenant, updated_at)',
    'CREATE INDEX operations_finished ON operations (tenant, finished_at) WHERE finished_at IS NOT NULL',
  ],
}
