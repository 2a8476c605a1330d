/** What the project decides about a recorded case: why, and what comes out instead. */
import type { Case } from './judge.ts'

export interface Decision {
  readonly reason: Reason
  readonly outcome: Partial<Case>
}

export interface Reason {
  readonly why: string
  /** Words of docs/languages/spiff.md that tell users of it. */
  readonly told: string
}

const nothing = { result: undefined, yaml: undefined, error: undefined, failing: undefined, expected: undefined } as unknown as Partial<Case>
export const yields = (yaml: string): Partial<Case> => ({ ...nothing, yaml })
export const fails: Partial<Case> = { ...nothing, error: true }
