/** Everything a simulated cluster consists of. */
import type { Store } from '../../src/store/store.ts'
import type { WorkEvent } from '../../src/work/work-report.ts'
import type { Journal } from './client-model.ts'
import type { EngineModel } from './engine-model.ts'
import type { Knobs } from './node-model.ts'
import type { Random, World } from './world.ts'

export interface Cluster {
  readonly world: World
  readonly random: Random
  readonly knobs: Knobs
  /** Another one after each start of a process on its own disk. */
  store: Store
  readonly engine: EngineModel
  readonly journal: Journal
  readonly events: WorkEvent[]
}
