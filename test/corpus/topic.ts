/** What a corpus topic offers the runner: its case files and a verdict per case. */

export interface Verdict {
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped; may span lines. */
  readonly why?: string
  /** An allowed answer that is not the preferred one. */
  readonly warning?: string
}

export interface Topic {
  /** The folders or files run when none are named, relative to the project. */
  readonly home: readonly string[]
  run(files: readonly string[], options: ReadonlyMap<string, string>): AsyncIterable<Verdict>
}
