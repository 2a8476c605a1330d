/** Runs begun ahead: they wait at their start gate for the next layout with the same job. */
import { enough } from '../../kit/enough.ts'
import type { Job } from '../../model/job.ts'
import type { Anticipated } from '../engine.ts'
import { begin, keyOf, mayWait, type Waiting, type Waits } from './begin-ahead.ts'
import { clearAway } from './discard.ts'
import { isReady, type Loan, lend } from './lend-addresses.ts'
import { type Loans, openLoans } from './loans.ts'
import { pathsIn } from './run-folder.ts'
import { isAtStartGate, shimIn } from './start-gate.ts'
import type { StartedShim } from './starters.ts'

export interface Ahead {
  /** Begins it, unless one waits already; the one that has waited longest goes where there are too many. */
  anticipate(run: Anticipated, signal: AbortSignal): Promise<void>
  /** The one that waits for such a job; it is taken from now on. */
  take(job: Job): Waiting | undefined
  /** Sends it away. */
  letGo(waiting: Waiting): Promise<void>
  /** From now on it is a run. */
  adopted(run: string, waiting: Waiting): void
  /** The shim that waits in a run which was laid out here. */
  shimOf(run: string): StartedShim | undefined
  /** What is lent to its network already; the caller ends it from now on. */
  loanTo(run: string): Loan | undefined
  /** The run has had its word to go. */
  forget(run: string): void
  /** The run shall never start. */
  dismiss(run: string): void
  close(): Promise<void>
}

/** Each of them holds memory for as long as it waits. */
const waitingMax = 2
const waitingMs = 10 * 60_000
const leavingMs = 5_000
const comingMs = 30_000
const glanceMs = 25

/** Keeps them for an engine; they end with this process, whatever ends it. */
export function openAhead(at: () => Waits): Ahead {
  const waiting = new Map<string, Waiting>()
  const shims = new Map<string, StartedShim>()
  const loans = openLoans()
  const coming = new Set<string>()
  const closing = new AbortController()

  const letGo = (one: Waiting): Promise<void> => sendAway(at(), one, loans)

  async function keep(key: string, one: Waiting): Promise<void> {
    const gone = new AbortController()
    one.shim.onEnd(() => gone.abort(enough))
    await at().clock.sleep(waitingMs, AbortSignal.any([gone.signal, closing.signal]))
    if (waiting.get(key) !== one) return
    waiting.delete(key)
    await letGo(one)
  }

  return {
    async anticipate({ job, cluster }, signal) {
      const key = keyOf(job)
      if (!mayWait(job, at().host) || waiting.has(key) || coming.has(key)) return
      coming.add(key)
      try {
        const wanted = AbortSignal.any([signal, closing.signal])
        const one = await begin(at(), { job, cluster }, wanted)
        if (one === undefined) return
        if (!(await comesToDoor(at(), one, { loans, signal: wanted }).catch(() => false)))
          return await letGo(one)
        waiting.set(key, one)
        // What could not be cleared away is found by the sweep.
        void keep(key, one).catch(() => undefined)
      } finally {
        coming.delete(key)
      }
      const surplus = takeSurplus(waiting)
      if (surplus !== undefined) await letGo(surplus)
    },
    take(job) {
      if (job.late === undefined) return undefined
      const key = keyOf(job)
      const one = waiting.get(key)
      if (one === undefined || one.shim.hasEnded()) return undefined
      waiting.delete(key)
      return one
    },
    letGo,
    adopted(run, { shim, name }) {
      shims.set(run, shim)
      loans.move(name, run, shim)
    },
    loanTo: loans.take,
    shimOf: (run) => shims.get(run),
    forget: (run) => void shims.delete(run),
    dismiss(run) {
      loans.end(run)
      shims.get(run)?.dismiss()
      shims.delete(run)
    },
    async close() {
      closing.abort(enough)
      const all = [...waiting.values()]
      waiting.clear()
      for (const shim of shims.values()) shim.dismiss()
      await Promise.all(all.map(letGo))
      loans.endAll()
    },
  }
}

/** Takes the one that has waited longest where there are too many. */
function takeSurplus(waiting: Map<string, Waiting>): Waiting | undefined {
  const [oldest] = waiting
  if (waiting.size <= waitingMax || oldest === undefined) return undefined
  waiting.delete(oldest[0])
  return oldest[1]
}

async function sendAway(at: Waits, { shim, site, name }: Waiting, loans: Loans): Promise<void> {
  loans.end(name)
  shim.dismiss()
  const gone = new AbortController()
  shim.onEnd(() => gone.abort(enough))
  if (!shim.hasEnded()) await at.clock.sleep(leavingMs, gone.signal)
  await clearAway(at, pathsIn(site.aside))
}

/** Whether it stands there at last, with what its network is lent. Where it lies is known to its shim by name until then. */
async function comesToDoor(
  { clock, host }: Waits,
  { shim, site, door, lent, name }: Waiting,
  { loans, signal }: { readonly loans: Loans; readonly signal: AbortSignal },
): Promise<boolean> {
  const until = clock.monotonic() + comingMs
  while (!shim.hasEnded() && !signal.aborted && clock.monotonic() < until) {
    const isLent = lent.length === 0 || loans.has(name)
    const pid = isLent || !isReady({ folder: site.aside }) ? undefined : shimIn(site.aside)?.pid
    const network = { host, folder: site.aside, pid: Promise.resolve(pid) }
    const loan = pid === undefined ? undefined : await lend(lent, network)
    if (loan !== undefined) loans.add(name, loan)
    else if (isLent && (await isAtStartGate(site.aside, door, site.name))) return true
    else await clock.sleep(glanceMs, signal)
  }
  return false
}
