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

/** One place that is broken. */
export function broken(name: string, file: string, [find, replace]: readonly [string, string]): Mutant {
  return { name, edits: [{ file, find, replace }] }
}

/** Found by a test that is named, and not by the simulation. */
export function brokenFor(test: string, mutant: Mutant): Mutant {
  return { ...mutant, test }
}
