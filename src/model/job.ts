/** What an engine must do: a program, ordered steps over one workspace, files in, things wanted back, limits. */
import type { Secret } from '../kit/secret.ts'

export interface Job {
  readonly program: Program
  /** In order, over one workspace; the first that fails is the last. */
  readonly steps: readonly [Step, ...Step[]]
  readonly files: readonly FileIn[]
  /** Values that its files and variables hold, each a text or a document: everything in them is secret. */
  readonly secrets?: readonly Secret[]
  readonly folders: readonly Folder[]
  readonly wants: readonly Want[]
  readonly needs: Needs
  /** The identity of the program at the Kubernetes API, where it needs one. */
  readonly sandbox?: ClusterSandbox
  readonly limits: Limits
  /** Names that the program finds beside those of its network. */
  readonly hosts?: readonly HostName[]
  /** What listens on this host and is to be reached by a run whose network is its own. */
  readonly lent?: readonly Address[]
  /** A part of the work that is the same for many jobs and need not be done each time. */
  readonly beforehand?: Beforehand
  /** What alone differs from one such job to the next: an engine may make the rest ready before there is an order. */
  readonly late?: Late
}

/** What depends on no instance: done once by a job of its own, its result is laid before the jobs that follow. */
export interface Beforehand {
  /** Everything it wants, tars and files, is what the others find at the same paths. */
  readonly job: Job
  /** What is left to do where they find it. */
  readonly steps: Job['steps']
  /** What is late of what is left. */
  readonly late?: Late
}

export interface Late {
  /** The files that come with the order. */
  readonly files: readonly string[]
  /**
   * The one of them that the program reads before all that counts and before the others; while it is empty or cut short, it can only fail.
   * Then even the program may be started ahead, and waits for it.
   */
  readonly door?: string
  /** Of a job with one step and without a door: its arguments and variables come with the order, too. */
  readonly words?: true
}

export type Program =
  /** A container image by reference and digest; the engine pulls it. */
  | {
      readonly kind: 'image'
      readonly reference: string
      readonly digest: string
      readonly platform?: string
    }
  /** Programs of the host or of a package, run in a workspace folder (Terraform). */
  | { readonly kind: 'tools'; readonly tools: readonly Tool[] }
  /** Nothing real: takes its time and ends as told; the `sim` contract. */
  | {
      readonly kind: 'pretend'
      readonly milliseconds: number
      readonly exit: number
      /** A log line this often. */
      readonly logEveryMs?: number
    }

export interface Tool {
  /** Name as the steps call it. */
  readonly name: string
  /** Where it comes from: found on the host, or an entry of the package's archive. */
  readonly from:
    | { readonly kind: 'host' }
    | { readonly kind: 'archive'; readonly digest: string; readonly entry: string }
}

export interface Step {
  readonly name: string
  readonly command: Command
  /** On top of the image's own environment; nothing of the broker's is inherited. */
  readonly environment: Readonly<Record<string, string | Secret>>
  readonly user?: string
  readonly workingFolder?: string
  /** Kept apart: stdout is captured (bounded) and stderr logged. Merged: one log in the order written. */
  readonly streams: { readonly kind: 'merged' } | { readonly kind: 'apart'; readonly stdout: StdoutUse }
  /** What to send for a polite stop; TERM unless the program knows a better one. */
  readonly stopSignal?: 'TERM' | 'INT'
  /** Go on with the next step even when this one failed. */
  readonly mayFail?: boolean
}

/** captured: into the report, never logged. logged: into the log. both: what programs print for people and machines. */
export type StdoutUse =
  | { readonly kind: 'captured'; readonly bytesMax: number }
  | { readonly kind: 'logged' }
  | { readonly kind: 'both'; readonly bytesMax: number }

export type Command =
  /** The image's entrypoint with these arguments instead of its command. */
  | { readonly kind: 'entrypoint'; readonly arguments: readonly string[] }
  /** This program, whatever the image's entrypoint is. */
  | { readonly kind: 'exec'; readonly argv: readonly [string, ...string[]] }

export interface FileIn {
  /** Absolute inside the container; relative to the workspace for tools. */
  readonly path: string
  /** Permission bits. */
  readonly mode: number
  /** Owned by the user of the step (default) or by root. */
  readonly owner: 'user' | 'root'
  /** Mounted so that even root inside cannot change or remove it. */
  readonly readOnly: boolean
  readonly content: FileContent
}

export type FileContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'secret'; readonly secret: Secret }
  /** A symbolic link. */
  | { readonly kind: 'link'; readonly target: string }
  /** Big things by name; the engine fetches them from the artifact store. */
  | {
      readonly kind: 'artifact'
      readonly reference: string
      readonly as: 'transport-archive' | 'folder' | 'blob'
    }
  /** A file of a package's archive, by the archive's digest. */
  | { readonly kind: 'entry'; readonly digest: string; readonly entry: string }

