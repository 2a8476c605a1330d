/** A file of SQLite remembers its time, so that the next start goes on from there. An older program leaves it alone. */
import type { Migration } from './migration.ts'

export const lastTime: Migration = {
  number: 6,
  name: 'last time',
  statements: [
    `CREATE TABLE last_time (
      one bigint NOT NULL PRIMARY KEY CHECK (one = 1),
      told bigint NOT NULL,
      boot text NOT NULL,
      since_boot bigint NOT NULL
    )`,
  ],
}
