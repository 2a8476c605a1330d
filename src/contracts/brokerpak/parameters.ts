/** Whether the parameters of a request may be taken at all, before anything is computed from them. */
import { type JsonObject, pointer } from '../../kit/json.ts'
import type { FaultPlace, Problem, ProblemError } from '../../model/problem.ts'
import type { Action } from '../../model/situation.ts'
import type { Circumstances } from './circumstances.ts'

type Code = ProblemError['problem']['code']

/** Problems: pak.parameters.plan-defined, .unknown, .prohibited; the first kind only, as the originals do. */
export function parameterProblems(around: Circumstances, action: Action): readonly Problem[] {
  const { definition, plan, options, situation } = around
  const sent = sentParameters(around, action)
  const names = Object.keys(sent).sort()
  const inputs = action.kind === 'bind' ? definition.bind.userInputs : definition.provision.userInputs
  const known = new Set([
    'vacant',
    ...inputs.map(({ name }) => name),
    ...(action.kind === 'bind' ? [] : definition.provision.importInputs.map(({ name }) => name)),
  ])
  if (options.unknownParameters === 'refuse' && options.strict !== 'v1') {
    const fixed = names.filter((name) => Object.hasOwn(plan.properties, name))
    if (fixed.length > 0)
      return problems('pak.parameters.plan-defined', 'plan defined properties cannot be changed', fixed)
    const unknown = names.filter((name) => !known.has(name))
    if (unknown.length > 0)
      return problems('pak.parameters.unknown', 'additional properties are not allowed', unknown)
  }
  if (action.kind !== 'update' || situation.before === undefined) return []
  const prohibited = inputs.filter(({ name, prohibitUpdate }) => prohibitUpdate && names.includes(name))
  const text = 'attempt to update parameter that may result in service instance re-creation and data loss'
  return prohibited.length === 0
    ? []
    : problems(
        'pak.parameters.prohibited',
        text,
        prohibited.map(({ name }) => name),
      )
}

/** What this request said. */
export function sentParameters({ situation }: Circumstances, action: Action): JsonObject {
  return action.kind === 'update' ? (situation.sent ?? {}) : situation.parameters
}

function problems(code: Code, text: string, names: readonly string[]): readonly Problem[] {
  const [first = ''] = names
  return [
    {
      code,
      detail: `${text}: ${names.join(', ')}`,
      where: { source: 'parameters', pointer: pointer('', first) },
    },
  ]
}

/** Where the faults of a validation lie: `size: must be …`, with dots between the names of deeper places. */
export function placesOf(faults: readonly string[]): readonly FaultPlace[] {
  return faults.flatMap((fault) => {
    const [, path, detail = ''] = /^([\w.-]+): (.*)$/s.exec(fault) ?? []
    return path === undefined ? [] : [{ pointer: `/${path.replaceAll('.', '/')}`, detail }]
  })
}
