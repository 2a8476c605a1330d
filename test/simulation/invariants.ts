/** What must be true when all is quiet, whatever happened before. */
import { orders } from '../../src/broker/orders.ts'
import { maskOf } from '../../src/kit/redact.ts'
import { hasEnded, type Operation } from '../../src/model/operation.ts'
import { rowsIn } from '../support/stores.ts'
import type { Cluster } from './cluster.ts'
import { poisonMark, secretMark } from './contract-model.ts'
import { type Program, saidBy } from './engine-model.ts'

const mask = maskOf([secretMark])

/** Every broken promise, by its number in the list of guarantees and invariants. */
export async function checkInvariants(
  cluster: Cluster,
  operations: readonly Operation[],
): Promise<readonly string[]> {
  const faults = [
    ...acknowledged(cluster, operations),
    ...startedOnce(cluster),
    ...noOverlap(cluster),
    ...oneMutator(cluster, operations),
    ...nothingLeft(cluster),
    ...leftToTheSweep(cluster),
    ...cluster.journal.surprises.map((text) => `an answer no platform should see: ${text}`),
    ...unexpected(cluster),
  ]
  for (const operation of operations) {
    faults.push(...(await oneOperation(cluster, operation)))
    faults.push(...(await overtaken(cluster, operation, operations)))
  }
  faults.push(...(await targets(cluster)))
  faults.push(...(await keysOfTenants(cluster)))
  for (const operation of operations) faults.push(...(await logOf(cluster, operation)))
  faults.push(...(await auditTrail(cluster, operations)))
  return faults
}

function acknowledged({ journal }: Cluster, operations: readonly Operation[]): readonly string[] {
  const known = new Set(operations.map(({ id }) => id))
  return [...journal.acknowledged]
    .filter((id) => !known.has(id))
    .map((id) => `I1 acknowledged and lost: ${id}`)
}

function startedOnce({ engine }: Cluster): readonly string[] {
  const counts = new Map<string, number>()
  for (const { name } of engine.programs) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([name, count]) => `I2 started ${count} times: ${name}`)
}

/** A new attempt only after proof that the one before is over. */
function noOverlap({ engine, world }: Cluster): readonly string[] {
  return [...byOperation(engine.programs)].flatMap(([operation, programs]) =>
    overlaps(programs, world.now) ? [`I3 two runs of one operation at once: ${operation}`] : [],
  )
}

function byOperation(programs: readonly Program[]): ReadonlyMap<string, readonly Program[]> {
  const groups = new Map<string, Program[]>()
  for (const program of programs)
    groups.set(program.operation, [...(groups.get(program.operation) ?? []), program])
  return groups
}

function overlaps(programs: readonly Program[], now: number): boolean {
  const sorted = [...programs].sort((a, b) => a.startedAt - b.startedAt)
  return sorted.some((program, i) => {
    const next = sorted[i + 1]
    return next !== undefined && (program.endedAt ?? now) > next.startedAt
  })
}

/** No two mutations of one instance run at once. */
function oneMutator({ engine, world }: Cluster, operations: readonly Operation[]): readonly string[] {
  const groups = new Map<string, Program[]>()
  for (const program of engine.programs) {
    const operation = operations.find(({ id }) => id === program.operation)
    if (operation === undefined) continue
    const { platform, instance, binding } = operation.target
    const target = `${platform} ${instance} ${binding ?? ''}`
    groups.set(target, [...(groups.get(target) ?? []), program])
  }
  return [...groups].flatMap(([target, programs]) =>
    overlaps(programs, world.now) ? [`I6 two mutations of one target at once: ${target}`] : [],
  )
}

function nothingLeft({ engine, world }: Cluster): readonly string[] {
  return [
    ...[...engine.left.keys()].map((name) => `I12 left behind: ${name}`),
    ...engine.programs
      .filter(({ endedAt }) => endedAt === undefined || endedAt > world.now)
      .map(({ name }) => `I12 still running: ${name}`),
    ...engine.foreignTouched.map((name) => `G9 touched what is foreign: ${name}`),
  ]
}

/**
 * The sweep is for what a crash or an outage left: where there was none, the run of an ended operation was destroyed by who ended it.
 * One of an earlier stage may be destroyed between the look at the engine and the look at the rows, and is swept for nothing.
 */
function leftToTheSweep({ events, knobs }: Cluster): readonly string[] {
  if (!knobs.calm) return []
  return events.flatMap((event) =>
    event.kind === 'swept' && event.why === 'its operation has ended'
      ? [`I11 left to the sweep in a life without faults: ${event.run}`]
      : [],
  )
}

