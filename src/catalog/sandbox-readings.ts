/** Packages of sandboxes that must be read, or read anew: a few at a time and beside everything else, so that no registry keeps a catalog waiting. */
import type { SandboxReading } from '../broker/sandbox.ts'
import type { Clock } from '../kit/clock.ts'
import type { JsonObject } from '../kit/json.ts'
import type { Package } from '../model/package.ts'
import { type Problem, toProblem } from '../model/problem.ts'
import { type SandboxPackage, sandboxName } from '../model/sandbox.ts'
import type { Enrolment, Store } from '../store/store.ts'
import { type EnrolWord, isAway, remembered, toldProblems } from './enrol.ts'

export interface SandboxReadings {
  /** What this process read of it, if it did. */
  found(row: SandboxPackage): Package | undefined
  /** Has it read, unless that is under way or was tried a short while ago. */
  ask(row: SandboxPackage, before: Before): void
  /** Forgets all others. */
  keep(rows: readonly SandboxPackage[]): void
  /** Resolves when none is being read; none begins after the signal. */
  settled(): Promise<void>
}

/** offered: as it was read before. refused: for a reason that is written down. unread: without one. */
export type Before = 'offered' | 'refused' | 'unread'

export interface SandboxReadingParts {
  readonly store: Store
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  read(row: SandboxPackage, signal: AbortSignal): Promise<SandboxReading>
  readonly signal: AbortSignal
  tell(word: EnrolWord): void
}

/** So many tenants at a time, and of each one package: what is slow or silent in one sandbox holds up no other. */
const tenantsAtOnce = 8
/** So long a registry may take. */
const patienceMs = 30_000
/** A registry that failed is asked again after this. */
const againAfterMs = 60_000

interface Wanted {
  readonly row: SandboxPackage
  state: 'waiting' | 'reading' | 'over'
  before: Before
  found?: Package
  /** When it was over, by the clock that only grows. */
  at: number
}

/** Nothing is read until it is asked for. */
export function makeSandboxReadings(parts: SandboxReadingParts): SandboxReadings {
  const { clock, signal } = parts
  // In the order in which they were asked for.
  const wanted = new Map<string, Wanted>()
  const running = new Map<string, Promise<void>>()
  const begin = (): void => {
    for (const one of wanted.values()) {
      if (signal.aborted || running.size >= tenantsAtOnce) return
      const { tenant } = one.row
      if (one.state !== 'waiting' || running.has(tenant)) continue
      one.state = 'reading'
      const over = readAnew(one, parts).then((found) => {
        one.state = 'over'
        one.at = clock.monotonic()
        if (found !== undefined) one.found = found
        running.delete(tenant)
        begin()
      })
      running.set(tenant, over)
    }
  }
  return {
    found: (row) => wanted.get(keyOf(row))?.found,
    ask(row, before) {
      const key = keyOf(row)
      const last = wanted.get(key)
      if (last !== undefined) {
        if (last.state !== 'over' || clock.monotonic() - last.at < againAfterMs) return
        // Behind those that wait for their first time.
        wanted.delete(key)
      }
      wanted.set(key, { at: 0, ...last, row, before, state: 'waiting' })
      begin()
    },
    keep(rows) {
      const keys = new Set(rows.map(keyOf))
      for (const [key, { state }] of wanted) if (!keys.has(key) && state !== 'reading') wanted.delete(key)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}

/** Digests do not change, so what was read of one stays true as long as it is named. */
function keyOf({ tenant, name, reference, contract }: SandboxPackage): string {
  return JSON.stringify([tenant, name, reference, contract])
}

/** Reads one and writes down what came of it; the package, if it is one. Never throws. */
async function readAnew(
  { row, before }: Pick<Wanted, 'row' | 'before'>,
  parts: SandboxReadingParts,
): Promise<Package | undefined> {
  const { clock, signal, read, tell } = parts
  const told = { name: sandboxName(row), source: 'registry' as const }
  const refuse = (problem: Problem, mayReplace: boolean): Promise<void> => {
    const problems = toldProblems(problem) as unknown as JsonObject[]
    const document = { problems, options: {}, tenant: row.tenant }
    const contract = row.contract ?? ''
    return write(parts.store, row, { digest: '', contract, state: 'refused', document }, mayReplace)
  }
  const late = new AbortController()
  const over = new AbortController()
  clock.sleep(patienceMs, over.signal).then(
    () => late.abort(),
    () => undefined,
  )
  try {
    if (before === 'unread') await refuse({ code: 'package.unread' }, true)
    const reading = await read(row, AbortSignal.any([late.signal, signal]))
    await write(parts.store, row, { ...reading, state: 'offered' }, true)
    tell({ kind: 'offered', ...told })
    return remembered(reading).package
  } catch (error) {
    if (signal.aborted) return undefined
    const problem = late.signal.aborted ? silence(row) : toProblem(error)
    // A registry that is away must not take services out of the catalog that were in it before.
    const isKept = before === 'offered' && isAway(problem)
    tell({ kind: isKept ? 'kept' : 'refused', ...told, problem })
    if (isKept) return undefined
    // What another process, or its author anew, has read meanwhile stays.
    await refuse(problem, before === 'offered').catch((fault: unknown) =>
      tell({ kind: 'refused', ...told, problem: toProblem(fault) }),
    )
    return undefined
  } finally {
    over.abort()
  }
}

function silence({ reference }: SandboxPackage): Problem {
  const detail = `no answer within ${patienceMs / 1000} s`
  return { code: 'registry.unreachable', detail, where: { source: reference } }
}

/** Writes nothing of what was taken away or replaced while it was read. */
async function write(
  store: Store,
  row: SandboxPackage,
  what: Pick<Enrolment, 'digest' | 'contract' | 'state' | 'document'>,
  mayReplace: boolean,
): Promise<void> {
  const name = sandboxName(row)
  await store.write(async (tx) => {
    const standing = await tx.lockSandbox(row.tenant)
    if (!standing.some((one) => keyOf(one) === keyOf(row))) return
    if (!mayReplace && (await tx.enrolment(name))?.state === 'offered') return
    await tx.putEnrolment({ ...what, name, reference: row.reference, updatedAt: await tx.now() })
    tx.hint({ kind: 'sandbox' })
  })
}
