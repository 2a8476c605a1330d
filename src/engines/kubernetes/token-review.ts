/** Asks a cluster whose a token is: the API server alone can say of a service account whether it still holds. */
import { isObject } from '../../kit/json.ts'
import { expectDone } from './client.ts'
import type { PlaceOptions } from './credentials.ts'
import { reachLater } from './reach.ts'

interface ReviewedToken {
  /** `system:serviceaccount:NAMESPACE:NAME`, or how else the cluster calls the caller. */
  readonly user: string
  /** Those of the asked ones that the token is for. */
  readonly audiences: readonly string[]
}

/** Undefined: the token is worth nothing there. Problems: engine.unavailable, engine.denied. */
type ReviewToken = (
  token: string,
  audiences: readonly string[],
  signal: AbortSignal,
) => Promise<ReviewedToken | undefined>

/** Finds its cluster with the first question. */
export function openTokenReviews(place: PlaceOptions): ReviewToken {
  const kube = reachLater(place)
  return async (token, audiences, signal) => {
    const answer = await (await kube()).ask({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, audiences },
      },
      signal,
    })
    expectDone(answer, 'ask whose a token is')
    return reviewedIn(answer.body['status'])
  }
}

function reviewedIn(status: unknown): ReviewedToken | undefined {
  if (!isObject(status) || status['authenticated'] !== true) return undefined
  const { user, audiences } = status
  const name = isObject(user) ? user['username'] : undefined
  if (typeof name !== 'string') return undefined
  const texts: readonly unknown[] = Array.isArray(audiences) ? audiences : []
  return { user: name, audiences: texts.filter((one) => typeof one === 'string') }
}
