/** Accounts that are kept here, and tokens. An older program knows neither: who has one cannot log in there. */
import type { Migration } from './migration.ts'

export const accounts: Migration = {
  number: 10,
  name: 'accounts',
  statements: [
    `CREATE TABLE accounts (
      name text NOT NULL PRIMARY KEY,
      kind text NOT NULL CHECK (kind IN ('platform', 'user')),
      password_hash text NOT NULL,
      grants text NOT NULL,
      tenant text,
      sessions_ended bigint NOT NULL,
      created_at bigint NOT NULL,
      changed_at bigint NOT NULL
    )`,
    `CREATE TABLE tokens (
      id text NOT NULL PRIMARY KEY,
      name text NOT NULL,
      account text NOT NULL,
      digest text NOT NULL,
      grants text NOT NULL,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      used_at bigint
    )`,
    'CREATE UNIQUE INDEX tokens_digest ON tokens (digest)',
    'CREATE INDEX tokens_account ON tokens (account, id)',
    'CREATE INDEX tokens_expires ON tokens (expires_at)',
  ],
}
