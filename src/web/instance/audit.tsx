/** The audit records of an instance. */
import type { InstanceDetail } from '../../api/instance.ts'
import { calls } from '../calls.ts'
import { auditOf } from '../first-asks.ts'
import { useLoaded } from '../load.ts'
import { AuditTable } from '../parts/audit-table.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { Paging } from '../parts/paging.tsx'
import { address } from '../router.ts'
import { send } from '../send.ts'

export function AuditTab({ detail: { id } }: { readonly detail: InstanceDetail }) {
  const { query } = address.value
  const list = useLoaded(`audit ${id} ${query.get('before')}`, (manner) =>
    send(calls.audit, { path: {}, query: auditOf(id, query), ...manner }),
  )
  if (list.value === undefined) return <NotYet of={list} />
  return (
    <>
      <AuditTable records={list.value.items} />
      <Paging name="before" next={list.value.next?.toString()} />
    </>
  )
}
