/** What people look for in lists, and the sessions they ended. An older program leaves both alone. */
import type { Migration } from './migration.ts'

export const pagesForPeople: Migration = {
  number: 8,
  name: 'pages for people',
  statements: [
    'CREATE TABLE ended_sessions (id text NOT NULL PRIMARY KEY, until bigint NOT NULL)',
    'CREATE INDEX audit_object ON audit (object_id, seq)',
    'CREATE INDEX audit_action ON audit (action, seq)',
    'CREATE INDEX bindings_id ON bindings (id)',
    'CREATE INDEX instances_updated ON instances (updated_at, id, platform)',
  ],
}
