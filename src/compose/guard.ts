/** What every request passes before it is served: the limits of the house, told in the words of its side. */
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { toApiProblem } from '../api/problem.ts'
import { type Answer, send, statusOf } from '../http/answer.ts'
import type { Limiter } from '../http/limiter.ts'
import type { Metrics } from '../http/metrics.ts'
import { echoing } from '../http/osb/headers.ts'
import { problemAnswer } from '../http/osb/problem.ts'
import { requestIdOf } from '../http/request-id.ts'
import { systemChance, systemClock } from '../kit/clock.ts'
import type { Problem } from '../model/problem.ts'

export type Side = 'osb' | 'operator'

/** A listener that serves what the limiter lets in. */
export function guarded(
  { limiter, metrics }: { readonly limiter: Limiter; readonly metrics: Metrics },
  side: Side,
  serve: RequestListener,
): RequestListener {
  return (request, response) => {
    const problem = limiter.enter(request, response)
    if (problem === undefined) {
      metrics.requestBegins()
      serve(request, response)
      return
    }
    metrics.rateLimited(side)
    // The body is not read: the connection ends with the answer.
    response.setHeader('Connection', 'close')
    const { headers } = request
    send(
      response,
      side === 'osb' ? echoing(headers, problemAnswer(problem, '')) : operatorAnswer(problem, headers),
    )
  }
}

function operatorAnswer(problem: Problem, headers: IncomingHttpHeaders): Answer {
  const requestId = requestIdOf(headers, { clock: systemClock, chance: systemChance })
  return {
    status: statusOf(problem),
    body: { ...toApiProblem(problem, requestId) },
    headers: { 'Retry-After': '1', 'X-Request-ID': requestId },
  }
}
