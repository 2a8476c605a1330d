/** What a driver of another tool is told of the run of an operation. */
import { orders } from '../../broker/orders.ts'
import { openLedger, orderIn, stageRun, stagesOf } from '../../contracts/cnab/index.ts'
import { fail, failAll } from '../../model/problem.ts'
import { ownerOfInstance } from '../../model/sealed.ts'
import type { Store } from '../../store/store.ts'
import type { RunAbout } from './command-driver.ts'

/** Prepared once more, from what the store has of it. Problems: operation.unknown, those of preparing. */
export async function runAboutOf({ look }: Store, id: string): Promise<RunAbout> {
  const [operation, kept] = await Promise.all([look.operation(id), orders.operation(look, id)])
  if (operation === undefined || kept === undefined) return fail('operation.unknown', id)
  const order = orderIn(kept.parameters)
  const ledger = openLedger(await orders.carryover(look, ownerOfInstance(operation.target)))
  const planned = stagesOf(order, ledger, id)
  if (planned.kind === 'refused') return failAll(planned.problems)
  const stage = planned.stages[operation.stage] ?? fail('operation.unknown', id)
  const run = stageRun(order, ledger, stage, { id, stage: operation.stage })
  if (run.kind === 'refused') return failAll(run.problems)
  return { bundle: stage.bundle, claim: run.claim }
}
