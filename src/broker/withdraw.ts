/** Stops what was ordered before: what never began ends here and now, what may have begun is asked to stop. */
import type { Target } from '../model/instance.ts'
import type { Operation } from '../model/operation.ts'
import type { Transaction } from '../store/store.ts'
import { requestCancel } from './begin.ts'
import type { Ports } from './ports.ts'
import { lockForEnd, settle } from './settle.ts'

/** Answers the operation that whatever follows has to wait for. */
export async function withdraw(
  tx: Transaction,
  ports: Ports,
  what: { readonly operation: string; readonly target: Target; readonly reason: string },
): Promise<string | undefined> {
  const { operation: id, target, reason } = what
  const locked = await lockForEnd(tx, id, target)
  if (locked === undefined || !neverBegan(locked.operation)) {
    await requestCancel(tx, ports, id, { reason: `cancelled: ${reason}` })
    return id
  }
  const { fence, blockedBy } = locked.operation
  const problem = { code: 'operation.cancelled', detail: reason } as const
  const ending = { state: 'cancelled', outcome: { problems: [problem] } } as const
  await settle(tx, ports, { ...locked, held: { fence }, ran: false }, ending)
  return blockedBy
}

/** It waits behind another, and it was never claimed. */
function neverBegan({ state, blockedBy, fence }: Operation): boolean {
  return state === 'queued' && blockedBy !== undefined && fence === 0
}
