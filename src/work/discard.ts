/** When a run of which all is known is destroyed: before what follows, or, where it can no longer be started, after the end. */
import type { Engine } from '../engines/engine.ts'
import type { Run } from '../model/operation.ts'
import type { Report } from '../model/report.ts'
import type { Lease } from './lease.ts'
import type { Tools } from './tools.ts'

/** Whether its program is known to be over: as long as its remains are there, a start under its name is nothing. */
export function isOver({ end }: Report): boolean {
  return end.kind !== 'lost' && end.kind !== 'not-started'
}

/** From now on the run cannot be started. What was seen of it is for good first, since it cannot be seen again. */
export async function discardNow({ ports }: Tools, lease: Lease, run: Run, engine: Engine): Promise<void> {
  await ports.store.settled()
  lease.check()
  await engine.discard(run.name)
}

/** What an ended operation leaves is taken away, whichever node holds it by now; where that fails the sweep tries again. */
export async function discardLeft({ report }: Tools, run: Run, engine: Engine): Promise<void> {
  await engine.discard(run.name).catch((error: unknown) => {
    report.event({ kind: 'fault', operation: run.operation, doing: `discard run ${run.name}`, error })
  })
}
