/** A problem as the operator API says it: what, where, why, what to do, and the request it belongs to. */
import { Type } from 'typebox'
import { present } from '../kit/present.ts'
import { describeProblem, type Problem as ModelProblem } from '../model/problem.ts'
import { problemCodes } from '../model/problem-codes.ts'
import type { Of } from './words.ts'

const Where = Type.Object({
  source: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer()),
  pointer: Type.Optional(Type.String({ description: 'JSON pointer into the document.' })),
})

const Fault = {
  code: Type.String({ description: 'Stable for ever; docs/problems.md lists them.' }),
  title: Type.String(),
  detail: Type.Optional(Type.String()),
  where: Type.Optional(Where),
  places: Type.Optional(
    Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
      description:
        'Where in the parameters the faults lie, when the detail tells of several in one sentence.',
    }),
  ),
  hint: Type.Optional(Type.String({ description: 'What to do.' })),
}

export const Problem = Type.Object(
  {
    ...Fault,
    message: Type.String({ description: 'One sentence for people.' }),
    requestId: Type.Optional(Type.String()),
    others: Type.Optional(Type.Array(Type.Object(Fault))),
  },
  { title: 'Problem', description: 'What went wrong; also the body of every refused request.' },
)
export type Problem = Of<typeof Problem>

/** A problem in the words of the API; its cause stays in the house. */
export function toApiProblem(problem: ModelProblem, requestId?: string): Problem {
  return present({
    ...faultOf(problem),
    message: describeProblem(problem),
    requestId,
    others: problem.others?.map(faultOf),
  })
}

function faultOf(problem: ModelProblem) {
  const { title, hint } = problemCodes[problem.code]
  return present({
    code: problem.code,
    title,
    detail: problem.detail,
    where: problem.where,
    places: problem.places,
    hint: problem.hint ?? hint,
  })
}
