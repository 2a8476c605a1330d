/** Collects what a contract may know when the work on an operation starts. */
import type { OperationOrder } from '../broker/orders.ts'
import type { Ports } from '../broker/ports.ts'
import { situationOf } from '../broker/situation.ts'
import type { Contract } from '../contracts/contract.ts'
import type { Operation } from '../model/operation.ts'
import type { Situation } from '../model/situation.ts'
import { factsOf } from './facts.ts'
import type { Notes } from './notes.ts'

export interface Assembled {
  readonly contract: Contract
  readonly order: OperationOrder
  readonly situation: Situation
}

/** The contract, the order and the situation of an operation. */
export async function assemble(ports: Ports, operation: Operation, notes: Notes): Promise<Assembled> {
  const [facts, now] = await Promise.all([notes.facts ?? factsOf(ports, operation), ports.store.look.now()])
  notes.facts = facts
  const { order, knowledge } = facts
  const { offer } = knowledge
  const situation = situationOf({
    ...knowledge,
    operation: { id: operation.id, stage: operation.stage, attempt: operation.attempt },
    infrastructure: ports.infrastructure(offer),
    now,
    chance: ports.chance,
  })
  return { contract: ports.contract(offer.package.contract), order, situation }
}
