/** Routes of the audit trail: read it, and check that it is unchanged. */
import { AuditPage, AuditQuery, AuditVerdict, toAuditRecord } from '../../api/audit.ts'
import { readAudit, readAuditOf, verifyAudit } from '../../broker/audit.ts'
import { present } from '../../kit/present.ts'
import { document, look, route } from './route.ts'

export const auditRoutes = [
  route({
    method: 'GET',
    url: '/audit',
    needs: 'read:audit',
    tag: 'audit',
    summary: 'Who did what to which object, with which result',
    audit: look,
    query: AuditQuery,
    answers: AuditPage,
    handle: async ({ query }, { broker }) => {
      const { after = 0, limit = 50, latest, ...filter } = query
      const isLatest = latest === true || Object.values(filter).some((one) => one !== undefined)
      const records = isLatest
        ? await readAuditOf(broker.store, { ...filter, most: limit })
        : await readAudit(broker.store, after, limit)
      const next = records.length === limit ? records.at(-1)?.seq : undefined
      return document(present({ items: records.map(toAuditRecord), next }))
    },
  }),
  route({
    method: 'GET',
    url: '/audit/verify',
    needs: 'read:audit',
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
