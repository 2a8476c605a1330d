/** What is told of a container that has ended. */
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { never } from '../../kit/assert.ts'
import { present } from '../../kit/present.ts'
import type { Want } from '../../model/job.ts'
import { emptyReport, type Got, type Report, type RunEnd, type StepReport } from '../../model/report.ts'
import { unlessAbsent } from '../absent.ts'
import { type Collection, collectFile, collectFiles, collectTar } from '../collect.ts'
import { type DiskWatch, hadNoSpace } from '../disk-watch.ts'
import type { Watch } from '../engine.ts'
import { collectInside } from '../inside.ts'
import { filesOf } from '../step-files.ts'
import { lastLines } from '../tail.ts'
import { type ContainerSight, insideOf, inspect, sizeInside } from './container.ts'
import { networkFault } from './keep-network.ts'
import { type Stopping, stopReason } from './stop.ts'
import type { TicketPaths } from './ticket.ts'

const tailBytes = 8 * 1024
const unpouredNote = 'the end of the output may be missing: who wrote it down was killed'

const gateDetail = "the container could not open what is lent to it: is its user another than the engine's?"

/** Where an answer is kept: it may hold credentials. */
export function answerFile(paths: TicketPaths, name: string): string {
  return join(paths.private, `answer.${Buffer.from(name).toString('hex')}`)
}

/** A container that may be over, and what is known of the disk it takes. */
export interface Ended extends Stopping {
  readonly disk: DiskWatch
}

/** Collects everything; the container stays until it is discarded, so this can be done again. */
export async function reportOf(at: Ended, watch: Watch): Promise<Report> {
  const { yard, run, paths, record } = at
  const there = await inspect(yard.docker, run)
  if (there === undefined) return emptyReport({ kind: 'lost' }, yard.clock.now())
  const notes: string[] = existsSync(paths.unpoured) ? [unpouredNote] : []
  const got = new Map<string, Got>()
  for (const want of record.wants) {
    const item = await collect(want, at, (text) => notes.push(text))
    got.set(want.name, item)
    if (want.kind === 'kept-file' && item.kind === 'bytes') await watch.kept(want.name, item.bytes)
  }
  const steps = await stepsOf(at, there)
  const files = filesOf(paths, record.steps).flatMap(({ logs }) => logs.map(({ file }) => file))
  const diskBytes = await at.disk.measure()
  return {
    end: await endOf(at, there, diskBytes),
    used: { diskBytes: Math.max(0, diskBytes, at.disk.uses.get(run) ?? 0) },
    steps,
    got,
    logTail: await lastLines(files, tailBytes),
    startedAt: there.startedAt,
    finishedAt: there.finishedAt,
    notes,
  }
}

async function stepsOf(
  { paths, record }: Stopping,
  { exit }: ContainerSight,
): Promise<readonly StepReport[]> {
  const [files] = filesOf(paths, record.steps)
  const captured = files?.captured
  const stdout = captured && (await readFile(captured.file).catch(unlessAbsent))
  const kept = stdout && captured ? new Uint8Array(stdout.subarray(0, captured.bytesMax)) : undefined
  return [{ name: files?.step ?? '', exit, ...present({ stdout: kept }) }]
}

async function endOf(
  { yard, run, paths, record, disk }: Ended,
  there: ContainerSight,
  diskBytes: number,
): Promise<RunEnd> {
  const stopped = await stopReason(paths)
  if (stopped === 'timed-out' || stopped === 'stopped') return { kind: stopped }
  if (stopped !== undefined) return { kind: 'limit', limit: stopped }
  if (there.error !== '' && there.startedAt <= 0) return { kind: 'not-started', detail: there.error }
  if (there.outOfMemory) return { kind: 'limit', limit: 'memory' }
  // What the gate says must not pass for the program's own status.
  if (!existsSync(join(paths.gate, 'began'))) return { kind: 'not-started', detail: gateDetail }
  const unconnected = networkFault(paths)
  if (unconnected !== undefined) return { kind: 'not-started', detail: unconnected }
  if (!existsSync(paths.whole) || (there.exit !== 0 && (await hadNoSpace(disk, diskBytes))))
    return { kind: 'limit', limit: 'disk' }
  const [files] = filesOf(paths, record.steps)
  // Half an answer must not pass for one.
  if (files?.captured && existsSync(paths.unpoured)) return { kind: 'lost' }
  const size = files?.captured && (await stat(files.captured.file).catch(unlessAbsent))?.size
  if (files?.captured && (size ?? 0) > files.captured.bytesMax) return { kind: 'limit', limit: 'stdout' }
  for (const checked of record.checked) {
    if ((await sizeInside(yard.docker, run, checked)) > checked.bytesMax)
      return { kind: 'limit', limit: 'disk' }
  }
  return { kind: 'finished' }
}

/** Where something lies that is mounted from the ticket. */
export function placeOf(
  { paths, record }: Stopping,
  path: string,
): { readonly root: string; readonly path: string } | undefined {
  const place = record.places
    .filter(({ path: above }) => path === above || path.startsWith(`${above}/`))
    .sort((a, b) => b.path.length - a.path.length)[0]
  return place && { root: join(paths.folder, place.host), path: path.slice(place.path.length) }
}

/** What is wanted, from wherever it lies. */
export async function collect(want: Want, at: Stopping, note: (text: string) => void): Promise<Got> {
  if (want.kind === 'cluster-objects') return { kind: 'missing' }
  if (want.kind === 'ask') {
    const bytes = await readFile(answerFile(at.paths, want.name)).catch(unlessAbsent)
    return bytes === undefined ? { kind: 'missing' } : { kind: 'bytes', bytes: new Uint8Array(bytes) }
  }
  const place = placeOf(at, want.path)
  if (place === undefined) {
    return await collectInside(insideOf(at.yard, at.run), want, note)
  }
  const collection: Collection = { note, locate: () => place }
  switch (want.kind) {
    case 'file':
    case 'kept-file':
      return await collectFile(want, collection)
    case 'files':
      return await collectFiles(want, collection)
    case 'tar':
      return await collectTar(want, collection)
    default:
      return never(want)
  }
}
