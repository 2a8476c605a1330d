/** What is told of a run that has ended: from the marks in its pod, or from what the cluster says of a pod that is no more. */

import { never } from '../../kit/assert.ts'
import { present } from '../../kit/present.ts'
import type { Want } from '../../model/job.ts'
import { emptyReport, type Got, type Report, type RunEnd, type StepReport } from '../../model/report.ts'
import type { Watch } from '../engine.ts'
import { collectInside, type Inside } from '../inside.ts'
import { home } from './agent.ts'
import { bytesInside, programInside, runInside } from './inside.ts'
import { containers, type Pod, wordsOf } from './pod.ts'
import type { Stopping } from './stop.ts'
import type { Told } from './tell.ts'

/** The file in a pod that an answer is kept in. */
export function answerName(want: string): string {
  return `answer.${Buffer.from(want).toString('hex')}`
}

/** Collects everything; the pod stays until it is discarded, so this can be done again. */
export async function reportOf(at: Stopping, told: Told, watch: Watch): Promise<Report> {
  const { context, pod, record } = at
  const notes: string[] = []
  const got = new Map<string, Got>()
  const inside = programInside(context, pod)
  for (const want of record.wants) {
    const item =
      want.kind === 'ask'
        ? await answerOf(at, want.name)
        : await collectWant(want, inside, (text) => notes.push(text))
    got.set(want.name, item)
    if (want.kind === 'kept-file' && item.kind === 'bytes') await watch.kept(want.name, item.bytes)
  }
  const began = [...told.marks]
    .filter(([name]) => name.startsWith('began.'))
    .map(([, value]) => Number(value))
  const finishedAt = Math.round(Number(told.marks.get('finished') ?? 0) * 1000)
  return {
    end: await endOf(at, told),
    steps: stepsOf(at, told),
    got,
    logTail: told.tail,
    startedAt: Math.round(Math.min(...began) * 1000) || finishedAt,
    finishedAt,
    notes,
  }
}

function stepsOf({ record }: Stopping, { marks, captured }: Told): readonly StepReport[] {
  return record.steps.flatMap(({ name, streams }, i) => {
    const exit = marks.get(`exit.${i}`)
    if (exit === undefined) return []
    const bytes = captured.get(i)
    const most = streams.kind === 'apart' && streams.stdout.kind !== 'logged' ? streams.stdout.bytesMax : 0
    const stdout = bytes && new Uint8Array(bytes.subarray(0, most))
    return [present({ name, exit: Number(exit), stdout })]
  })
}

async function endOf({ context, pod, record }: Stopping, { marks, captured }: Told): Promise<RunEnd> {
  const stopped = marks.get('stopping')
  if (stopped === 'timed-out' || stopped === 'stopped') return { kind: stopped }
  if (stopped === 'stdout' || stopped === 'disk') return { kind: 'limit', limit: stopped }
  const exits = record.steps.map((_, i) => marks.get(`exit.${i}`))
  const hasFailed = exits.some((exit) => exit !== undefined && exit !== '0')
  if (hasFailed && Number(marks.get('killed') ?? 0) > 0) return { kind: 'limit', limit: 'memory' }
  if (marks.has('cut')) return { kind: 'limit', limit: 'disk' }
  for (const [i, { streams }] of record.steps.entries()) {
    const size = captured.get(i)?.length ?? 0
    if (streams.kind === 'apart' && streams.stdout.kind !== 'logged' && size > streams.stdout.bytesMax)
      return { kind: 'limit', limit: 'stdout' }
  }
  for (const { path, bytesMax } of record.checked)
    if ((await bytesInside(context, pod, path)) > bytesMax) return { kind: 'limit', limit: 'disk' }
  return { kind: 'finished' }
}

async function answerOf({ context, pod }: Stopping, name: string): Promise<Got> {
  const { exit, stdout } = await runInside(context, {
    pod,
    script: `cat ${home}/${answerName(name)} 2>/dev/null`,
  })
  return exit === 0 ? { kind: 'bytes', bytes: new Uint8Array(stdout) } : { kind: 'missing' }
}

/** What is wanted, from the container of the program. */
export async function collectWant(want: Want, inside: Inside, note: (text: string) => void): Promise<Got> {
  switch (want.kind) {
    case 'ask':
    case 'cluster-objects':
      return { kind: 'missing' }
    case 'file':
    case 'kept-file':
    case 'files':
    case 'tar':
      return await collectInside(inside, want, note)
    default:
      return never(want)
  }
}

/** Of a pod whose containers are gone, and with them all marks. */
export function reportOfLost(pod: Pod, startedAt: number, now: number): Report {
  const words = wordsOf(pod)
  const note = words === '' ? [] : [`the cluster ended the pod: ${words}`]
  return { ...emptyReport(endOfLost(pod), now), startedAt, notes: note }
}

function endOfLost(pod: Pod): RunEnd {
  const program = pod.containers.find(({ name }) => name === containers.program)
  if (program?.reason === 'OOMKilled') return { kind: 'limit', limit: 'memory' }
  if (pod.reason === 'DeadlineExceeded') return { kind: 'timed-out' }
  if (pod.reason !== 'Evicted') return { kind: 'lost' }
  if (/ephemeral|storage|disk|inode|emptydir/i.test(pod.message)) return { kind: 'limit', limit: 'disk' }
  return /memory/i.test(pod.message) ? { kind: 'limit', limit: 'memory' } : { kind: 'lost' }
}
