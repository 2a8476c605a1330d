/** The thin layer over a database: SQL texts with `?`, values, rows; two drivers answer it. */

export type Value = string | number | null | Uint8Array

export type Row = Readonly<Record<string, Value | undefined>>

/** Somewhere statements are sent to: the readers' side, or one open transaction. */
export interface Session {
  readonly dialect: Dialect
  /** The database's time, milliseconds since 1970; in a transaction that of its beginning, or later. */
  now(): Promise<number>
  /** How the clock behind this time was set forward, latest last; none where the time has no steps. */
  steps(): readonly ForwardStep[]
  get(text: string, ...values: readonly Value[]): Promise<Row | undefined>
  all(text: string, ...values: readonly Value[]): Promise<readonly Row[]>
  /** Answers how many rows were changed. */
  run(text: string, ...values: readonly Value[]): Promise<number>
  /** Sends a change whose failure may show as late as the commit: over a network it is not waited for. */
  send(text: string, ...values: readonly Value[]): Promise<void>
}

/** A clock was set forward. */
export interface ForwardStep {
  /** What it would have told then. */
  readonly at: number
  readonly ms: number
}

/** How far the clock was set forward since a time that it told: so much less has passed. */
export function skippedSince(steps: readonly ForwardStep[], began: number): number {
  return steps.reduce((sum, { at, ms }) => (began <= at ? sum + ms : sum), 0)
}

/** The few words in which the two databases differ. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** A parameter holding a JSON list of texts, as a subquery. */
  readonly list: string
  /** Appended to a select that locks its rows. */
  readonly forUpdate: string
  /** The same for rows that others may have locked: those are left out. */
  readonly skipLocked: string
  /** Appended to a select that keeps its row `k` from being deleted; several transactions may do that at once. */
  readonly shareKey: string
}

/** What one group of statements wants to tell others once it is committed. */
export type Work<T> = (session: Session) => Promise<T>

/** loose: a power cut may take it, but never what is committed firmly later without it. */
export type Durability = 'firm' | 'loose'

export interface Manner {
  readonly how?: Durability
  /** The one thing all of it is about: it may share its transaction with works about other things. */
  readonly about?: string
}

export interface Database {
  readonly reader: Session
  /** One transaction: all of it or nothing; repeated when the database asks for it. */
  write<T>(work: Work<T>, manner?: Manner): Promise<T>
  /** Resolves when a power cut can take nothing any more of what was committed before. */
  settled(): Promise<void>
  /** Whether a transaction can be committed. */
  probe(): Promise<void>
  /** Reads all of it, where it is a file of ours. Problems: store.corrupt. */
  verify(): Promise<void>
  /** How many connections of a pool write at the moment. */
  busy(): number
  /**
   * Sends a text to all processes once this transaction is committed. Boarding: those here are told at once
   * where what they write then can still join it, and sees what it wrote.
   */
  notify(session: Session, text: string, when: 'committed' | 'boarding'): void
  onNotice(listener: (text: string) => void): void
  backup(file: string): Promise<void>
  close(): Promise<void>
}
