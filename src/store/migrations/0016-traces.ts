/** The spans that those of an operation's work link to. An older program leaves them as they are. */
import type { Migration } from './migration.ts'

export const traces: Migration = {
  number: 16,
  name: 'traces',
  statements: ['ALTER TABLE operations ADD COLUMN traces text'],
}
