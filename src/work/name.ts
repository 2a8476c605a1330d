/** The deterministic name of a run: the engine's own uniqueness of names decides which process starts it. */
import { shortName } from '../kit/hash.ts'
import type { Operation } from '../model/operation.ts'

/** `chd-CLUSTER-OPERATION-STAGEaATTEMPT`: fits DNS labels, container names and runtime ids. */
export function runName(
  cluster: string,
  { id, stage, attempt }: Pick<Operation, 'id' | 'stage' | 'attempt'>,
): string {
  return `chd-${shortName(cluster, 8)}-${id}-${stage}a${attempt}`
}
