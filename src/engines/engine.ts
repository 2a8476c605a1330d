/** What an engine is: a place where jobs run. It knows nothing about contracts; the same run name is the same run. */
import type { Job } from '../model/job.ts'
import type { Problem } from '../model/problem.ts'
import type { Report } from '../model/report.ts'

/**
 * Deterministic: `chd-CLUSTER-OPERATION-STAGEaATTEMPT`, at most 63 characters of a-z, 0-9 and "-".
 * The engine's own uniqueness of names is the arbiter of which call starts a run.
 */
export type RunName = string

/** Written down by the worker before following; enough to find the run again, also for another process. */
export type Ticket = string

export interface Engine {
  readonly name: string
  readonly facts: EngineFacts
  /** It runs only the jobs of tenants that name it. */
  readonly reserved?: boolean
  /** What is wrong or missing on this host, each with its remedy; empty when all is well. */
  check(signal: AbortSignal): Promise<readonly Problem[]>
  /** Why this engine cannot run the job, if it cannot; asked before anything is accepted. */
  refuses(job: Job): Problem | undefined
  /**
   * Makes a run ready before there is an order, as far as that goes without what is late of its job. The next layout with
   * the same job, but for that, finds it done. Until it is started nothing has happened; if no layout comes, it is let go after a while.
   */
  anticipate?(run: Anticipated, signal: AbortSignal): Promise<void>
  /**
   * Lays out everything the run needs: image, inputs, folders. Idempotent by name.
   * The layout is the permission to start: without it the run can never start (again).
   * It belongs to the claim (the fence) that laid it out. A later claim takes over what has not been started;
   * an earlier one is refused with engine.layout-gone: a call that was on its way for long must not bring back
   * what has been discarded.
   */
  layOut(run: RunOrder, watch: Watch): Promise<void>
  /**
   * Starts the run at most once; starting it again is nothing.
   * Problem engine.layout-gone when it was discarded, or when its layout is of another fence.
   */
  start(run: RunStart): Promise<Ticket>
  /** The address under which runs with network reach this host; absent, or nothing: loopback, which they share. */
  reached?(): Promise<string | undefined>
  /** What there is under the name. */
  look(run: RunName): Promise<RunSight>
  /** Streams the log from where the listener stands and resolves when the run has ended and everything wanted was read. */
  follow(ticket: Ticket, watch: Watch): Promise<Report>
  /** Asks politely, then kills; resolves when the run is over. No error when it already is. */
  stop(run: RunName, graceSeconds: number): Promise<void>
  /** Destroys layout, run and everything else under the name; idempotent. */
  discard(run: RunName): Promise<void>
  /** All runs that carry the mark of the cluster, and those of which only the name is left, for the sweep. */
  list(cluster: string): Promise<readonly FoundRun[]>
  close(): Promise<void>
}

export interface RunStart {
  readonly name: RunName
  readonly fence: number
}

export interface Anticipated {
  readonly job: Job
  readonly cluster: string
}

export interface RunOrder {
  readonly name: RunName
  readonly job: Job
  /** Identity for labels: found again by the sweep, told apart from foreign objects. */
  readonly cluster: string
  readonly operation: string
  readonly fence: number
}

/** Named facts instead of asking for an engine's name. */
export interface EngineFacts {
  /** What a run is there. */
  readonly run: 'process' | 'container'
  /** Programs it can run. */
  readonly programs: readonly Job['program']['kind'][]
  /** Whether a run may have more than one step. */
  readonly severalSteps: boolean
  /** Whether runs go on when the broker dies. */
  readonly outlives: boolean
  readonly streamsApart: boolean
  readonly readOnlyMounts: boolean
  readonly folderLimit: 'hard' | 'checked' | 'none'
  readonly networkNone: boolean
  readonly memoryLimit: boolean
  readonly processLimit: boolean
  readonly processorLimit: boolean
  readonly cluster: readonly ('none' | 'stand-in' | 'real')[]
}

export type RunSight =
  | { readonly kind: 'absent' }
  | { readonly kind: 'laid-out' }
  | { readonly kind: 'started'; readonly ticket: Ticket }
  /** Found, but not ours. */
  | { readonly kind: 'foreign'; readonly detail: string }

export interface FoundRun {
  readonly name: RunName
  /** Absent where a process was killed over its layout or its removal: only the name is left. */
  readonly operation?: string
  /** Milliseconds since it was laid out. */
  readonly ageMs: number
}

export interface Watch {
  /** How many bytes of a stream of a step the listener already has: the engine goes on from there. */
  had(step: string, stream: LogPiece['stream']): number
  /** Takes the next piece of the log; the engine waits for it (backpressure). */
  log(piece: LogPiece): Promise<void>
  /** One line about what is under way: a pull, a step. */
  progress(text: string): void
  /** A file wanted while the program runs has a new version. */
  kept(name: string, bytes: Uint8Array): Promise<void>
  /** Stop following; the run goes on. */
  readonly signal: AbortSignal
}

export interface LogPiece {
  readonly stream: 'stdout' | 'stderr' | 'system'
  readonly step: string
  readonly bytes: Uint8Array
}
