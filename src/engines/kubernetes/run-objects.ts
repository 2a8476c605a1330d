/** A run as the cluster has it. */
import type { Pod } from './pod.ts'

/** The objects that a run consists of: its pod, and the one that carries its marks. */
export interface RunObjects {
  /** Both in one sight, by the name of the pod. */
  look(pod: string): Promise<Pod | undefined>
  /** The path of what carries the marks. */
  marked(pod: string): string
  /** Resolves when what was seen is gone. */
  gone(there: Pod, signal: AbortSignal): Promise<void>
}
