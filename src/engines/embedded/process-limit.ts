/** How a run is held to its number of processes: by its control group or, without one, by its own user namespace. */
import { release } from 'node:os'
import { readSmall } from '../absent.ts'
import type { Controls } from './cgroups.ts'
import type { Runtime } from './run-folder.ts'

export interface ProcessHost {
  readonly controls: Controls
  /** Each run has a user namespace of its own. */
  readonly rootless: boolean
}

/** Since Linux 5.14 each user namespace counts for itself; before, one count of the user's processes went over the whole host. */
function countsInNamespace({ controls, rootless }: ProcessHost): boolean {
  const [major = 0, minor = 0] = release()
    .split('.')
    .map((part) => Number.parseInt(part, 10))
  return rootless && !controls.pids && (major > 5 || (major === 5 && minor >= 14))
}

/** Whether a run cannot have more processes than its limit here. */
export function holdsProcesses(host: ProcessHost): boolean {
  return host.controls.pids || countsInNamespace(host)
}

/** Threads of runc, which is written in Go: they are counted with those of the run. */
const threadsOfRunc = 32

/** The resource limit that stands in for a control group; undefined where there is one, or nothing that could stand in. */
export function processesOfUser(
  processes: number,
  host: ProcessHost & { readonly runtime?: Runtime },
): number | undefined {
  if (!countsInNamespace(host)) return undefined
  return Math.min(processes + (host.runtime?.kind === 'runc' ? threadsOfRunc : 0), ownLimit())
}

/** What this process may have itself: without root a run cannot be given more, as in a container with a limit. */
function ownLimit(): number {
  const [, , hard] = /^Max processes +(\S+) +(\S+)/m.exec(readSmall('/proc/self/limits') ?? '') ?? []
  return hard === undefined || hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard)
}
