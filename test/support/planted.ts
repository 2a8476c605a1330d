/** Mistakes that authors make, each planted in files that have none, and where a lint must tell it. */
import type { Problem } from '../../src/model/problem.ts'
import { problemCodes } from '../../src/model/problem-codes.ts'

export interface Planted {
  readonly file: string
  /** What stands there, and what the author wrote in its place. */
  readonly right: string | RegExp
  readonly wrong: string
  /** A line with this text is the one that is told; absent: the one that was changed. */
  readonly at?: string
  /** Of several lines with that text the last. */
  readonly last?: true
  /** The file that is told; absent: the one that was changed. */
  readonly told?: string
  readonly says: RegExp
  readonly fix: RegExp
}

export type Files = Readonly<Record<string, string>>

/** What a lint says of one thing. */
export interface ToldFault {
  readonly source: string
  readonly line: number | undefined
  readonly text: string
  readonly fix: string
}

/** A mistake in one of these files. */
type PlantedIn<F extends string> = Planted & { readonly file: F }

/** What a row of a table says, in order. */
type PlantedRow<F extends string> = readonly [
  right: string | RegExp,
  wrong: string,
  says: RegExp,
  fix: RegExp,
  more?: Partial<PlantedIn<F>>,
]

/** Makes mistakes of a file out of the rows of a table. */
export function plantedIn<F extends string>(file: F) {
  return (...[right, wrong, says, fix, more = {}]: PlantedRow<F>): PlantedIn<F> => ({
    ...{ file, right, wrong, says, fix },
    ...more,
  })
}

/** Problems and warnings as what a lint says. */
export function toldFaults(problems: readonly Problem[]): readonly ToldFault[] {
  return problems.map(({ code, where, detail = '', hint }) => ({
    source: where?.source ?? '',
    line: where?.line,
    text: detail,
    fix: hint ?? problemCodes[code].hint,
  }))
}

/** The files with the mistake. */
export function withMistake(wellMade: Files, { file, right, wrong }: Planted): Files {
  const before = wellMade[file] ?? ''
  const text = typeof right === 'string' ? before.replace(right, () => wrong) : before.replace(right, wrong)
  if (text === before) throw new Error(`nothing changed: ${String(right)}`)
  return { ...wellMade, [file]: text }
}

/** The first line that differs, unless the mistake names another. */
export function lineOf(wellMade: Files, mistake: Planted): number | undefined {
  const { file, at, last, told = file } = mistake
  const lines = (withMistake(wellMade, mistake)[told] ?? '').split('\n')
  if (at !== undefined) {
    const has = (line: string): boolean => line.includes(at)
    const found = last ? lines.findLastIndex(has) : lines.findIndex(has)
    return found < 0 ? undefined : found + 1
  }
  const before = (wellMade[told] ?? '').split('\n')
  return lines.findIndex((line, i) => line !== before[i]) + 1
}

/** What was said of a mistake, and what should have been, to be compared by a test; all that was said stands in `all`. */
export function judged(wellMade: Files, mistake: Planted, told: readonly ToldFault[]) {
  const fitting = told.find(({ text }) => mistake.says.test(text))
  const line = lineOf(wellMade, mistake) ?? fitting?.line ?? 'none'
  return {
    all: told.map(({ source, line: at, text, fix }) => `${source}:${at} ${text} | ${fix}`).join('\n'),
    fix: fitting?.fix,
    place: { source: fitting?.source, line: fitting?.line },
    expected: { source: mistake.told ?? mistake.file, line },
  }
}

/** What a row of a table is called. */
export function titleOf({ file, right, wrong }: Planted): string {
  return `${file}: ${String(right)} → ${wrong}`
}
