/** Nodes tell the key they seal with. An older program reads and writes on: it knows nothing of the column. */
import type { Migration } from './migration.ts'

export const nodeKeys: Migration = {
  number: 3,
  name: 'node keys',
  statements: ['ALTER TABLE nodes ADD COLUMN active_key text'],
}
