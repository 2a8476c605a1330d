/** A problem that came over the wire, back in the words of the house. */
import type { Problem as ApiProblem } from '../api/problem.ts'
import { isObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Problem } from '../model/problem.ts'
import { type ProblemCode, problemCodes } from '../model/problem-codes.ts'

/** A code we do not know becomes the one that its status suggests, its words kept. */
export function problemFrom(document: unknown, status: number): Problem {
  if (!isObject(document)) return { code: codeOfStatus(status), detail: `the answer is ${status}` }
  const { code, detail, where, hint, others, message } = document as Partial<ApiProblem>
  const known = code !== undefined && Object.hasOwn(problemCodes, code)
  const words = known ? detail : (detail ?? message ?? `the answer is ${status}`)
  return {
    code: known ? (code as ProblemCode) : codeOfStatus(status),
    ...present({ detail: words, where, hint }),
    ...(others === undefined ? {} : { others: others.map((one) => problemFrom(one, status)) }),
  }
}

function codeOfStatus(status: number): ProblemCode {
  switch (status) {
    case 401:
      return 'request.unauthenticated'
    case 403:
      return 'request.forbidden'
    case 404:
      return 'request.unknown-path'
    case 429:
      return 'request.too-many'
    default:
      return status < 500 ? 'request.malformed' : 'internal.unexpected'
  }
}
