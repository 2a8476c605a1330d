/** The deterministic name of a run: the engine's own uniqueness of names decides which process starts it. */
import { shortName } from '../kit/hash.ts'
import type { Operation } from '../model/operation.ts'

/** `chd-CLUSTER-OPERATION-STAGEaATTEMPT`: fits DNS labels, container names and runtime ids. */
export function runName(
  cluster: string,
  { id, stage, attempt }: Pick<Operation, 'id' | 'stage' | 'attempt'>,
): string {
  return `${prefixOf(cluster)}${id}-${stage}a${attempt}`
}

/** The operation that a run of this cluster belongs to, told by its name alone: of a layout cut short by a kill there is no more. */
export function operationOfRun(cluster: string, name: string): string | undefined {
  const prefix = prefixOf(cluster)
  return name.startsWith(prefix) ? /^(.+)-\d+a\d+$/.exec(name.slice(prefix.length))?.[1] : undefined
}

function prefixOf(cluster: string): string {
  return `chd-${shortName(cluster, 8)}-`
}
