/** After the storm: every acknowledged order exists and has ended, nothing started twice, every state has its history. */
import { setTimeout as pause } from 'node:timers/promises'
import type { HistoryLine, Operation, Run } from '../../src/api/operation.ts'
import { hasEnded } from '../../src/model/operation.ts'
import { accounts } from '../support/broker-process.ts'
import type { Expected } from './customer.ts'
import type { Front } from './front.ts'
import type { Acknowledged } from './journal.ts'
import {
  auditFaults,
  bindingFaults,
  instanceFaults,
  inTurn,
  keyFaults,
  listed,
  logOf,
  lookUp,
  runsOf,
} from './outside.ts'
import { canary, type Wares } from './wares.ts'

export interface Storm {
  readonly front: Front
  readonly wares: Wares
  readonly acknowledged: readonly Acknowledged[]
  readonly expected: readonly Expected[]
}

export interface Aftermath {
  /** Everything that is not as it was promised. */
  readonly faults: readonly string[]
  /** The names of all runs that there were. */
  readonly runs: readonly string[]
  /** The operation that took longest from its order to its end, and where the time went. */
  readonly slowest: string
}

/** Looks at everything once all orders have ended. */
export async function lookAfter({ front, wares, acknowledged, expected }: Storm): Promise<Aftermath> {
  const operations = await allEnded(front)
  const byId = new Map(operations.map((one) => [one.id, one]))
  const promised = new Map(acknowledged.map((one) => [one.operation, one]))
  const runs: string[] = []
  const faults = [
    ...operations.filter(({ state }) => !hasEnded(state)).map((one) => `${describe(one)} never ended`),
    ...acknowledged.flatMap((one) => lost(one, byId.get(one.operation))),
    ...wares
      .begun()
      .filter((id) => !byId.has(id))
      .map((id) => `${id} was started and is not known`),
    ...(await inTurn(operations, async (one) => {
      const own = await runsOf(front, one)
      runs.push(...own.map(({ name }) => name))
      const log = await logOf(front, one)
      return [
        ...(await unexplained(front, one)),
        ...misdone(wares, promised.get(one.id), { one, runs: own, log }).map(
          (fault) => `${describe(one)} ${fault}`,
        ),
      ]
    })),
    ...(await inTurn(expected, (one) => different(front, one))),
    ...(await instanceFaults(front, byId)),
    ...(await bindingFaults(front)),
    ...(await auditFaults(front, operations)),
    ...(await keyFaults(front)),
  ]
  const [slowest] = operations.toSorted((a, b) => took(b) - took(a))
  return { faults, runs, slowest: slowest === undefined ? '' : await timesOf(front, slowest) }
}

interface Done {
  readonly one: Operation
  readonly runs: readonly Run[]
  readonly log: string
}

/** An operation is begun once, by one run that is gone when it has ended; its log is whole and tells no secret. */
function misdone(
  wares: Wares,
  promised: Acknowledged | undefined,
  { one, runs, log }: Done,
): readonly string[] {
  const starts = wares.starts(one.id, log)
  const hasRun = runs.length === 1
  // Killed before the engine could note it, the broker still knows of its run.
  const isUnstarted = promised !== undefined && promised.ms > 0 && starts === 0 && !hasRun
  return [
    starts > 1 ? `was started ${starts} times` : '',
    runs.length > 1 ? `has ${runs.length} runs` : '',
    one.state === 'succeeded' && isUnstarted ? 'succeeded and was never started' : '',
    log.includes(canary) ? 'tells a secret in its log' : '',
    ...(starts === 1
      ? wares.misspoken(log, one.state === 'succeeded').map((why) => `in its log: ${why}`)
      : []),
  ].filter(Boolean)
}

function took({ createdAt, finishedAt }: Operation): number {
  return finishedAt === undefined ? 0 : Date.parse(finishedAt) - Date.parse(createdAt)
}

async function timesOf(front: Front, one: Operation): Promise<string> {
  const { items } = (await lookUp(front, `/operations/${one.id}/history`)) as {
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
    const { items } = await lookUp(front, '/operations?state=active&limit=1')
    if (Array.isArray(items) && items.length === 0) break
    await pause(200)
  }
  return (await listed(front, '/operations')) as readonly Operation[]
}

function lost(one: Acknowledged, known: Operation | undefined): readonly string[] {
  if (known === undefined) return [`${one.kind} ${one.operation} was acknowledged and is lost`]
  const same = known.instance === one.instance && known.binding === one.binding && known.action === one.kind
  return same ? [] : [`${one.kind} ${one.operation} became ${describe(known)}`]
}

async function unexplained(front: Front, one: Operation): Promise<readonly string[]> {
  const { items } = (await lookUp(front, `/operations/${one.id}/history`)) as {
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
