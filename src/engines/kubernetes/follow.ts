/** Stays with a pod until its run has ended: hands its log on, keeps its deadline, tells what came of it. */
import type { Want } from '../../model/job.ts'
import { ProblemError } from '../../model/problem.ts'
import { emptyReport, type Report } from '../../model/report.ts'
import { type Helper, withHelpers } from '../beside.ts'
import type { Watch } from '../engine.ts'
import { keepWhileRunning } from '../kept-files.ts'
import { commandLine } from '../shell.ts'
import { progressOf } from '../told-progress.ts'
import { goScript, home } from './agent.ts'
import type { KubernetesContext } from './context.ts'
import { programInside, runInside, versionInside, whileThere } from './inside.ts'
import { isOver, marks, type Pod, recordOf } from './pod.ts'
import { answerName, collectWant, reportOf, reportOfLost } from './report-of.ts'
import { type Stopping, stopRun } from './stop.ts'
import { hearing, type Slot, slotsOf, type Told, tellScript } from './tell.ts'

const pauseMs = 500

/** Follows to the end; may be done again by another process, and answers the same. */
export async function follow(context: KubernetesContext, run: string, watch: Watch): Promise<Report> {
  const lost = (): Report => emptyReport({ kind: 'lost' }, context.clock.now())
  const first = await context.runs.look(run)
  const record = first && recordOf(first)
  if (first === undefined || record === undefined) return lost()
  const at: Stopping = { context, pod: run, record }
  const startedAt = Number(first.annotations[marks.started] ?? context.clock.now())
  const helpers: readonly Helper[] = [
    (signal) => keepDeadline(at, startedAt, signal),
    (signal) => keepRunning(at, watch, signal),
    (signal) => askWhileRunning(at, signal),
    ...(context.sandbox === undefined ? [] : [(signal: AbortSignal) => tellProgress(at, watch, signal)]),
  ]
  const positions = new Map<string, number>()
  for (;;) {
    let told: Told | undefined
    const there = await context.runs.look(run)
    if (there === undefined) return lost()
    if (isOver(there)) return reportOfLost(there, startedAt, context.clock.now())
    try {
      await withHelpers(watch.signal, helpers, async (signal) => {
        told = await hear(at, { watch, positions }, signal)
        return told !== undefined
      })
    } catch (error) {
      // A connection that broke is made anew; what was told before is not told again.
      if (!(error instanceof ProblemError)) throw error
    }
    if (watch.signal.aborted) return lost()
    if (told !== undefined) return await reportOf(at, told, watch)
    await context.clock.sleep(pauseMs, watch.signal)
  }
}

interface Hearing {
  readonly watch: Watch
  /** How far each stream was told, over all connections. */
  readonly positions: Map<string, number>
}

/** One connection; answers what was told at the end, if it came to that. */
async function hear(
  { context, pod, record }: Stopping,
  { watch, positions }: Hearing,
  left: AbortSignal,
): Promise<Told | undefined> {
  const slots = slotsOf(record.steps)
  const nameOf = ({ step }: Slot): string => record.steps[step]?.name ?? ''
  const from = (slot: Slot): number => positions.get(slot.file) ?? watch.had(nameOf(slot), slot.stream)
  const words = openWords()
  // What is read stays until the next file was, since what the listener took last may not be kept yet.
  const read = new Map<string, string>()
  const heard = hearing(slots, {
    piece: async (slot, bytes) => {
      await watch.log({ stream: slot.stream, step: nameOf(slot), bytes })
      positions.set(slot.file, (positions.get(slot.file) ?? from(slot)) + bytes.length)
    },
    read: (slot, file) => {
      const before = read.get(slot.file)
      if (before !== undefined) words.say(`${before}\n`)
      read.set(slot.file, file)
    },
    tooMuch: () => {
      stopRun({ context, pod, record }, 'stdout', 0).catch(() => undefined)
    },
  })
  const script = `${goScript}\n${tellScript(record.steps, from)}`
  const take = (piece: Buffer): Promise<void> => heard.take(piece)
  await whileThere(context, { pod, fits: (there) => !isOver(there), left }, (signal) =>
    runInside(context, { pod, container: 'sidecar', script, stdin: words.stream, take, signal }),
  )
  return heard.told()
}

/** Lines for a script, when there are some. */
function openWords(): { readonly stream: AsyncIterable<Uint8Array>; say(line: string): void } {
  const lines: string[] = []
  let wake: (() => void) | undefined
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const line = lines.shift()
      if (line !== undefined) yield Buffer.from(line)
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
  return {
    stream: stream(),
    say: (line) => {
      lines.push(line)
      wake?.()
    },
  }
}

/** A timer takes no more than 2^31 ms. */
const longestNapMs = 60_000

async function keepDeadline(at: Stopping, startedAt: number, signal: AbortSignal): Promise<void> {
  const { context, record } = at
  const until = startedAt + record.limits.seconds * 1000
  while (!signal.aborted) {
    const left = until - context.clock.now()
    if (left <= 0) return await stopRun(at, 'timed-out', record.limits.graceSeconds)
    await context.clock.sleep(Math.min(left, longestNapMs), signal)
  }
}

async function keepRunning(at: Stopping, watch: Watch, signal: AbortSignal): Promise<void> {
  const { context, pod, record } = at
  await keepWhileRunning(
    {
      wants: record.wants,
      clock: context.clock,
      watch,
      version: (want) => versionInside(context, pod, want.path),
      read: (want) => collectWant(want, programInside(context, pod), () => undefined).catch(() => undefined),
    },
    signal,
  )
}

async function askWhileRunning(at: Stopping, signal: AbortSignal): Promise<void> {
  const wants = at.record.wants.filter((want) => want.kind === 'ask')
  await Promise.all(wants.map((want) => askUntilAnswered(at, want, signal)))
}

/** What the program writes on its pod; resolves when it is asked no more. */
async function tellProgress({ context, pod }: Stopping, watch: Watch, signal: AbortSignal): Promise<void> {
  const tell = progressOf(watch)
  const look = (there: Pod | undefined): true | undefined => {
    if (there !== undefined) tell(there.annotations)
    return undefined
  }
  await context.pods.until(pod, look, signal).catch(() => undefined)
}

/** The answer stays in the pod, so that every later report has it. */
async function askUntilAnswered(
  { context, pod }: Stopping,
  want: Extract<Want, { kind: 'ask' }>,
  signal: AbortSignal,
): Promise<void> {
  const file = `${home}/${answerName(want.name)}`
  const script = [
    `[ ! -e ${file} ] || exit 0`,
    `$(cat ${home}/as-user) ${commandLine(want.argv)} </dev/null >${file}.new 2>/dev/null && mv ${file}.new ${file}`,
  ].join('\n')
  while (!signal.aborted) {
    const asked = await runInside(context, { pod, script, signal }).catch(() => undefined)
    if (asked?.exit === 0) return
    await context.clock.sleep(want.everySeconds * 1000, signal)
  }
}
