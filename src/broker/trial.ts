/** Whether an order would be taken: a verb decides as it always does, and nothing of it is kept. */
import type { Problem } from '../model/problem.ts'
import { ProblemError } from '../model/problem.ts'
import type { Store, WriteManner } from '../store/store.ts'
import type { Ports } from './ports.ts'

/** Ends the transaction of a trial so that it leaves nothing. */
class NothingKept extends Error {
  readonly answer: unknown
  constructor(answer: unknown) {
    super('only a trial')
    this.answer = answer
  }
}

/** What would refuse the order, if anything would. */
export async function tried(
  ports: Ports,
  order: (within: Ports) => Promise<unknown>,
): Promise<Problem | undefined> {
  try {
    await order({ ...ports, store: forgetting(ports.store), began() {}, accepted() {} })
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}

function forgetting(store: Store): Store {
  return {
    ...store,
    async write<T>(work: Parameters<typeof store.write<T>>[0], manner?: WriteManner): Promise<T> {
      try {
        return await store.write<T>(async (tx) => {
          throw new NothingKept(await work(tx))
        }, manner)
      } catch (error) {
        if (error instanceof NothingKept) return error.answer as T
        throw error
      }
    },
  }
}
