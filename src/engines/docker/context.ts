/** What the parts of the Docker engine work with. */
import { join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import type { DiskUses } from '../disk-watch.ts'
import type { ImageCopier } from '../image-program.ts'
import type { MountedPrograms } from '../mounted-programs.ts'
import type { NetworkChoice } from '../run-network.ts'
import type { Supplies } from '../supplies.ts'
import type { BesideRuns } from './beside-run.ts'
import type { Docker } from './client.ts'
import type { ContainerNetwork } from './network.ts'
import { type TicketPaths, ticketIn } from './ticket.ts'

export interface DockerContext {
  readonly docker: Docker
  readonly folder: string
  readonly privates: string
  readonly copier: ImageCopier
  readonly supplies: Supplies
  readonly lent: MountedPrograms
  readonly clock: Clock
  readonly disks: DiskUses
  /** Processes that pump the log of a run. */
  readonly pourers: BesideRuns
  /** Processes behind the network of a run. */
  readonly outward: BesideRuns
  /** Whether we may mount; else limits of folders are looked at afterwards. */
  readonly mayMount: boolean
  readonly socket: string
  readonly networkChoice: NetworkChoice
  /** Of runs that need one; the engine is asked once, when it is first needed. */
  network(): Promise<ContainerNetwork>
}

/** The ticket of a run by its name. */
export function ticketOf({ folder }: Pick<DockerContext, 'folder'>, run: string): TicketPaths {
  return ticketIn(join(folder, 'runs', run))
}
