/** Secrets of clusters that hold what bindings give. An older program writes none, and removes none. */
import type { Migration } from './migration.ts'

export const deliveries: Migration = {
  number: 19,
  name: 'deliveries',
  statements: [
    `CREATE TABLE deliveries (
      platform text NOT NULL,
      instance text NOT NULL,
      binding text NOT NULL,
      namespace text NOT NULL,
      wish text NOT NULL,
      state text NOT NULL,
      problem text,
      failures bigint NOT NULL,
      due_at bigint NOT NULL,
      fence bigint NOT NULL,
      PRIMARY KEY (platform, instance, binding, namespace)
    )`,
    'CREATE INDEX deliveries_due ON deliveries (due_at)',
  ],
}
