/** What many jobs would each do first is done once, beside them; and the next of a kind is begun before it is ordered. */
import type { Engine } from '../engines/engine.ts'
import type { Clock } from '../kit/clock.ts'
import { encode } from '../kit/codec.ts'
import { enough } from '../kit/enough.ts'
import { sha256 } from '../kit/hash.ts'
import type { FileIn, Folder, Job, Want } from '../model/job.ts'
import type { Got, Report } from '../model/report.ts'

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

/** Results, which are small, and wishes that are kept at most. */
const resultsMax = 256
const wishesMax = 64
const seconds = 120
/** How long nothing has to be done before something is done that was missed only once. */
const calmMs = 250

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
  const results = new Map<string, Pick<Job, 'files' | 'folders'>>()
  const wishes = new Map<string, Wish>()
  const closing = new AbortController()
  let underWay = 0
  let calm = new AbortController()
  let work: Promise<void> | undefined

  async function fulfil(key: string, wish: Wish): Promise<void> {
    const name = `chd-beforehand-${key.slice(0, 16)}-${process.pid}`
    const { signal } = closing
    try {
      if (wish.kind === 'ahead') return await wish.engine.anticipate?.({ job: wish.job, cluster }, signal)
      const made = await makeOne(wish, { name, cluster, signal })
      if (made === undefined) return
      results.set(key, made)
      const [oldest] = results.keys()
      if (results.size > resultsMax && oldest !== undefined) results.delete(oldest)
    } catch (error) {
      if (!closing.signal.aborted) fault(error)
    }
  }

  /** What was missed twice is worth the time of others; the rest waits until there is nothing else to do. */
  async function next(): Promise<readonly [string, Wish] | undefined> {
    while (!closing.signal.aborted) {
      const all = [...wishes]
      const urgent = all.find(([, { missed }]) => missed > 1)
      if (urgent !== undefined) return urgent
      if (underWay > 0 || all.length === 0) return undefined
      const { signal } = calm
      await clock.sleep(calmMs, AbortSignal.any([signal, closing.signal]))
      if (!signal.aborted) return all[0]
    }
    return undefined
  }

  async function fulfilAll(): Promise<void> {
    for (let one = await next(); one !== undefined; one = await next()) {
      const [key, wish] = one
      if (closing.signal.aborted) return
      await fulfil(key, wish)
      wishes.delete(key)
    }
  }

  /** What was ordered once will be ordered again: the next finds all ready that needs no order. */
  function expectAgain(engine: Engine, job: Job): void {
    if (job.late === undefined || engine.anticipate === undefined) return
    wishes.set(`ahead ${engine.name}`, { kind: 'ahead', engine, job, missed: 0 })
  }

  function catchUp(): void {
    if (wishes.size === 0 || closing.signal.aborted) return
    work ??= fulfilAll().finally(() => {
      work = undefined
      if (underWay === 0) catchUp()
    })
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
        if (missed > 1 || wishes.size < wishesMax)
          wishes.set(key, { kind: 'result', engine, job: beforehand.job, missed })
        return plain
      }
      const { steps, late } = beforehand
      const fitted: Job = {
        ...plain,
        steps,
        files: [...plain.files, ...made.files],
        folders: [...plain.folders, ...made.folders],
        ...(late === undefined ? {} : { late }),
      }
      expectAgain(engine, fitted)
      return fitted
    },
    foresee(engine, first) {
      const key = keyOf(engine, first)
      if (results.has(key) || wishes.has(key) || wishes.size >= wishesMax) return
      wishes.set(key, { kind: 'result', engine, job: first, missed: 0 })
      catchUp()
    },
    enter() {
      underWay++
      calm.abort(enough)
      calm = new AbortController()
      return () => {
        underWay--
        catchUp()
      }
    },
    async close() {
      closing.abort()
      await work
    },
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
): Promise<Pick<Job, 'files' | 'folders'> | undefined> {
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

function resultOf({ got }: Report, wants: readonly Want[]): Pick<Job, 'files' | 'folders'> {
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