/** A directory the program finds; writable ones can be wanted back. */
export interface Folder {
  readonly path: string
  readonly mode: number
  readonly readOnly: boolean
  /** What it holds at the start: empty, or a tar that an earlier run left. */
  readonly content: { readonly kind: 'empty' } | { readonly kind: 'tar'; readonly tar: Uint8Array }
  /** A real limit: writing past it gives the program an I/O error. */
  readonly bytesMax?: number
  readonly entriesMax?: number
}

export type Want =
  /** A file's bytes; missing is no error. */
  | { readonly kind: 'file'; readonly name: string; readonly path: string; readonly bytesMax: number }
  /** The regular files below a folder, links never followed. */
  | {
      readonly kind: 'files'
      readonly name: string
      readonly path: string
      readonly bytesMax: number
      readonly entriesMax: number
    }
  /** A folder as a tar that a later job can be given. */
  | { readonly kind: 'tar'; readonly name: string; readonly path: string; readonly bytesMax: number }
  /** Stored while the program runs and at its end, so that a crash forgets little (Terraform's state). */
  | { readonly kind: 'kept-file'; readonly name: string; readonly path: string; readonly bytesMax: number }
  /** Asked inside the running container until it answers. */
  | {
      readonly kind: 'ask'
      readonly name: string
      readonly argv: readonly [string, ...string[]]
      readonly everySeconds: number
    }
  /** Secrets, annotations and config maps that the program left in its sandbox of the cluster. */
  | { readonly kind: 'cluster-objects'; readonly name: string }

export interface Needs {
  /** stand-in: no more than what a stand-in serves; a real cluster does, too. */
  readonly cluster: 'none' | 'stand-in' | 'real'
  readonly network: 'none' | 'default'
  /** Whether the root file system may be read-only. */
  readonly readOnlyRoot: boolean
  /** The socket of the container engine itself; only with the operator's consent. */
  readonly engineSocket?: boolean
}

/** The pod and the namespaces of a program that speaks to the Kubernetes API. */
export interface ClusterSandbox {
  /** Its own pod; the Secret and the ConfigMap that it leaves have the same name. */
  readonly pod: string
  /** Made for this run and gone with it. */
  readonly namespace: string
  /** The namespace it works for. */
  readonly target: string
  /** Labels of its pod and of the namespace that is made for it. */
  readonly labels?: Readonly<Record<string, string>>
  /** What its program shows a stand-in; absent in jobs of earlier releases: the stand-in makes one. */
  readonly token?: Secret
  /** What the ConfigMap of its state holds when it starts; absent: there is none. */
  readonly state?: Readonly<Record<string, string>>
  /** What earlier runs left in the target namespace of a stand-in, as it was reported. */
  readonly objects?: Uint8Array
  /** A real cluster that has the target namespace, for calls that a stand-in passes on. */
  readonly cluster?: TargetCluster
}

export interface TargetCluster {
  readonly server: string
  /** Certificates that it is verified with; absent: those of this system. */
  readonly authority?: string
  readonly token: Secret
  /** `GROUP/VERSION/RESOURCE`, with `*` for any resource. */
  readonly allow: readonly string[]
}

/** Where something listens. */
export interface Address {
  readonly address: string
  readonly port: number
}

/** A name and the address that it stands for. */
export interface HostName {
  readonly name: string
  readonly address: string
}

export interface Limits {
  readonly seconds: number
  /** Between the polite stop and the kill. */
  readonly graceSeconds: number
  readonly memoryBytes: number
  readonly processes: number
  readonly cpus: number
  readonly logBytes: number
  /** What may be written below its root and its folders, beside those that have a limit of their own. */
  readonly diskBytes: number
}

/** Limits as operators set them, by the names of their options. */
export type LimitOptions = Omit<Limits, 'seconds' | 'graceSeconds'> & { readonly killGraceSeconds: number }

/** The limits of a run that may take so long. */
export function limitsFor(options: LimitOptions, seconds: number): Limits {
  const { killGraceSeconds, memoryBytes, processes, cpus, logBytes, diskBytes } = options
  return { seconds, graceSeconds: killGraceSeconds, memoryBytes, processes, cpus, logBytes, diskBytes }
}

export const usualLimits: Limits = {
  seconds: 7200,
  graceSeconds: 30,
  memoryBytes: 512 * 1024 * 1024,
  processes: 512,
  cpus: 1,
  logBytes: 16 * 1024 * 1024,
  diskBytes: 8 * 1024 ** 3,
}
