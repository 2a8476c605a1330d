/** What an operator lends of the host, given to the jobs of a plan. */
import type { Prepared } from '../contracts/contract.ts'
import type { Job } from '../model/job.ts'
import type { Plan } from '../model/package.ts'

/** A job with what its plan is lent; one without network needs nothing. */
export function withLent(job: Job, plan: Plan): Job {
  const { lent = [] } = plan.operator
  const { beforehand } = job
  if (lent.length === 0 || job.needs.network === 'none') return job
  const names = lent.flatMap(({ name, address }) => (name === undefined ? [] : { name, address }))
  return {
    ...job,
    lent: [...(job.lent ?? []), ...lent.map(({ address, port }) => ({ address, port }))],
    ...(beforehand && { beforehand: { ...beforehand, job: withLent(beforehand.job, plan) } }),
    ...(names.length === 0 ? {} : { hosts: [...(job.hosts ?? []), ...names] }),
  }
}

/** The same for what a contract has prepared. */
export function preparedWithLent(prepared: Prepared, plan: Plan): Prepared {
  return prepared.kind === 'job' ? { ...prepared, job: withLent(prepared.job, plan) } : prepared
}
