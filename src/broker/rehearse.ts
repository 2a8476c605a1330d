/** Lets the contract refuse before anything is accepted; what it prepared is thrown away. */
import type { Prepared } from '../contracts/contract.ts'
import { gather, ProblemError } from '../model/problem.ts'
import type { Action } from '../model/situation.ts'
import { jobWithin, ruled } from '../model/tenant-rule.ts'
import type { Transaction } from '../store/store.ts'
import { prepare } from './decide.ts'
import { maskedProblem } from './masked.ts'
import type { Asker } from './orders.ts'
import type { Ports } from './ports.ts'
import { maskFor } from './secrets.ts'
import { type Knowledge, situationOf } from './situation.ts'

/** What a verb knows of the action it is about to order. */
export type Rehearsal = Pick<
  Knowledge,
  'offer' | 'instance' | 'order' | 'parameters' | 'carryover' | 'binding' | 'sent' | 'before'
> & { readonly action: Action; readonly tenant: string }

/** Throws what the contract or every engine would refuse. */
export async function rehearse(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  { action, tenant, ...known }: Rehearsal,
): Promise<Prepared> {
  const situation = situationOf({
    ...known,
    operation: { id: 'rehearsal', stage: 0, attempt: 1 },
    ...(asker.requester ? { requester: asker.requester } : {}),
    infrastructure: await ports.infrastructure(known.offer, { key: known.instance, look: tx }),
    now: await tx.now(),
    chance: ports.chance,
  })
  const contract = ports.contract(known.offer.package.contract)
  const prepared = await prepare(ports, contract, action, situation)
  if (prepared.kind === 'refused')
    throw new ProblemError(maskedProblem(gather(prepared.problems), maskFor(situation, {})))
  const { tenants = [] } = ports.policy()
  const refusal =
    prepared.kind === 'job'
      ? ports.refuses(jobWithin(tenants, tenant, prepared.job), ruled(tenants, tenant, 'engine'))
      : undefined
  if (refusal) throw new ProblemError(refusal)
  return prepared
}

/** The dashboard address that a prepared action promises. */
export function dashboardOf(prepared: Prepared): string | undefined {
  if (prepared.kind === 'job') return prepared.dashboardUrl
  return prepared.kind === 'nothing-to-run' ? prepared.outcome.dashboardUrl : undefined
}
