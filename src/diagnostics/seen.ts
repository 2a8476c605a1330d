/** What doctor is told about one part of the house. */
import type { Problem } from '../model/problem.ts'

/** What a broker works with all the same, and operators should look at. */
export interface Advice {
  readonly what: string
  readonly fix: string
}

export interface Seen {
  readonly id: string
  readonly what: string
  /** Empty when all is well. */
  readonly problems: readonly Problem[]
  readonly advice?: readonly Advice[]
}
