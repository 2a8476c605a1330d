/** How a failed command speaks: what, why, what to do, and the exit code of the problem. */
import { present } from '../kit/present.ts'
import { describePlace, describeProblem, type Problem } from '../model/problem.ts'
import { problemCodes } from '../model/problem-codes.ts'
import { coloured, say } from './terminal.ts'

/** Says a problem on standard error and answers its exit code. */
export function tell(problem: Problem, form: 'text' | 'json', debug: boolean): number {
  const { title, hint, exit } = problemCodes[problem.code]
  if (form === 'json') say(JSON.stringify({ apiVersion: 'chandler/v1', error: plain(problem) }))
  else {
    const bold = (word: string) => coloured('stderr', 'red', word)
    say(`${bold('error:')} ${title.replace(/\.$/, '')} (${problem.code})`)
    for (const cause of causes(problem)) say(`cause: ${cause}`)
    say(`hint: ${problem.others === undefined ? (problem.hint ?? hint) : hint}`)
    if (debug && problem.cause !== undefined) say(stackOf(problem.cause))
  }
  return exit
}

/** A warning on one line, with what to do where that is special to it. */
export function warningLine(problem: Problem): string {
  return `warning: ${describeProblem(problem)}${remedy(problem.hint)}`
}

/** Of several, each says what to do about it, where that is not said for all. */
function causes(problem: Problem): readonly string[] {
  const { others } = problem
  const forAll = problemCodes[problem.code].hint
  return [problem, ...(others ?? [])].flatMap(({ where, detail, hint }) => {
    const text = [describePlace(where), detail].filter((part) => part !== undefined && part !== '').join(': ')
    return text === '' ? [] : [`${text}${others === undefined || hint === forAll ? '' : remedy(hint)}`]
  })
}

function remedy(hint: string | undefined): string {
  return hint === undefined ? '' : ` - ${hint}`
}

function plain({ code, detail, where, hint, others }: Problem): Readonly<Record<string, unknown>> {
  return {
    code,
    title: problemCodes[code].title,
    ...present({ detail, where }),
    hint: hint ?? problemCodes[code].hint,
    ...(others === undefined ? {} : { others: others.map(plain) }),
  }
}

function stackOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
