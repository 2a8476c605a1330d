/** The sandboxes that there are, for the sweep; what is left over beside them is removed. */
import type { FoundRun } from '../engine.ts'
import type { KubernetesContext } from './context.ts'
import { foundRun, labels, marks } from './pod.ts'
import { removeSandbox, sandboxesWith } from './sandbox.ts'
import { foundInTarget, leaveTarget } from './sandbox-target.ts'

/** Sandboxes that were kept long enough go, and so does what is left in a target without its sandbox. */
export async function listSandboxes(
  { kube, clock, options }: KubernetesContext,
  cluster: string,
): Promise<readonly FoundRun[]> {
  const { sandboxes } = options
  if (sandboxes === undefined) return []
  // Asked before the sandboxes: each of them is there before its binding.
  const bound = await Promise.all(
    sandboxes.targets.map(async (target) =>
      (await foundInTarget(kube, target, cluster)).map((one) => ({ ...one, target })),
    ),
  )
  const all = await sandboxesWith(kube, `${labels.cluster}=${cluster}`)
  const runs = new Set(all.map((one) => one.labels[labels.run]))
  for (const one of bound.flat()) if (!runs.has(one.run)) await leaveTarget(kube, one)
  const now = clock.now()
  for (const { name, uid, labels: given, annotations, isGoing } of all) {
    const until = Number(annotations[marks.failed]) + (sandboxes.keepFailedMs ?? 0)
    if (given[labels.kept] !== undefined && !isGoing && now > until) await removeSandbox(kube, name, uid)
  }
  return all.flatMap((one) => {
    const run = one.labels[labels.run]
    return run === undefined || one.isGoing ? [] : [foundRun(one, run, now)]
  })
}
