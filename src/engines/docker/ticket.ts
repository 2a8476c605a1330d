/** The start ticket of a run on a Docker engine: a folder that its container mounts and cannot start without. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Address, Limits, Want } from '../../model/job.ts'
import { unlessAbsent } from '../absent.ts'
import type { StepRecord } from '../step-files.ts'

export interface TicketPaths {
  readonly folder: string
  readonly record: string
  /** Everything was put in; without it nothing may start. */
  readonly ready: string
  /** Where the program's first act is to make the file `began`, which succeeds once. */
  readonly gate: string
  readonly stop: string
  /** What the program prints to, and the lock of its reader. */
  readonly pipes: readonly string[]
  readonly pouring: string
  /** There as long as something may be missing of what was printed. */
  readonly unpoured: string
  /** Gone when something of it had no room. */
  readonly whole: string
  readonly private: string
}

/** The paths of a ticket in its folder. */
export function ticketIn(folder: string): TicketPaths {
  return {
    folder,
    record: join(folder, 'run.json'),
    ready: join(folder, 'ready'),
    gate: join(folder, 'gate'),
    stop: join(folder, 'stop'),
    pipes: ['pipe.out', 'pipe.err'].map((name) => join(folder, name)),
    pouring: join(folder, 'pouring'),
    unpoured: join(folder, 'unpoured'),
    whole: join(folder, 'whole'),
    private: join(folder, 'private'),
  }
}

/** What must be known of a run after its broker died; holds no secrets. */
export interface TicketRecord {
  readonly cluster: string
  readonly operation: string
  readonly spec: string
  readonly laidOutAt: number
  readonly steps: readonly StepRecord[]
  readonly wants: readonly Want[]
  readonly limits: Limits
  readonly stopSignal: 'TERM' | 'INT'
  /** It has a network of its own, with these addresses of the host lent to it. */
  readonly network?: readonly Address[]
  /** Mounts that are wanted from, by their path inside: where they lie in the ticket. */
  readonly places: readonly { readonly path: string; readonly host: string }[]
  /** Folders whose limit is looked at afterwards. */
  readonly checked: readonly { readonly path: string; readonly bytesMax: number }[]
}

/** The record of a ticket; undefined when there is none. */
export async function readTicket(paths: TicketPaths): Promise<TicketRecord | undefined> {
  const text = await readFile(paths.record, 'utf8').catch(unlessAbsent)
  return text === undefined ? undefined : (JSON.parse(text) as TicketRecord)
}

/** The mark of the claim that a ticket belongs to. */
export function ticketFence({ folder }: TicketPaths, fence: number): string {
  return join(folder, `fence.${fence}`)
}

/** The claim that a ticket belongs to. */
export async function fenceOfTicket({ folder }: TicketPaths): Promise<number | undefined> {
  const names = (await readdir(folder).catch(unlessAbsent)) ?? []
  const fences = names.flatMap((name) => (name.startsWith('fence.') ? [Number(name.slice(6))] : []))
  return fences.sort((a, b) => b - a)[0]
}
