/** A problem as platforms read it: the error words and sentences that their client libraries compare. */
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import { type ProblemCode, problemCodes } from '../../model/problem-codes.ts'
import { type Answer, sentences, statusOf } from '../answer.ts'

/** Matched by clients; never used inside. */
const words: Partial<Record<ProblemCode, string>> = {
  'instance.async-required': 'AsyncRequired',
  'instance.busy': 'ConcurrencyError',
  'binding.requires-app': 'RequiresApp',
  'instance.maintenance-conflict': 'MaintenanceInfoConflict',
  'instance.plan-change-refused': 'PlanChangeNotSupported',
  'broker.quota': 'QuotaExceeded',
  'broker.frozen': 'MaintenanceMode',
  'request.too-many': 'TooManyRequests',
}

/** These sentences are compared letter by letter, so nothing is added to them. */
const exact: ReadonlySet<ProblemCode> = new Set([
  'instance.async-required',
  'instance.busy',
  'binding.requires-app',
  'instance.maintenance-conflict',
])

export interface Judgement {
  readonly usable?: boolean
  readonly repeatable?: boolean
}

/** The answer to a request that met a problem. */
export function problemAnswer(problem: Problem, reference: string, judgement: Judgement = {}): Answer {
  const word = words[problem.code]
  const description = exact.has(problem.code)
    ? problemCodes[problem.code].title
    : describe(problem, reference)
  const repeatable = problem.code === 'instance.plan-change-refused' ? false : judgement.repeatable
  return {
    status: statusOf(problem),
    body: {
      ...present({ error: word }),
      description,
      ...present({ instance_usable: judgement.usable, update_repeatable: repeatable }),
      hint: hintOf(problem),
    },
    headers: headersOf(problem),
  }
}

function describe(problem: Problem, reference: string): string {
  // Users of the platform read this: where the store is and what it said is not for them.
  if (problem.code === 'store.unavailable') return `${problemCodes[problem.code].title}; try again later`
  if (problem.code !== 'internal.unexpected') return sentences(problem)
  return `${sentences(problem)} (reference ${reference})`
}

/** Platforms show the description alone; the hint is for people that look at the answer, and for clients that know it. */
function hintOf({ code, hint = problemCodes[code].hint }: Problem): string {
  return code === 'store.unavailable' ? 'Send it again later.' : hint
}

function headersOf({ code }: Problem): Readonly<Record<string, string>> {
  if (code === 'request.unauthenticated')
    return { 'WWW-Authenticate': 'Basic realm="chandler", charset="UTF-8"' }
  return statusOf({ code }) === 429 || code === 'store.unavailable' ? { 'Retry-After': '5' } : {}
}
