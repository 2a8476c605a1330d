/** What an operation was ordered with, as people may see it. */
import type { JsonObject } from '../kit/json.ts'
import type { Operation } from '../model/operation.ts'
import type { Look } from '../store/store.ts'
import { offerOf } from './offering.ts'
import { orders } from './orders.ts'
import { shownParameters } from './parameters.ts'

/** Without what any schema of the package marks as secret; undefined where it takes none, or nothing is known any more. */
export async function orderedParameters(look: Look, operation: Operation): Promise<JsonObject | undefined> {
  const { action } = operation
  if (action.kind === 'deprovision' || action.kind === 'unbind') return undefined
  const order = await orders.operation(look, operation.id)
  if (order === undefined) return undefined
  const { plan, package: pkg } = await offerOf(look, order)
  const { create, update, bind } = plan.schemas
  const own = pkg.actions.map(({ parameters }) => parameters)
  return shownParameters(order.parameters, create, update, bind, ...own)
}
