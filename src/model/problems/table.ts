/** The shape of a list of problems: what happened, what to do, and how the edges say it. */

export interface ProblemKind {
  /** The fact, without values. */
  readonly title: string
  /** What to do, in the imperative. */
  readonly hint: string
  readonly status: number
  readonly exit: number
}

export type ProblemTable = Readonly<Record<string, ProblemKind>>
