/** What many jobs would each do first is done once, beside them; and the next of a kind is begun before it is ordered. */
import type { Engine } from '../engines/engine.ts'
import type { Clock } from '../kit/clock.ts'
import { encode } from '../kit/codec.ts'
import { sha256 } from '../kit/hash.ts'
import { present } from '../kit/present.ts'
import type { FileIn, Folder, Job, Want } from '../model/job.ts'
import type { Got, Report } from '../model/report.ts'
import { openWishes } from './wishes.ts'

export interface Beforehand {
  /** The job as it is to be run now: shorter where its first part is done already. */
  fit(engine: Engine, job: Job): Job
  /** Something that later runs would each do first: done as soon as there is nothing else to do. */
  foresee(engine: Engine, first: Job): void
  /** Work on an operation begins; to be called when that ends. What was missing is done beside it, without being waited for. */
  enter(): () => void
  /** Ends what is under way. */
  close(): Promise<void>
}

/** Results, which are small, are kept up to that many. */
const resultsMax = 256
const seconds = 120

interface Wish {
  /** A result for all that follow, or one more like it begun ahead. */
  readonly kind: 'result' | 'ahead'
  readonly engine: Engine
  readonly job: Job
  /** How many jobs have missed it. */
  readonly missed: number
}

/** Keeps results in memory only: what is left of an earlier process is swept as a run without an operation. */
export function makeBeforehand(cluster: string, clock: Clock, fault: (error: unknown) => void): Beforehand {
  const results = new Map<string, Result>()
  const wishes = openWishes<Wish>(clock, async (key, wish, signal) => {
    const name = `chd-beforehand-${key.slice(0, 16)}-${process.pid}`
    try {
      if (wish.kind === 'ahead') return await wish.engine.anticipate?.({ job: wish.job, cluster }, signal)
      const made = await makeOne(wish, { name, cluster, signal })
      if (made === undefined) return
      results.set(key, made)
      const [oldest] = results.keys()
      if (results.size > resultsMax && oldest !== undefined) results.delete(oldest)
    } catch (error) {
      if (!signal.aborted) fault(error)
    }
  })

  /** What was ordered once will be ordered again: the next finds all ready that needs no order. */
  function expectAgain(engine: Engine, job: Job): void {
    if (job.late === undefined || engine.anticipate === undefined) return
    wishes.set(`ahead ${engine.name}`, { kind: 'ahead', engine, job, missed: 0 })
  }

  return {
    fit(engine, job) {
      const { beforehand, ...plain } = job
      if (beforehand === undefined) {
        expectAgain(engine, job)
        return job
      }
      const key = keyOf(engine, beforehand.job)
      const made = results.get(key)
      if (made === undefined) {
        const missed = (wishes.get(key)?.missed ?? 0) + 1
        wishes.set(key, { kind: 'result', engine, job: beforehand.job, missed })
        return plain
      }
      const fitted = fittedTo(plain, beforehand, made)
      expectAgain(engine, fitted)
      return fitted
    },
    foresee(engine, first) {
      const key = keyOf(engine, first)
      if (results.has(key) || wishes.get(key) !== undefined) return
      wishes.set(key, { kind: 'result', engine, job: first, missed: 0 })
      wishes.catchUp()
    },
    enter: wishes.enter,
    close: wishes.close,
  }
}

/** What a job's first part leaves for the rest. */
type Result = Pick<Job, 'files' | 'folders'>

/** The rest of the job, over what its first part has made. */
function fittedTo(
  plain: Omit<Job, 'beforehand'>,
  { steps, late }: NonNullable<Job['beforehand']>,
  made: Result,
): Job {
  return {
    ...plain,
    steps,
    files: [...plain.files, ...made.files],
    folders: [...plain.folders, ...made.folders],
    ...present({ late }),
  }
}

function keyOf(engine: Engine, first: Job): string {
  return sha256(encode([engine.name, first]))
}

interface Making {
  readonly name: string
  readonly cluster: string
  readonly signal: AbortSignal
}

/** Runs it outside of any operation; undefined where it did not come to its end. */
async function makeOne(
  { engine, job }: Wish,
  { name, cluster, signal }: Making,
): Promise<Result | undefined> {
  const limits = { ...job.limits, seconds }
  const order = { name, job: { ...job, limits }, cluster, operation: name, fence: 1 }
  const watch = {
    had: () => 0,
    log: () => Promise.resolve(),
    progress: () => undefined,
    kept: () => Promise.resolve(),
    signal,
  }
  try {
    await engine.layOut(order, watch)
    const report = await engine.follow(await engine.start({ name, fence: 1 }), watch)
    return isWell(report, job) ? resultOf(report, job.wants) : undefined
  } finally {
    await engine.discard(name)
  }
}

function isWell({ end, steps }: Report, job: Job): boolean {
  return end.kind === 'finished' && steps.length === job.steps.length && steps.every(({ exit }) => exit === 0)
}

function resultOf({ got }: Report, wants: readonly Want[]): Result {
  const found = wants.flatMap((want): readonly { readonly file?: FileIn; readonly folder?: Folder }[] => {
    const item: Got | undefined = got.get(want.name)
    if (item?.kind !== 'bytes' || !('path' in want)) return []
    const { path } = want
    const { bytes } = item
    if (want.kind === 'tar')
      return [{ folder: { path, mode: 0o755, readOnly: false, content: { kind: 'tar', tar: bytes } } }]
    return [
      { file: { path, mode: 0o644, owner: 'user', readOnly: false, content: { kind: 'bytes', bytes } } },
    ]
  })
  return {
    files: found.flatMap(({ file }) => file ?? []),
    folders: found.flatMap(({ folder }) => folder ?? []),
  }
}
