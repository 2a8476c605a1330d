/** What a packaging contract is: data in, data out. Only engines, artifacts and the store touch the world. */
import type { JsonObject } from '../kit/json.ts'
import type { Artifact } from '../model/artifact.ts'
import type { Job } from '../model/job.ts'
import type { Carryover, Outcome } from '../model/outcome.ts'
import type { Package, Plan } from '../model/package.ts'
import type { Problem } from '../model/problem.ts'
import type { Report } from '../model/report.ts'
import type { Action, Situation } from '../model/situation.ts'

export interface Contract {
  readonly name: string
  /** Whether an artifact looks like one of this contract. Certain beats likely. */
  recognise(artifact: Artifact): Recognition
  /** A file that may describe an image from beside it; absent: images describe themselves. */
  readonly description?: Description
  /** Reads a package, or asks to run it first so that it can describe itself; all problems at once. */
  read(artifact: Artifact, request: ReadRequest): Promise<Reading>
  /** Fits a plan to what its operator decided: what users may send, and what is wrong with the operator's own values. */
  offer?(pkg: Package, plan: Plan): PlanFit
  /** Digests of what was kept when a package was read and its runs need; absent: nothing. */
  keeps?(pkg: Package): readonly string[]
  /** What the runs of a plan would each do first and may be done before there is an order; absent: nothing. */
  foresee?(offered: Offered): readonly Job[]
  /**
   * Preparing evaluates programs that packages hold, which may take long or never end: a broker has it done in a process of
   * its own, with a deadline and a bound of memory. Absent: it only computes.
   */
  readonly evaluates?: true
  /** What its runs ask of an engine beside running an image in one step; absent: nothing. */
  readonly asks?: Asks
  /** What must be run for an action. Called at admission to refuse early, and again when the work starts. */
  prepare(action: Action, situation: Situation): Prepared
  /** What a run means; called for failed runs, too. */
  conclude(action: Action, situation: Situation, report: Report): Conclusion
  /** Whether an update that asks for nothing has something to do all the same; absent: never. */
  isDue?(at: Pick<Situation, 'package' | 'carryover'>): boolean
  /** What to do when a run is proven to be over and how it ended is unknown. */
  interrupted(action: Action): 'run-again' | 'give-up'
  /** The contract knows no updates: what every order of one is refused with. Absent: it knows them. */
  readonly refusesUpdates?: Problem
  /** Whether live bindings are unbound one by one before a deprovision, or dropped with it. */
  readonly unbindsFirst: boolean
  /** Whether several bindings of one instance of a plan may be made and removed at the same time. */
  bindsInParallel(plan: Plan): boolean
}

/** What an engine may lack that the runs of a contract cannot do without. */
export interface Asks {
  readonly program?: Job['program']['kind']
  readonly severalSteps?: true
  readonly cluster?: 'stand-in'
}

/** What is known of a plan before it is ordered. */
export type Offered = Pick<Situation, 'package' | 'service' | 'plan' | 'infrastructure'>

export interface PlanFit {
  readonly plan: Plan
  readonly problems: readonly Problem[]
}

/** Packages whose description lies in a folder and not, or not yet, in their image. */
export interface Description {
  /** The name of the file. */
  readonly file: string
  /** What the text of such a file stands for. */
  read(text: string): Described
}

export interface Described {
  /** The image that the description names, as references write it. */
  readonly image?: string
  /** The labels that an image of it would have. */
  readonly labels: Readonly<Record<string, string>>
}

export type Recognition = 'no' | 'likely' | 'certain'

export interface ReadRequest {
  /** Options of the catalog entry, for example a selectable compatibility. */
  readonly options: JsonObject
  /** The name of the source that lists the package; absent where the catalog names it itself. */
  readonly source?: string
  /** `os/arch`, as Go names them, of where programs of the package will run; absent: linux/amd64. */
  readonly platform?: string
  /** Whether a program is on the path of the host; absent where that is not known. */
  readonly hasProgram?: (name: string) => boolean
  /** The report of the job that `describe-first` asked for. */
  readonly described?: Report
  /** Looks at what the package refers to; absent where nothing outside of it may be asked. */
  readonly lookup?: Lookup
}

export interface Lookup {
  /** Opens what a reference names: an image that is only named by tag, another package. */
  open(reference: string): Promise<Artifact>
  /** The tags of a repository, `docker://host/path`. */
  tags(repository: string): Promise<readonly string[]>
}

export type Reading =
  | { readonly kind: 'package'; readonly package: Package; readonly warnings: readonly Problem[] }
  | { readonly kind: 'describe-first'; readonly job: Job }
  | {
      readonly kind: 'refused'
      readonly problems: readonly [Problem, ...Problem[]]
      /** What its author should mend beside that; absent: nothing was found. */
      readonly warnings?: readonly Problem[]
    }

export type Prepared =
  /** The dashboard address, where there is one, must be known before the work starts: OSB cannot add it later. */
  | { readonly kind: 'job'; readonly job: Job; readonly dashboardUrl?: string }
  | { readonly kind: 'nothing-to-run'; readonly outcome: Outcome }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/** What a run means, and what of it must not be seen. */
export type Conclusion = (Done | Next) & {
  /**
   * What came out of the run and is secret, handed out or not: a bind that failed has printed its password, too. Values are written
   * as JSON; of a text of several lines that is none the lines are secret, and the whole is not.
   * Credentials and secret outputs of the outcome need not be told again.
   */
  readonly secrets?: readonly string[]
}

interface Done {
  readonly kind: 'done'
  readonly outcome: Outcome
}

/** A chain, one stage after another; bounded by the worker. The carryover is kept before the next stage starts. */
interface Next {
  readonly kind: 'next'
  readonly job: Job
  readonly carryover: Carryover
  /** What is kept instead when the chain is stopped here and the job never started. */
  readonly unstarted?: Carryover
}
