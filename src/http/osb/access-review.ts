/** What a cluster says of its users, remembered for a moment. */
import type { Clock } from '../../kit/clock.ts'
import { fail, toProblem } from '../../model/problem.ts'

/** What a user must be allowed in the namespace of an order, as an authorizer of the cluster is asked for it. */
export interface AccessRule {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string
}

export interface ClusterUser {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

type Question = ClusterUser & { readonly attributes: AccessRule & { readonly namespace: string } }

interface Verdict {
  readonly isAllowed: boolean
  readonly reason: string
}

/** What the cluster says; remembered for a moment. Problem: request.review-away. */
export type ReviewAccess = (question: Question) => Promise<Verdict>

/** A right that was taken away counts no longer than that, and one that was just given is seen that soon. */
const allowedForMs = 10_000
const refusedForMs = 2_000
const knownMax = 5_000

/** Questions that are the same within a moment, or at the same time, are asked once. */
export function makeAccessReviews({
  ask,
  clock,
}: {
  readonly ask: (question: Question) => Promise<Verdict>
  readonly clock: Pick<Clock, 'monotonic'>
}): ReviewAccess {
  const known = new Map<string, { readonly verdict: Promise<Verdict>; until: number }>()
  return async (question) => {
    const key = JSON.stringify(question)
    const before = known.get(key)
    if (before !== undefined && clock.monotonic() < before.until) return before.verdict
    known.delete(key)
    const asked = { verdict: askedNow(ask, question), until: Number.POSITIVE_INFINITY }
    known.set(key, asked)
    if (known.size > knownMax) for (const oldest of known.keys().take(1)) known.delete(oldest)
    try {
      const { isAllowed } = await asked.verdict
      asked.until = clock.monotonic() + (isAllowed ? allowedForMs : refusedForMs)
    } catch {
      if (known.get(key) === asked) known.delete(key)
    }
    return asked.verdict
  }
}

/** Users of the platform read it: the kind of fault, and no address. */
function askedNow(ask: (question: Question) => Promise<Verdict>, question: Question): Promise<Verdict> {
  return ask(question).catch((cause: unknown) =>
    fail('request.review-away', `it gives no answer (${toProblem(cause).code})`, { cause }),
  )
}
