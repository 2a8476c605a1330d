/** What a language offers the fuzzer: generated documents with properties that hold for each, and attacks made by hand. */
import type { Chance } from './chance.ts'

export interface Topic {
  /** Makes one document, runs it, and answers which properties it breaks. */
  examine(chance: Chance): readonly Breach[]
  readonly attacks: readonly Attack[]
}

/** A property that does not hold for a document. */
export interface Breach {
  readonly property: string
  /** The input that shows it, ready to be pasted. */
  readonly input: string
  readonly why: string
}

/** An input made to crash the evaluation, to keep it busy or to eat memory. */
export interface Attack {
  readonly name: string
  /** Milliseconds after which the evaluation must have ended; a tenth more is tolerated. */
  readonly limitMs: number
  /** Answers how it ended; throws only where the library let something through that is no fault. */
  run(limitMs: number): string
}
