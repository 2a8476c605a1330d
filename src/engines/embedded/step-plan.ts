/** A step made ready: everything a runtime must know to run it, whichever runtime that is. */
import type { User } from '../user.ts'

export interface StepPlan {
  readonly name: string
  /** Container id; unique on the host. */
  readonly id: string
  readonly argv: readonly [string, ...string[]]
  readonly environment: ReadonlyMap<string, string>
  readonly user: User
  readonly workingFolder: string
  /** One descriptor for both streams, so that their order is kept. */
  readonly joined: boolean
  /** Something lent stands in front of its program. */
  readonly isHeld: boolean
}

export interface Mount {
  /** Inside, without links. */
  readonly to: string
  /** On the host, or what to make. */
  readonly from:
    | { readonly kind: 'bind'; readonly path: string }
    | { readonly kind: 'tmpfs'; readonly bytes: number; readonly mode: number }
  readonly readOnly: boolean
}

export type StepNetwork =
  /** One of the step's own, in which there is nothing but itself. */
  | { readonly kind: 'none' }
  | { readonly kind: 'host' }
  /** That of the run, which its shim makes. */
  | { readonly kind: 'own'; readonly space: string }

/** What all steps of a run share. */
export interface Chamber {
  /** The root file system, mounted by the shim or a plain folder. */
  readonly root: string
  readonly readOnlyRoot: boolean
  readonly mounts: readonly Mount[]
  readonly network: StepNetwork
  readonly hostname: string
  readonly memoryBytes: number
  readonly processes: number
  readonly cpus: number
  /** Of one file; of all together the follower takes care. */
  readonly diskBytes: number
}
