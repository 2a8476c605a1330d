/** Decides in a transaction; what another process has to find out is never waited for inside of it. */
import type { Contract, Prepared } from '../contracts/contract.ts'
import { encode } from '../kit/codec.ts'
import { sha256 } from '../kit/hash.ts'
import { fail } from '../model/problem.ts'
import type { Action, Situation } from '../model/situation.ts'
import type { Transaction } from '../store/store.ts'
import { preparedWithLent } from './lent.ts'
import type { Ports } from './ports.ts'

/** How often what a rehearsal was made of may have changed while it was made. */
const roundsMax = 10

/** An action has to be rehearsed before this transaction can decide. */
class NotRehearsed extends Error {
  readonly asked: Asked
  constructor(asked: Asked) {
    super('an action is not rehearsed yet')
    this.asked = asked
  }
}

interface Asked {
  readonly contract: string
  readonly action: Action
  readonly situation: Situation
}

/**
 * Runs a verb in a transaction. Where its rehearsal is made in another process the transaction is left, the answer
 * awaited, and everything decided again with it: writers of SQLite share one transaction, which must not be held for seconds.
 * Problems: instance.busy.
 */
export async function decided<T>(
  ports: Ports,
  decide: (tx: Transaction, ports: Ports) => Promise<T>,
): Promise<T> {
  const { apart } = ports
  if (apart === undefined) return ports.store.write((tx) => decide(tx, ports))
  const rehearsals = new Map<string, Prepared>()
  const inside: Ports = {
    ...ports,
    apart: async (contract, action, situation) => {
      const asked = { contract, action, situation }
      const known = rehearsals.get(nameOf(asked))
      if (known === undefined) throw new NotRehearsed(asked)
      return known
    },
  }
  for (let round = 0; round < roundsMax; round++) {
    try {
      return await ports.store.write((tx) => decide(tx, inside))
    } catch (error) {
      if (!(error instanceof NotRehearsed)) throw error
      const { contract, action, situation } = error.asked
      rehearsals.set(nameOf(error.asked), await apart(contract, action, situation))
    }
  }
  return fail('instance.busy')
}

/** The same for the same question; time passes between two transactions, and a package is known by its digest. */
function nameOf({ contract, action, situation }: Asked): string {
  const { now: _now, random: _random, package: pkg, ...rest } = situation
  return sha256(encode({ contract, action, digest: pkg.digest, ...rest }))
}

/** Prepares an action: here, or in another process where the contract evaluates programs of packages. */
export async function prepare(
  { apart }: Pick<Ports, 'apart'>,
  contract: Contract,
  action: Action,
  situation: Situation,
): Promise<Prepared> {
  const elsewhere = contract.evaluates ? apart : undefined
  const prepared =
    elsewhere === undefined
      ? contract.prepare(action, situation)
      : await elsewhere(contract.name, action, situation)
  return preparedWithLent(prepared, situation.plan)
}
