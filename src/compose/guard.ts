/** What every request passes before it is served: the limits of the house, told in the words of its side. */
import type { RequestListener } from 'node:http'
import { toApiProblem } from '../api/problem.ts'
import { send, statusOf } from '../http/answer.ts'
import type { Limiter } from '../http/limiter.ts'
import type { Metrics } from '../http/metrics.ts'
import { problemAnswer } from '../http/osb/problem.ts'
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
    send(response, side === 'osb' ? problemAnswer(problem, '') : operatorAnswer(problem))
  }
}

function operatorAnswer(problem: Problem) {
  return { status: statusOf(problem), body: toApiProblem(problem), headers: { 'Retry-After': '1' } }
}
