/** Repetitions of one refusal are one record. An older program reads and writes on: it knows nothing of the column. */
import type { Migration } from './migration.ts'

export const auditTimes: Migration = {
  number: 2,
  name: 'audit times',
  statements: ['ALTER TABLE audit ADD COLUMN times bigint'],
}
