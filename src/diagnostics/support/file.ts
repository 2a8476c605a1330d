/** What a support bundle is made of, and what was asked of it. */

export interface SupportFile {
  readonly name: string
  /** What it tells, for its readers. */
  readonly about: string
  readonly text: string
}

export interface SupportWish {
  /** What was ordered so long ago, or later, is told. */
  readonly sinceMs: number
  /** An operation of which everything is told. */
  readonly operation?: string
}

/** A document as a file. */
export function documentFile(name: string, about: string, document: unknown): SupportFile {
  return { name, about, text: `${JSON.stringify(document, null, 2)}\n` }
}
