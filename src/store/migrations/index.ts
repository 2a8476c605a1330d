/** All steps of the schema, in order. */
import { firstTables } from './0001-first-tables.ts'
import { auditTimes } from './0002-audit-times.ts'
import { nodeKeys } from './0003-node-keys.ts'
import { keyedAudit } from './0004-keyed-audit.ts'
import { forcedEnds } from './0005-forced-ends.ts'
import { lastTime } from './0006-last-time.ts'
import { usedByRuns } from './0007-used.ts'
import { pagesForPeople } from './0008-pages-for-people.ts'
import { tenants } from './0009-tenants.ts'
import { accounts } from './0010-accounts.ts'
import { rotation } from './0011-rotation.ts'
import { tenantRules } from './0012-tenant-rules.ts'
import { auditTenants } from './0013-audit-tenants.ts'
import { sandbox } from './0014-sandbox.ts'
import { auditPlaces } from './0015-audit-places.ts'
import { traces } from './0016-traces.ts'
import { tenantKeys } from './0017-tenant-keys.ts'
import { presentInstances } from './0018-present-instances.ts'
import { deliveries } from './0019-deliveries.ts'
import type { Migration } from './migration.ts'

export const migrations: readonly Migration[] = [
  firstTables,
  auditTimes,
  nodeKeys,
  keyedAudit,
  forcedEnds,
  lastTime,
  usedByRuns,
  pagesForPeople,
  tenants,
  accounts,
  rotation,
  tenantRules,
  auditTenants,
  sandbox,
  auditPlaces,
  traces,
  tenantKeys,
  presentInstances,
  deliveries,
]
