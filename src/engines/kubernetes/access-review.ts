/** Asks a cluster what one of its users may do there: its own authorizers answer, whatever they are. */
import { isObject } from '../../kit/json.ts'
import { expectDone } from './client.ts'
import type { PlaceOptions } from './credentials.ts'
import { reachLater } from './reach.ts'

/** What the cluster is asked: the user as a platform of the cluster names it, and what that user would do. */
interface AccessQuestion {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
  readonly attributes: {
    readonly namespace: string
    readonly verb: string
    readonly group: string
    readonly resource: string
    readonly subresource?: string
  }
}

interface AccessVerdict {
  readonly isAllowed: boolean
  /** In the words of the cluster; may be empty. */
  readonly reason: string
}

/** Problems: engine.unavailable, engine.denied. */
type ReviewAccess = (question: AccessQuestion, signal: AbortSignal) => Promise<AccessVerdict>

/** Finds its cluster with the first question. */
export function openAccessReviews(place: PlaceOptions): ReviewAccess {
  const kube = reachLater(place)
  return async ({ attributes, ...user }, signal) => {
    const answer = await (await kube()).ask({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { ...user, resourceAttributes: attributes },
      },
      signal,
    })
    expectDone(answer, 'ask what a user may do')
    return verdictIn(answer.body['status'])
  }
}

/** What no authorizer allows is not allowed; `denied` only says that no other one may allow it. */
function verdictIn(status: unknown): AccessVerdict {
  if (!isObject(status)) return { isAllowed: false, reason: '' }
  const { allowed, denied, reason, evaluationError } = status
  const told = [reason, evaluationError].find((one) => typeof one === 'string' && one !== '')
  return { isAllowed: allowed === true && denied !== true, reason: String(told ?? '') }
}
