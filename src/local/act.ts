/** One action on an instance of this machine, from its order to its end. */
import type { Listener } from '../host/workshop.ts'
import { carryOut } from './carry-out.ts'
import type { LocalBroker } from './local-broker.ts'
import { forgetInstance, type LocalOrder, order } from './order.ts'
import { type ActionRan, ranOf } from './ran.ts'

/** Orders it and stays with it. Problems: those of ordering; a failed operation is an answer with problems. */
export async function act(house: LocalBroker, wish: LocalOrder, listener: Listener): Promise<ActionRan> {
  return stayWith(house, await order(house, wish), { instance: wish.instance }, listener)
}

/** Stays with an operation that was ordered before. */
export async function stayWith(
  house: LocalBroker,
  id: string,
  { instance }: { readonly instance?: string },
  listener: Listener,
): Promise<ActionRan> {
  const operation = await carryOut(house, id, listener)
  const ran = await ranOf(house, operation)
  // An action without state ran on a record of its own, which goes with it.
  if (instance !== undefined && operation.target.instance !== instance)
    await forgetInstance(house, operation.target.instance)
  return ran
}

/** For what clears away: that the rest was stopped does not stop it. */
export function takingDown(listener: Listener): Listener {
  return { ...listener, signal: new AbortController().signal }
}
