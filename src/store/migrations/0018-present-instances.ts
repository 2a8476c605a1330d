/** Finds what a tenant has now however much it had: quotas count it with each order, and erasing a key looks for it batch by batch. */
import type { Migration } from './migration.ts'

export const presentInstances: Migration = {
  number: 18,
  name: 'present-instances',
  statements: [`CREATE INDEX instances_present ON instances (tenant, id, platform) WHERE state <> 'gone'`],
}
