/** What is told of a run that is over. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { never } from '../../kit/assert.ts'
import { present } from '../../kit/present.ts'
import type { Want } from '../../model/job.ts'
import type { Got, Report, RunEnd, StepReport, Used } from '../../model/report.ts'
import { readSmall, statSmall, unlessAbsent } from '../absent.ts'
import { type Collection, collectFile, collectFiles, collectTar } from '../collect.ts'
import { type DiskWatch, hadNoSpace } from '../disk-watch.ts'
import type { Watch } from '../engine.ts'
import { filesOf } from '../step-files.ts'
import { lastLines } from '../tail.ts'
import { answerFile } from './ask.ts'
import { figuresOf, wasOutOfMemory } from './cgroups.ts'
import { type ShimState, shimState } from './identity.ts'
import { containersOf, type RunPaths, type RunRecord } from './run-folder.ts'
import type { Stopping } from './stop.ts'

const tailBytes = 8 * 1024

/** A run that may be over, and what is known of the disk it takes. */
export interface Ended extends Stopping {
  readonly disk: DiskWatch
}

/** Collects everything; the run stays as it is until it is discarded, so this can be done again. */
export async function reportOf(at: Ended, watch: Watch): Promise<Report> {
  const { paths, record } = at
  const notes: string[] = []
  const steps = await stepsOf(paths, record)
  const got = await collectAll(at, (text) => notes.push(text))
  const kept = [...got].flatMap(([name, item]) => {
    const isKept = record.wants.some((want) => want.kind === 'kept-file' && want.name === name)
    return isKept && item.kind === 'bytes' ? [watch.kept(name, item.bytes)] : []
  })
  await Promise.all(kept)
  const now = at.clock.now()
  const disk = existsSync(paths.folder) ? await at.disk.measure() : 0
  return {
    end: await endOf(at, steps, disk),
    steps,
    got,
    used: usedOf(at, disk),
    logTail: await logTailOf(paths, record),
    startedAt: timeOf(paths.began) ?? now,
    finishedAt: timeOf(paths.exit) ?? now,
    notes,
  }
}

function usedOf({ host, record, disk }: Ended, bytes: number): Used {
  const groups = record.steps.flatMap((_, i) => containersOf(record, i))
  const figures = groups.map((id) => figuresOf(host.controls, id))
  const memory = figures.flatMap(({ memoryBytes }) => memoryBytes ?? [])
  const processor = figures.flatMap(({ processorMs }) => processorMs ?? [])
  return {
    ...(memory.length > 0 && { memoryBytes: Math.max(...memory) }),
    ...(processor.length > 0 && { processorMs: processor.reduce((sum, one) => sum + one, 0) }),
    diskBytes: Math.max(0, bytes, disk.uses.get(disk.run) ?? 0),
  }
}

async function endOf(
  { host, paths, record, disk }: Ended,
  steps: readonly StepReport[],
  diskBytes: number,
): Promise<RunEnd> {
  const exit = readSmall(paths.exit)
  const stop = readSmall(paths.stop)
  const signalled = readSmall(`${paths.stop}.signalled`)
  const allRan = steps.length === record.steps.length
  if (stop !== undefined && (signalled !== undefined || !allRan)) return stoppedBy(stop.trim())
  const isFull = await hadNoSpace(disk, diskBytes)
  // On a full disk not even the end can be told.
  if (exit === undefined || exit === '') return isFull ? { kind: 'limit', limit: 'disk' } : { kind: 'lost' }
  if (exit.startsWith('broken'))
    return { kind: 'not-started', detail: await detailOf(join(paths.folder, 'shim.err')) }
  const last = steps.length - 1
  const refused = await refusalOf(paths, record, { last, exit: steps[last]?.exit ?? 0 })
  if (refused !== undefined && last === 0) return { kind: 'not-started', detail: refused }
  for (const [i, { exit: status }] of steps.entries()) {
    if (status !== 0 && containersOf(record, i).some((id) => wasOutOfMemory(host.controls, id)))
      return { kind: 'limit', limit: 'memory' }
  }
  const failed = steps.some(({ exit: status }) => status !== 0)
  if (!existsSync(paths.whole) || (failed && isFull)) return { kind: 'limit', limit: 'disk' }
  const files = filesOf(paths, record.steps)
  for (const { captured } of files) {
    const size = captured && statSmall(captured.file)?.size
    if (captured && size !== undefined && size > captured.bytesMax) return { kind: 'limit', limit: 'stdout' }
  }
  return { kind: 'finished' }
}

