/**
 * Holds runs to what they may write. To look how much that is costs more the more it is, so it is looked when the free space
 * has fallen by as much as would matter, and else now and then.
 */
import { statfs } from 'node:fs/promises'
import type { Clock } from '../kit/clock.ts'

/** What the runs of an engine have been seen to take; the largest one must make room when the disk is nearly full. */
export type DiskUses = Map<string, number>

export interface DiskWatch {
  readonly uses: DiskUses
  readonly run: string
  /** On the disks that the run writes to. */
  readonly folders: readonly string[]
  readonly bytesMax: number
  readonly clock: Clock
  /** What the run takes now. */
  measure(): Promise<number>
}

const glanceMs = 250
const lookEveryMs = 5_000
/** A look that takes long is followed by a pause that is longer by as much. */
const restFactor = 20
/** Space that other parts of the host must find. */
const reserveBytes = 256 * 1024 * 1024
/** What a run may take even of a disk that has less than that. */
const leastBytes = 16 * 1024 * 1024

/** Resolves with whether the run took too much, or not at all before the signal. */
export async function watchDisk(watch: DiskWatch, signal: AbortSignal): Promise<boolean> {
  const { clock, folders, bytesMax, uses, run } = watch
  const step = Math.min(bytesMax / 8, reserveBytes / 4)
  let freeThen = Number.POSITIVE_INFINITY
  let lookAt = 0
  let restUntil = 0
  while (!signal.aborted) {
    await clock.sleep(glanceMs, signal)
    const free = await freeBytes(folders)
    const now = clock.monotonic()
    const isMuch = freeThen - free >= step || free < reserveBytes
    if (signal.aborted || now < restUntil || (!isMuch && now < lookAt)) continue
    const seen = await watch.measure()
    const took = clock.monotonic() - now
    restUntil = now + took * restFactor
    lookAt = now + Math.max(lookEveryMs, took * restFactor)
    freeThen = free
    uses.set(run, Math.max(uses.get(run) ?? 0, seen))
    if (seen >= bytesMax) return true
    if (free < reserveBytes && seen >= leastBytes && isLargest(watch, seen)) return true
  }
  return false
}

function isLargest({ uses, run }: DiskWatch, seen: number): boolean {
  return [...uses].every(([other, bytes]) => other === run || bytes <= seen)
}

/** Whether what a run has taken explains that it could not go on. */
export async function hadNoSpace(
  { bytesMax, folders }: Pick<DiskWatch, 'bytesMax' | 'folders'>,
  seen: number,
): Promise<boolean> {
  return seen >= bytesMax || (seen >= leastBytes && (await freeBytes(folders)) < leastBytes)
}

/** Of the disk that has the least. */
async function freeBytes(folders: readonly string[]): Promise<number> {
  const stats = await Promise.all(folders.map((folder) => statfs(folder).catch(() => undefined)))
  return Math.min(...stats.map((one) => (one ? one.bavail * one.bsize : Number.POSITIVE_INFINITY)))
}
