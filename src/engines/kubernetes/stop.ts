/** Ends a run in its pod: politely first, then for good. The first reason is kept there. */
import { ProblemError } from '../../model/problem.ts'
import { stopScript } from './agent.ts'
import type { KubernetesContext } from './context.ts'
import { runInside } from './inside.ts'
import { isOver, type RunRecord } from './pod.ts'

export type StopReason = 'stopped' | 'timed-out' | 'stdout' | 'disk'

export interface Stopping {
  readonly context: KubernetesContext
  readonly pod: string
  readonly record: RunRecord
}

const pauseMs = 500
const triesMax = 20

/** Resolves when the run is over, or its pod is. */
export async function stopRun(
  { context, pod, record }: Stopping,
  reason: StopReason,
  graceSeconds: number,
): Promise<void> {
  const [step] = record.steps
  const script = stopScript(reason, step?.stopSignal ?? 'TERM', graceSeconds)
  for (let tries = 0; tries < triesMax; tries++) {
    const there = await context.runs.look(pod)
    if (there === undefined || isOver(there)) return
    try {
      // A status of its own says that another stop has ended it.
      await runInside(context, { pod, script })
      return
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      await context.clock.sleep(pauseMs)
    }
  }
}
