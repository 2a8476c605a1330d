/** What a planted fault is. */
export interface Mutant {
  readonly name: string
  /** A guarantee that stands on several feet is gone only when all of them are. */
  readonly edits: readonly Edit[]
  /** The test that finds it, where the simulation does not get there. */
  readonly test?: string
  /** A seed that has found it, where the first few do not: it is lived before all others. */
  readonly seed?: number
}

export interface Edit {
  /** Below src. */
  readonly file: string
  readonly find: string
  readonly replace: string
}