function stoppedBy(reason: string): RunEnd {
  if (reason === 'timed-out') return { kind: 'timed-out' }
  return reason === 'stdout' || reason === 'disk' ? { kind: 'limit', limit: reason } : { kind: 'stopped' }
}

/** What the runtime, not the program, had to say. */
async function refusalOf(
  paths: RunPaths,
  { runtime }: RunRecord,
  { last, exit }: { readonly last: number; readonly exit: number },
): Promise<string | undefined> {
  if (exit === 0 || last < 0) return undefined
  if (runtime.kind === 'plain') {
    const text =
      exit === 125
        ? await lastLines([join(paths.folder, `err.${last}`), join(paths.folder, `out.${last}`)], 400)
        : ''
    return text.includes('could not confine the program') ? text.trim() : undefined
  }
  const text = readSmall(join(paths.folder, `runtime.${last}`)) ?? ''
  const lines = text.split('\n').filter((line) => /"level":"(error|fatal)"|^\S+ error|error/i.test(line))
  const message = /"msg":"((?:[^"\\]|\\.)*)"/.exec(lines.at(-1) ?? '')?.[1] ?? lines.at(-1)
  return message?.replaceAll('\\"', '"')
}

async function detailOf(file: string): Promise<string> {
  const text = await lastLines([file], 400)
  return text.trim().split('\n').at(-1) || 'the root file system could not be mounted'
}

async function stepsOf(paths: RunPaths, record: RunRecord): Promise<readonly StepReport[]> {
  const files = filesOf(paths, record.steps)
  const steps: StepReport[] = []
  for (const [i, { name }] of record.steps.entries()) {
    const text = readSmall(join(paths.folder, `exit.${i}`))
    if (text === undefined) continue
    const captured = files[i]?.captured
    const stdout = captured && (await readFile(captured.file).catch(unlessAbsent))
    const kept = stdout && captured ? new Uint8Array(stdout.subarray(0, captured.bytesMax)) : undefined
    steps.push({ name, exit: Number(text), ...present({ stdout: kept }) })
  }
  return steps
}

async function collectAll(at: Stopping, note: (text: string) => void): Promise<ReadonlyMap<string, Got>> {
  const { paths, record } = at
  const got = new Map<string, Got>()
  // The mounts are the shim's own; while it lives its view is ours.
  const view = record.stays ? viewOf(record, await shimState(paths)) : ''
  for (const want of record.wants) {
    got.set(
      want.name,
      view === undefined ? { kind: 'missing' } : await collect(want, at, collectionOf(at, view, note)),
    )
  }
  return got
}

/** What was mounted by the shim is seen through it, and gone with it; the rest lies in the run's folder. */
export function viewOf({ stays }: RunRecord, shim: ShimState): string | undefined {
  if (!stays) return ''
  return shim.kind === 'alive' ? `/proc/${shim.mark.pid}/root` : undefined
}

/** Where the wants of a run lie, seen through a process. */
export function collectionOf(
  { paths, record }: Pick<Stopping, 'paths' | 'record'>,
  view: string,
  note: (text: string) => void,
): Collection {
  return {
    note,
    locate(path) {
      const whole = path.startsWith('/') ? join('/', path) : join(record.base, path)
      const place = record.places
        .filter(({ path: above }) => whole === above || whole.startsWith(`${above}/`))
        .sort((a, b) => b.path.length - a.path.length)[0]
      if (place === undefined) return { root: `${view}${paths.merged}`, path: whole }
      return { root: `${view}${join(paths.folder, place.host)}`, path: whole.slice(place.path.length) }
    },
  }
}

async function collect(want: Want, { paths }: Stopping, at: Collection): Promise<Got> {
  switch (want.kind) {
    case 'file':
    case 'kept-file':
      return await collectFile(want, at)
    case 'files':
      return await collectFiles(want, at)
    case 'tar':
      return await collectTar(want, at)
    case 'ask': {
      const bytes = await readFile(answerFile(paths, want.name)).catch(unlessAbsent)
      return bytes === undefined ? { kind: 'missing' } : { kind: 'bytes', bytes: new Uint8Array(bytes) }
    }
    case 'cluster-objects':
      return { kind: 'missing' }
    default:
      return never(want)
  }
}

async function logTailOf(paths: RunPaths, record: RunRecord): Promise<string> {
  const files = filesOf(paths, record.steps)
  for (const { logs } of files.toReversed()) {
    const text = await lastLines(
      logs.map(({ file }) => file),
      tailBytes,
    )
    if (text !== '') return text
  }
  return ''
}

function timeOf(file: string): number | undefined {
  const stats = statSmall(file)
  return stats && Math.round(stats.mtimeMs)
}
