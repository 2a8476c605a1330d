/** The one shape of everything that goes wrong: what, where, why, and what to do. */
import { type ProblemCode, problemCodes } from './problem-codes.ts'

export interface Place {
  /** The file, document or request the problem lies in. */
  readonly source?: string
  readonly line?: number
  readonly column?: number
  /** JSON pointer into the document. */
  readonly pointer?: string
}

export interface Problem {
  /** Stable for ever. */
  readonly code: ProblemCode
  /** What exactly; values shortened and free of secrets. */
  readonly detail?: string
  readonly where?: Place
  /** Where in the parameters those faults lie that the detail tells of in one sentence, as the package's contract words it. */
  readonly places?: readonly FaultPlace[]
  /** Only to say it better than the code's own hint. */
  readonly hint?: string
  /** Further problems of the same document. */
  readonly others?: readonly Problem[]
  /** For the log; never leaves the house. */
  readonly cause?: unknown
}

export interface FaultPlace {
  readonly pointer: string
  readonly detail: string
}

/** The one error that is thrown; carries a problem. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly problem: Problem
  constructor(problem: Problem) {
    super(describeProblem(problem), problem.cause === undefined ? {} : { cause: problem.cause })
    this.problem = problem
  }
}

/** Throws a problem from an expression. */
export function fail(code: ProblemCode, detail?: string, more: Omit<Problem, 'code' | 'detail'> = {}): never {
  throw new ProblemError({ code, ...(detail === undefined ? {} : { detail }), ...more })
}

/** One sentence for people: the title, where, and what exactly. */
export function describeProblem(problem: Problem): string {
  const place = describePlace(problem.where)
  const title = problemCodes[problem.code].title.replace(/\.$/, '')
  const facts = [place, problem.detail].filter((part) => part !== undefined && part !== '').join(': ')
  return facts === '' ? title : `${title}: ${facts}`
}

/** "file.yml line 3, /plans/0", or nothing. */
export function describePlace(where: Place | undefined): string | undefined {
  if (where === undefined) return undefined
  const line =
    where.line === undefined
      ? ''
      : `line ${where.line}${where.column === undefined ? '' : `:${where.column}`}`
  const document = [where.source, line].filter((part) => part !== undefined && part !== '').join(' ')
  return [document, where.pointer].filter((part) => part !== undefined && part !== '').join(', ') || undefined
}

/** The first problem with the rest as its others: how a whole list is thrown at once. */
export function gather(problems: readonly [Problem, ...Problem[]]): Problem {
  const [first, ...rest] = problems
  return rest.length === 0 ? first : { ...first, others: [...(first.others ?? []), ...rest] }
}

/** Throws all of them at once, if there are any. */
/** The problems of a gathered one, each by itself. */
export function apart({ others = [], ...first }: Problem): readonly [Problem, ...Problem[]] {
  return [first, ...others]
}

export function failAll(problems: readonly [Problem, ...Problem[]]): never
export function failAll(problems: readonly Problem[]): void
export function failAll(problems: readonly Problem[]): void {
  const [first, ...rest] = problems
  if (first) throw new ProblemError(gather([first, ...rest]))
}

/** Turns whatever was thrown into a problem; what is not ours becomes "unexpected" with its cause for the log. */
export function toProblem(error: unknown): Problem {
  return error instanceof ProblemError ? error.problem : { code: 'internal.unexpected', cause: error }
}
