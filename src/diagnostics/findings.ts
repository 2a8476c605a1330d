/** Findings of doctor from what was seen of the parts of a house. */
import type { Finding } from '../api/findings.ts'
import { describeProblem, type Problem } from '../model/problem.ts'
import { type ProblemCode, problemCodes } from '../model/problem-codes.ts'
import type { Seen } from './seen.ts'

/** What a broker works with all the same, on this host as it is. */
const bearable: ReadonlySet<string> = new Set<ProblemCode>([
  'store.locked',
  'engine.not-enforced',
  'engine.runtime-missing',
  'engine.network-shared',
])

function isBearable({ code }: Problem): boolean {
  return bearable.has(code)
}

/** What is well of a part, then what must be fixed, then what should be looked at. */
export function findingsOf({ id, problems, what, advice = [] }: Seen): readonly Finding[] {
  const findings = problems.map((problem) => findingOf(id, isBearable(problem) ? 'warn' : 'fail', problem))
  const warnings = advice.map((one): Finding => ({ id, state: 'warn', ...one }))
  const isWell = problems.every(isBearable) && what !== ''
  return [...(isWell ? [{ id, state: 'ok', what } as const] : []), ...findings, ...warnings]
}

export function findingOf(id: string, state: 'warn' | 'fail', problem: Problem): Finding {
  return { id, state, what: describeProblem(problem), fix: problem.hint ?? problemCodes[problem.code].hint }
}
