/** What the engine saw of a run: how it ended, exits, captured streams, things brought back. */

export interface Report {
  readonly end: RunEnd
  /** One per step that was started. */
  readonly steps: readonly StepReport[]
  /** By the name of the want. */
  readonly got: ReadonlyMap<string, Got>
  /** The last lines of the log. */
  readonly logTail: string
  /** Milliseconds since 1970, by the engine's clock. */
  readonly startedAt: number
  readonly finishedAt: number
  /** What a reader of the log should know: a link ignored, a limit reached. */
  readonly notes: readonly string[]
  readonly used?: Used
}

/** What a run took of its host; what the host does not count is absent. */
export interface Used {
  /** The most at any time. */
  readonly memoryBytes?: number
  readonly processorMs?: number
  /** The most that was seen of what it wrote. */
  readonly diskBytes?: number
  /** All that it printed, also what was left out of its log. */
  readonly logBytes?: number
}

/** The report of a run that nothing is known of but its end. */
export function emptyReport(end: RunEnd, now: number): Report {
  return { end, steps: [], got: new Map(), logTail: '', startedAt: now, finishedAt: now, notes: [] }
}

export type RunEnd =
  | { readonly kind: 'finished' }
  /** The image could not be pulled, the program not be started. */
  | { readonly kind: 'not-started'; readonly detail: string }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'stopped' }
  /** A limit ended it. */
  | { readonly kind: 'limit'; readonly limit: 'memory' | 'stdout' | 'disk' }
  /** The run vanished; how it ended is unknown. */
  | { readonly kind: 'lost' }

export interface StepReport {
  readonly name: string
  /** Exit status; 128+n after signal n. */
  readonly exit: number
  /** Where stdout was captured. */
  readonly stdout?: Uint8Array
}

export type Got =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'files'; readonly files: readonly GotFile[] }
  | ClusterObjects
  | { readonly kind: 'missing' }
  | { readonly kind: 'too-large'; readonly bytes: number }

/** What a program left in its sandbox of a cluster. */
export interface ClusterObjects {
  readonly kind: 'cluster-objects'
  /** Of a real cluster: what it made in its target is there and nowhere else. */
  readonly real?: true
  /** Data of the Secret that is named like its pod. */
  readonly secret?: Readonly<Record<string, Uint8Array>>
  /** Data of the ConfigMap that is named like its pod. */
  readonly state?: Readonly<Record<string, string>>
  /** Annotations of its pod. */
  readonly annotations: Readonly<Record<string, string>>
  /** What a stand-in holds of the target namespace, for the next run. */
  readonly objects?: Uint8Array
  /** What it asked for that a stand-in does not have, as `apps/v1 deployments`. */
  readonly unserved: readonly string[]
}

export interface GotFile {
  /** Relative to the wanted folder. */
  readonly path: string
  readonly bytes: number
  readonly mode: number
  /** Absent when over a limit. */
  readonly content?: Uint8Array
}
