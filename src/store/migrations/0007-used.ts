/** What a run took of its host, as JSON. An older program leaves it empty. */
import type { Migration } from './migration.ts'

export const usedByRuns: Migration = {
  number: 7,
  name: 'used by runs',
  statements: ['ALTER TABLE runs ADD COLUMN used text'],
}
