/** Operators may force an operation to end. An older program works on: it leaves the column alone. */
import type { Migration } from './migration.ts'

export const forcedEnds: Migration = {
  number: 5,
  name: 'forced ends',
  statements: [
    'ALTER TABLE operations ADD COLUMN force_at bigint',
    'CREATE INDEX operations_forced ON operations (force_at) WHERE ended = 0 AND force_at IS NOT NULL',
  ],
}
