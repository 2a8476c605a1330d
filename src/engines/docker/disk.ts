/** The disk that a container takes: its own layer on the engine's host, and the folders of ours that it writes to. */
import { join } from 'node:path'
import { readSmall } from '../absent.ts'
import { bytesBelow, bytesHeld } from '../disk-use.ts'
import type { DiskWatch } from '../disk-watch.ts'
import { familyOf } from '../family.ts'
import { namesIn } from '../names-in.ts'
import { inspect, sizeOf } from './container.ts'
import type { DockerContext } from './context.ts'
import type { TicketPaths, TicketRecord } from './ticket.ts'

/** What is watched of a run. */
export async function diskOf(
  yard: DockerContext,
  run: string,
  { paths, record }: { readonly paths: TicketPaths; readonly record: TicketRecord },
): Promise<DiskWatch> {
  const { docker, clock, disks, mayMount } = yard
  const upper = mayMount ? (await inspect(docker, run))?.upper : undefined
  const brought = Number(readSmall(paths.ready) ?? 0)
  return {
    uses: disks,
    run,
    folders: [paths.folder, ...(upper === undefined ? [] : [upper])],
    bytesMax: record.limits.diskBytes,
    clock,
    async measure() {
      const ours = (await bytesBelow(openFolders(paths))) - brought
      if (upper === undefined) return ours + (await sizeOf(docker, run))
      const pid = (await inspect(docker, run))?.pid ?? 0
      return ours + (await bytesBelow([upper])) + bytesHeld(pid > 0 ? await familyOf(pid) : [])
    },
  }
}

/** The folders of a ticket that are mounted as folders of the job. */
export function openFolders({ folder }: Pick<TicketPaths, 'folder'>): readonly string[] {
  const names = namesIn(folder).filter((name) => /^f\d+$/.test(name))
  return names.map((name) => join(folder, name))
}
