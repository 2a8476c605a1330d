/** Collects what a contract may know when the work on an operation starts. */
import type { OperationOrder } from '../broker/orders.ts'
import type { Ports } from '../broker/ports.ts'
import { situationOf } from '../broker/situation.ts'
import type { Contract } from '../contracts/contract.ts'
import type { Operation } from '../model/operation.ts'
import type { Situation } from '../model/situation.ts'
import { type Facts, factsOf } from './facts.ts'
import type { Notes } from './notes.ts'

export interface Assembled {
  readonly contract: Contract
  readonly order: OperationOrder
  readonly situation: Situation
}

/** The contract, the order and the situation of an operation. */
export async function assemble(ports: Ports, operation: Operation, notes: Notes): Promise<Assembled> {
  const [facts, now] = await Promise.all([notedFacts(ports, operation, notes), ports.store.look.now()])
  const { order, knowledge } = facts
  const { offer } = knowledge
  const situation = situationOf({
    ...knowledge,
    operation: { id: operation.id, stage: operation.stage, attempt: operation.attempt },
    infrastructure: await ports.infrastructure(offer, { key: operation.target, look: ports.store.look }),
    now,
    chance: ports.chance,
  })
  return { contract: ports.contract(offer.package.contract), order, situation }
}

/** The facts of an operation, read once per lease and stage. */
export async function notedFacts(ports: Ports, operation: Operation, notes: Notes): Promise<Facts> {
  const facts = notes.facts ?? (await factsOf(ports, operation))
  notes.facts = facts
  notes.format = facts.knowledge.offer.package.contract
  return facts
}