/** Losing a lease or the store is expected; an exception in the core is not. */
function unexpected({ events }: Cluster): readonly string[] {
  return events.flatMap((event) => {
    if (event.kind !== 'fault') return []
    const code = (event.error as { problem?: { code?: string } }).problem?.code
    if (String(event.error).includes(poisonMark)) return []
    if (code === 'store.unavailable' || code === 'engine.unavailable' || code === 'store.fenced') return []
    return [
      `a fault of the core while it wanted to ${event.doing}: ${String((event.error as Error).stack ?? event.error)}`,
    ]
  })
}

async function oneOperation(cluster: Cluster, operation: Operation): Promise<readonly string[]> {
  const { store, engine, world } = cluster
  const { id, state } = operation
  const faults: string[] = []
  if (!hasEnded(state))
    faults.push(
      `G5 never ended: ${id} ${operation.action.kind} is ${state}: ${operation.reason}; deadline ${operation.deadlineAt - world.now}`,
    )
  const history = await store.look.history(id)
  const ends = history.filter((line) => hasEnded(line.state))
  if (hasEnded(state) && ends.length !== 1) faults.push(`G4 ended ${ends.length} times: ${id}`)
  if (hasEnded(state) && history.at(-1)?.state !== state) faults.push(`I4 changed after its end: ${id}`)
  if (history.some((line, i) => line.fence < (history[i - 1]?.fence ?? 0)))
    faults.push(`I9 a fence went back: ${id}`)
  if (operation.description?.includes(secretMark)) faults.push(`I17 a secret in the description of ${id}`)
  const truth = engine.programs.filter((program) => program.operation === id).at(-1)
  if (state === 'succeeded' && truth && (truth.exit !== 0 || truth.end.kind !== 'finished')) {
    faults.push(`succeeded, but its program ended with ${truth.exit} (${truth.end.kind}): ${id}`)
  }
  const wanted = operation.cancelRequestedAt !== undefined || operation.problem === 'operation.deadline'
  if (truth?.end.kind === 'stopped' && !wanted)
    faults.push(`a program was stopped that nobody wanted stopped: ${id}`)
  const stumbles = history.filter((line) => line.reason.includes('unexpected fault')).length
  const releases = history.filter((line) => line.reason.startsWith('released')).length
  if (stumbles > 4 * (1 + releases)) faults.push(`stumbled ${stumbles} times and was not held back: ${id}`)
  const late = operation.problem === 'operation.deadline' || operation.problem === 'operation.interrupted'
  if (cluster.knobs.calm && late) faults.push(`${operation.problem} in a life without faults: ${id}`)
  const { begins, ends: over } = cluster.journal
  const endedAt = over.get(id) ?? Number.POSITIVE_INFINITY
  if (truth && truth.startedAt > endedAt) faults.push(`G2 started after its end: ${id}`)
  if (cluster.knobs.calm && operation.forceAt !== undefined && endedAt > operation.forceAt + 15_000)
    faults.push(`was to be forced to end, and ended ${endedAt - operation.forceAt} ms later: ${id}`)
  const tookMs = endedAt - (begins.get(id) ?? 0)
  if (
    operation.problem === 'operation.deadline' &&
    tookMs < 0.97 * (operation.deadlineAt - operation.createdAt)
  )
    faults.push(`ended by its deadline after ${tookMs} ms: ${id}`)
  return faults
}

/** No secret in a log, no line twice; and where nothing went wrong, all that its program has said. */
async function logOf({ store, engine, knobs }: Cluster, { id }: Operation): Promise<readonly string[]> {
  const rows = await store.look.log(id, 0, 100_000)
  const faults: string[] = []
  for (const [run, pieces] of Map.groupBy(rows, (row) => row.run)) {
    const text = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()
    if (text.includes(secretMark)) faults.push(`I17 a secret in the log of ${run}`)
    const lines = [...text.matchAll(/line (\d+) of chd/g)].map(([, number]) => Number(number))
    if (lines.some((line, i) => i > 0 && line <= (lines[i - 1] ?? 0)))
      faults.push(`I16 lines twice in the log of ${run}: ${lines}`)
    const program = engine.programs.find(({ name }) => name === run)
    const said = program && mask.text(saidBy(program, program.endedAt ?? 0))
    if (knobs.calm && program?.end.kind === 'finished' && text !== said)
      faults.push(`I16 the log of ${run} is not what it said: ${JSON.stringify(text)}`)
  }
  return faults
}

