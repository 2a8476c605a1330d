/** Routes of the audit trail: read it, and check that it is unchanged. */
import { AuditPage, AuditQuery, AuditVerdict, toAuditRecord } from '../../api/audit.ts'
import { readAudit, readAuditOf, verifyAudit } from '../../broker/audit.ts'
import { present } from '../../kit/present.ts'
import { refuseForeign } from './authorize.ts'
import { document, look, route } from './route.ts'

export const auditRoutes = [
  route({
    method: 'GET',
    url: '/audit',
    needs: 'read:audit',
    tag: 'audit',
    summary: 'Who did what to which object, with which result; of the tenants that the account may audit',
    audit: look,
    query: AuditQuery,
    answers: AuditPage,
    handle: async ({ query, tenants: reach }, { broker }) => {
      const { after = 0, limit: most = 50, latest, tenant, ...filter } = query
      if (tenant !== undefined) refuseForeign(reach, tenant)
      const tenants = tenant === undefined ? reach : [tenant]
      const isLatest =
        latest === true || tenant !== undefined || Object.values(filter).some((one) => one !== undefined)
      const records = isLatest
        ? await readAuditOf(broker.store, { ...filter, tenants, most })
        : await readAudit(broker.store, { after, most, tenants })
      const next = records.length === most ? records.at(-1)?.seq : undefined
      return document(present({ items: records.map(toAuditRecord), next }))
    },
  }),
  route({
    method: 'GET',
    url: '/audit/verify',
    needs: 'read:audit',
    everywhere: true,
    tag: 'audit',
    summary: 'Check the chain of hashes from the first record to the last',
    audit: look,
    answers: AuditVerdict,
    handle: async (_call, { broker }) => {
      const verdict = await verifyAudit(broker.store)
      return document({ ...verdict, publicKey: broker.store.look.auditKey() })
    },
  }),
]
