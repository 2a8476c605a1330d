/** What a run of the tests came to: by file, so that a file can be run again and its outcome exchanged. */

/** The environment variable with the file into which a run writes its outcome. */
export const outcomeVariable = 'CHANDLER_TEST_OUTCOME'

export interface FileOutcome {
  readonly file: string
  readonly passed: number
  /** The names of the tests that failed, and what failed outside a test. */
  readonly failed: readonly string[]
  readonly skipped: number
}

export interface RunOutcome {
  readonly files: readonly FileOutcome[]
  /** Errors that belong to no file. */
  readonly elsewhere: readonly string[]
}

export interface Sum {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export function addUp({ files, elsewhere }: RunOutcome): Sum {
  const sum = (count: (file: FileOutcome) => number) => files.reduce((all, file) => all + count(file), 0)
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed.length) + elsewhere.length,
    skipped: sum(({ skipped }) => skipped),
  }
}

export function closingLine({ passed, failed, skipped }: Sum): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

export function failedFiles({ files }: RunOutcome): readonly string[] {
  return files.filter(({ failed }) => failed.length > 0).map(({ file }) => file)
}

/** The outcome with these files' newer outcomes in place of their older ones. */
export function exchanged(outcome: RunOutcome, newer: RunOutcome): RunOutcome {
  const again = new Map(newer.files.map((one) => [one.file, one]))
  return {
    files: outcome.files.map((one) => again.get(one.file) ?? one),
    elsewhere: [...outcome.elsewhere, ...newer.elsewhere],
  }
}

/** A line for each test that failed. */
export function failureLines({ files, elsewhere }: RunOutcome): readonly string[] {
  return [
    ...files.flatMap(({ file, failed }) => failed.map((name) => `${file}: ${name}`)),
    ...elsewhere.map((message) => `outside every file: ${message}`),
  ]
}
