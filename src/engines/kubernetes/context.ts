/** What the parts of the Kubernetes engine work with. */
import type { ImageStore } from '../../artifacts/image-store.ts'
import type { Clock } from '../../kit/clock.ts'
import type { ImageConfig } from '../../model/artifact.ts'
import type { ImageCopier } from '../image-program.ts'
import type { Supplies } from '../supplies.ts'
import type { Kube } from './client.ts'
import type { Pods } from './pods.ts'
import type { RunObjects } from './run-objects.ts'

export interface KubernetesOptions {
  /** What it is called where several namespaces are engines of their own. */
  readonly name?: string
  /** Of the cluster; absent: what a pod has, or the kubeconfig that kubectl would take. */
  readonly kubeconfig?: string
  readonly context?: string
  /** Where pods are made; absent: that of the credentials. */
  readonly namespace?: string
  /** An image with `/bin/busybox`, linked statically. */
  readonly helper?: string
  /** Where images go that the cluster cannot pull by their reference, as `HOST/FOLDER`. */
  readonly registry?: string
  /** Secrets that images are pulled with. */
  readonly pullSecrets?: readonly string[]
  /** How long a pod may wait for its node and its images. */
  readonly startMs?: number
  /** For how long the API server may say nothing on a connection before that is taken for lost, and made anew. */
  readonly silenceMs?: number
  /** Absent: no run is given access to the cluster. */
  readonly sandboxes?: SandboxOptions
  readonly images: ImageStore
  readonly copier: ImageCopier
  readonly supplies: Supplies
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Namespaces of their own for runs that speak to the API. */
export interface SandboxOptions {
  /** The namespaces that such runs may work for. */
  readonly targets: readonly string[]
  /** The ClusterRole that they have there. */
  readonly role: string
  /** How long the sandbox of a run that failed is kept; absent: not at all. */
  readonly keepFailedMs?: number
}

/** The sandbox that a context is for. */
export interface Sandbox {
  /** The name of the run. */
  readonly run: string
  readonly namespace: string
  readonly pod: string
  readonly target: string
}

export interface KubernetesContext {
  readonly options: KubernetesOptions
  readonly kube: Kube
  /** Where the pods are. */
  readonly namespace: string
  /** The namespace of runs that have no sandbox. */
  readonly home: string
  readonly pods: Pods
  readonly runs: RunObjects
  readonly sandbox?: Sandbox
  readonly clock: Clock
  readonly silenceMs: number
  /** Configurations of images by their digest. */
  readonly configs: Map<string, ImageConfig>
}

/** What is taken when nothing is said. */
export const usual = { helper: 'docker.io/library/busybox:1.37-musl', startMs: 300_000 } as const
