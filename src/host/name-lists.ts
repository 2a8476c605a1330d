/** White and black lists of names: expressions of RE2 that are looked for anywhere in a name. */
import { compilePattern } from '../kit/pattern.ts'

/** Why a name does not pass, if so. */
export type Verdict = 'passes' | 'not-white' | 'black'

export interface NameLists {
  judge(name: string): Verdict
  /** Expressions that are none, with the reason; they count as if they were not there. */
  readonly faults: readonly string[]
}

/** Compiles the lists. Without a white list nothing passes, and a black list overrides a white one. */
export function nameLists(white: readonly string[], black: readonly string[]): NameLists {
  const faults: string[] = []
  const compile = (expressions: readonly string[]): readonly ((name: string) => boolean)[] =>
    expressions
      .filter((expression) => expression !== '')
      .flatMap((expression) => {
        const compiled = compilePattern(expression)
        if (compiled.kind === 'pattern') return [compiled.found]
        faults.push(`${expression}: ${compiled.message}`)
        return []
      })
  const [whites, blacks] = [compile(white), compile(black)]
  return {
    faults,
    judge: (name) => {
      if (!whites.some((found) => found(name))) return 'not-white'
      return blacks.some((found) => found(name)) ? 'black' : 'passes'
    },
  }
}
