/** What an operation came to, as the command that stayed with it tells. */
import { orders } from '../broker/orders.ts'
import { present } from '../kit/present.ts'
import type { Operation } from '../model/operation.ts'
import type { BindingAnswer, Output } from '../model/outcome.ts'
import { describeProblem, type Problem } from '../model/problem.ts'
import type { LocalBroker } from './local-broker.ts'

export interface ActionRan {
  readonly operation: string
  readonly problems: readonly Problem[]
  readonly message?: string
  readonly binding?: BindingAnswer
  readonly outputs: readonly Output[]
}

/** Reads it where the operation has left it. */
export async function ranOf(house: LocalBroker, operation: Operation): Promise<ActionRan> {
  const { id, state, description } = operation
  const worked = state === 'succeeded'
  const binding = worked ? await answerOf(house, operation) : undefined
  return {
    operation: id,
    problems: worked ? [] : [problemOf(operation)],
    outputs: await outputsOf(house, operation),
    ...(worked && description !== undefined ? { message: description } : {}),
    ...present({ binding }),
  }
}

/** The code and the words that the operation ended with. */
function problemOf({ problem: code = 'operation.failed', description = '' }: Operation): Problem {
  const title = `${describeProblem({ code })}: `
  return { code, detail: description.startsWith(title) ? description.slice(title.length) : description }
}

async function answerOf(
  { store }: LocalBroker,
  { action, target: { binding, ...key } }: Operation,
): Promise<BindingAnswer | undefined> {
  if (action.kind !== 'bind' || binding === undefined) return undefined
  return orders.answer(store.look, { ...key, binding })
}

async function outputsOf(
  { store }: LocalBroker,
  { id, action, target }: Operation,
): Promise<readonly Output[]> {
  switch (action.kind) {
    case 'provision':
    case 'update':
      return orders.outputs(store.look, target)
    case 'invoke': {
      const result = await orders.result(store.look, target, action.name)
      return result?.operation === id ? result.outputs : []
    }
    case 'deprovision':
    case 'bind':
    case 'unbind':
      return []
  }
}
