/** Why is it not done? One sentence, from the rows alone. */
import { hasEnded, type Operation } from '../model/operation.ts'
import type { Look } from '../store/store.ts'

/** What an operation waits for, since when, and what ends it. */
export async function why(look: Look, operation: Operation): Promise<string> {
  const now = await look.now()
  const { state, reason } = operation
  if (hasEnded(state)) return `${state}: ${operation.description ?? reason}`
  const since = (await look.history(operation.id)).at(-1)?.at ?? operation.createdAt
  const limit = `it ends at the latest ${ago(operation.deadlineAt - now)} from now`
  const lasting = `since ${ago(now - since)}`
  if (operation.forceAt !== undefined) {
    const rest = operation.forceAt - now
    return `${state}: ${reason}; ${rest > 0 ? `in ${ago(rest)}` : 'now'} it is ended with what its run has left`
  }
  if (operation.cancelRequestedAt !== undefined)
    return `${state}: a cancel was asked for ${ago(now - operation.cancelRequestedAt)} ago; ${reason} (${limit})`
  if (state === 'quarantined')
    return `held back after three unexpected faults, ${lasting}; release or cancel it (${limit})`
  const blocker =
    operation.blockedBy && state === 'queued' ? await look.operation(operation.blockedBy) : undefined
  if (blocker && !hasEnded(blocker.state))
    return `waits for ${blocker.action.kind} ${blocker.id} to end (${blocker.state}: ${blocker.reason}), ${lasting} (${limit})`
  if (operation.runAfter > now) return `${reason}; tried again in ${ago(operation.runAfter - now)} (${limit})`
  if (state === 'queued') return `waits for a free worker, ${lasting} (${limit})`
  const owner =
    operation.lease && operation.lease.until > now
      ? `on node ${operation.lease.owner}`
      : 'without a live owner; another node takes over at once'
  return `${state} ${owner}: ${reason}, ${lasting} (${limit})`
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