/** What a delete has overtaken is not done, unless the delete came to nothing itself. */
async function overtaken(
  { store }: Cluster,
  { id, state, target }: Operation,
  operations: readonly Operation[],
): Promise<readonly string[]> {
  if (state !== 'succeeded') return []
  const line = (await store.look.history(id)).find(({ reason }) => reason.includes('is being deleted'))
  if (line === undefined) return []
  const stands = operations.some(
    (other) =>
      (other.action.kind === 'deprovision' || other.action.kind === 'unbind') &&
      other.target.platform === target.platform &&
      other.target.instance === target.instance &&
      other.createdAt >= line.at &&
      other.createdAt - line.at < 1000 &&
      other.state === 'succeeded',
  )
  return stands ? [`succeeded, though its target was being deleted: ${id}`] : []
}

/** Where no process died and none was paused, only what throws on purpose may be held back. */
export async function heldBack(
  { store, events }: Cluster,
  operations: readonly Operation[],
): Promise<readonly string[]> {
  const poisoned = new Set(
    events.flatMap((event) =>
      event.kind === 'fault' && String(event.error).includes(poisonMark) ? [event.operation] : [],
    ),
  )
  const faults: string[] = []
  for (const { id } of operations) {
    const history = await store.look.history(id)
    if (!poisoned.has(id) && history.some(({ state }) => state === 'quarantined'))
      faults.push(`quarantined, though only the store was away: ${id}`)
  }
  return faults
}

/** Everything that belongs to a tenant is sealed with the key of that tenant, whatever wrote it. */
async function keysOfTenants({ store }: Cluster): Promise<readonly string[]> {
  const sealed = await rowsIn(store, 'SELECT owner, name, body FROM sealed')
  const logs = await rowsIn(store, "SELECT 'log/' || run AS owner, position AS name, body FROM logs")
  return [...sealed, ...logs]
    .filter(({ owner }) => /^(instance|binding|operation|run|log|hidden)\//.test(String(owner)))
    .filter(({ body }) => body instanceof Uint8Array && body[0] !== 2)
    .map(({ owner, name }) => `I13 ${name} of ${owner} is sealed without the key of its tenant`)
}

async function targets({ store }: Cluster): Promise<readonly string[]> {
  const faults: string[] = []
  const { items } = await store.look.instances({ most: 1000 })
  for (const instance of items) {
    await orders.instance(store.look, instance).catch((error: unknown) => {
      faults.push(`I13 what ${instance.instance} was ordered with cannot be opened: ${String(error)}`)
    })
    const name = `${instance.platform}/${instance.instance}`
    if (instance.currentOperation !== undefined)
      faults.push(`I5 ${name} still belongs to ${instance.currentOperation}`)
    if (!['ready', 'failed', 'gone'].includes(instance.state))
      faults.push(`${name} rests in ${instance.state}`)
    const latest = (
      await store.look.operations({ platform: instance.platform, instance: instance.instance, most: 200 })
    ).items.filter(({ target }) => target.binding === undefined)
    const last = latest[0]
    if (last?.state === 'succeeded' && last.action.kind === 'provision' && instance.state !== 'ready') {
      faults.push(`I7 ${name} was provisioned and is ${instance.state}`)
    }
    if (last?.state === 'succeeded' && last.action.kind === 'deprovision' && instance.state !== 'gone') {
      faults.push(`I7 ${name} was deprovisioned and is ${instance.state}`)
    }
    for (const binding of await store.look.bindings(instance)) {
      const bound = (await orders.answer(store.look, binding)) !== undefined
      if (binding.currentOperation !== undefined)
        faults.push(`I5 ${name}/${binding.binding} still belongs to an operation`)
      if (bound !== (binding.state === 'bound'))
        faults.push(`I7 ${name}/${binding.binding} is ${binding.state}, credentials: ${bound}`)
      if (instance.state === 'gone' && binding.state !== 'gone')
        faults.push(`I15 ${name}/${binding.binding} outlived its instance`)
    }
  }
  return faults
}

/** Every ordered operation has its record, and the chain holds. */
async function auditTrail({ store }: Cluster, operations: readonly Operation[]): Promise<readonly string[]> {
  const records = await store.look.audit(0, 100_000)
  const faults = records.flatMap((record, i) =>
    record.prev === (records[i - 1]?.hash ?? record.prev)
      ? []
      : [`I10 the audit chain breaks at ${record.seq}`],
  )
  const started = records.filter(
    ({ result, action }) => result === 'started' && /^(instance|binding)\./.test(action),
  ).length
  if (started !== operations.length)
    faults.push(`G11 ${operations.length} operations, ${started} records of their start`)
  return faults
}
