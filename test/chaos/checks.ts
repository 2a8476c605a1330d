/** After the storm: every acknowledged order exists and has ended, nothing started twice, every state has its history. */
import { setTimeout as pause } from 'node:timers/promises'
import type { HistoryLine, Operation, Run } from '../../src/api/operation.ts'
import { hasEnded } from '../../src/model/operation.ts'
import { accounts } from '../support/broker-process.ts'
import type { Expected } from './customer.ts'
import type { Front } from './front.ts'
import type { Acknowledged } from './journal.ts'

export interface Storm {
  readonly front: Front
  readonly acknowledged: readonly Acknowledged[]
  readonly expected: readonly Expected[]
  /** The runs that the engine noted, each start a line. */
  readonly starts: readonly string[]
}

export interface Aftermath {
  /** Everything that is not as it was promised. */
  readonly faults: readonly string[]
  /** The operation that took longest from its order to its end, and where the time went. */
  readonly slowest: string
}

/** Looks at everything once all orders have ended. */
export async function lookAfter(storm: Storm): Promise<Aftermath> {
  const operations = await allEnded(storm.front)
  const byId = new Map(operations.map((one) => [one.id, one]))
  const starts = timesStarted(storm.starts)
  const faults = [
    ...operations.filter(({ state }) => !hasEnded(state)).map((one) => `${describe(one)} never ended`),
    ...storm.acknowledged.flatMap((one) => lost(one, byId.get(one.operation))),
    ...(await inTurn(storm.acknowledged, (one) => unstarted(storm.front, one, { byId, starts }))),
    ...[...starts]
      .filter(([, times]) => times > 1)
      .map(([operation, times]) => `${operation} started ${times} times`),
    ...[...starts.keys()].filter((id) => !byId.has(id)).map((id) => `${id} was started and is not known`),
    ...(await inTurn(operations, (one) => unexplained(storm.front, one))),
    ...(await inTurn(storm.expected, (one) => different(storm.front, one))),
  ]
  const [slowest] = operations.toSorted((a, b) => took(b) - took(a))
  return { faults, slowest: slowest === undefined ? '' : await timesOf(storm.front, slowest) }
}

function took({ createdAt, finishedAt }: Operation): number {
  return finishedAt === undefined ? 0 : Date.parse(finishedAt) - Date.parse(createdAt)
}

async function timesOf(front: Front, one: Operation): Promise<string> {
  const { items } = (await operator(front, `/operations/${one.id}/history`)) as {
    items: readonly HistoryLine[]
  }
  const steps = items.map(({ at, state, reason }) => {
    const after = Date.parse(at) - Date.parse(one.createdAt)
    return `${after} ms ${state}${reason === state ? '' : ` (${reason})`}`
  })
  return `${took(one)} ms, ${describe(one)}: ${steps.join(', ')}`
}

/** All operations, as soon as none is active any more or the time is up. */
async function allEnded(front: Front): Promise<readonly Operation[]> {
  for (let tries = 0; tries < 150; tries++) {
    const active = await list(front, '?state=active&limit=1')
    if (active.length === 0) break
    await pause(200)
  }
  return list(front, '?limit=500')
}

async function list(front: Front, query: string): Promise<readonly Operation[]> {
  const found: Operation[] = []
  for (let cursor = ''; ; ) {
    const page = await operator(front, `/operations${query}${cursor}`)
    found.push(...(page['items'] as readonly Operation[]))
    if (typeof page['next'] !== 'string' || query.includes('limit=1&')) return found
    cursor = `&cursor=${encodeURIComponent(page['next'])}`
  }
}

async function operator(front: Front, path: string): Promise<{ readonly [key: string]: unknown }> {
  const { status, body } = await front.ask({
    method: 'GET',
    path: `/api/v1${path}`,
    authorization: accounts.operator,
  })
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
  return body
}

function lost(one: Acknowledged, known: Operation | undefined): readonly string[] {
  if (known === undefined) return [`${one.kind} ${one.operation} was acknowledged and is lost`]
  const same = known.instance === one.instance && known.binding === one.binding && known.action === one.kind
  return same ? [] : [`${one.kind} ${one.operation} became ${describe(known)}`]
}

interface Seen {
  readonly byId: ReadonlyMap<string, Operation>
  readonly starts: ReadonlyMap<string, number>
}

/** Work that takes time and succeeded was started: as the engine noted, or, killed before it could, as the broker did. */
async function unstarted(
  front: Front,
  one: Acknowledged,
  { byId, starts }: Seen,
): Promise<readonly string[]> {
  const known = byId.get(one.operation)
  if (known?.state !== 'succeeded' || one.ms === 0 || starts.has(one.operation)) return []
  const { items } = (await operator(front, `/operations/${one.operation}/runs`)) as { items: readonly Run[] }
  return items.length === 1 ? [] : [`${describe(known)} succeeded with ${items.length} runs`]
}

/** How often each operation was started; the name of a run holds the operation. */
function timesStarted(runs: readonly string[]): ReadonlyMap<string, number> {
  const starts = new Map<string, number>()
  for (const run of runs) {
    const operation = /^chd-[^-]+-([0-9a-z]{26})-/.exec(run)?.[1] ?? run
    starts.set(operation, (starts.get(operation) ?? 0) + 1)
  }
  return starts
}

async function unexplained(front: Front, one: Operation): Promise<readonly string[]> {
  const { items } = (await operator(front, `/operations/${one.id}/history`)) as {
    items: readonly HistoryLine[]
  }
  const last = items.at(-1)
  const faults = [
    items[0]?.state === 'queued' ? '' : `begins as ${items[0]?.state}`,
    last?.state === one.state ? '' : `is ${one.state}, its history ends as ${last?.state}`,
    items.slice(0, -1).some(({ state }) => hasEnded(state)) ? 'went on after its end' : '',
    items.some(({ reason }) => reason === '') ? 'changed without a reason' : '',
    items.some(({ fence }, i) => fence < (items[i - 1]?.fence ?? 0))
      ? 'was written by an owner of before'
      : '',
  ]
  return faults.filter(Boolean).map((fault) => `${describe(one)} ${fault}`)
}

async function different(front: Front, { instance, state, size }: Expected): Promise<readonly string[]> {
  const found = await front.ask({
    method: 'GET',
    path: `/v2/service_instances/${instance}`,
    authorization: accounts.platform,
  })
  const fits =
    state === 'gone'
      ? found.status === 404
      : found.status === 200 && (found.body['parameters'] as { size?: number }).size === size
  const is = `${found.status} ${JSON.stringify(found.body)}`
  return fits
    ? []
    : [`${instance} should be ${state}${size === undefined ? '' : ` of size ${size}`} and is ${is}`]
}

function describe({ action, id, instance, state }: Operation): string {
  return `${action} ${id} of ${instance} (${state})`
}

async function inTurn<T>(
  items: readonly T[],
  look: (item: T) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (let i = 0; i < items.length; i += 16) {
    const found = await Promise.all(items.slice(i, i + 16).map(look))
    faults.push(...found.flat())
  }
  return faults
}
