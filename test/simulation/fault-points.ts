/** One life of an instance and a binding, lived again and again: each time another of its effects goes wrong, in each way there is. */
import { bind } from '../../src/broker/bind.ts'
import { makeCatalog } from '../../src/broker/catalog.ts'
import { deprovision } from '../../src/broker/deprovision.ts'
import { offeringsOf } from '../../src/broker/offering.ts'
import type { Asker } from '../../src/broker/orders.ts'
import type { Ports } from '../../src/broker/ports.ts'
import { provision } from '../../src/broker/provision.ts'
import { unbind } from '../../src/broker/unbind.ts'
import { update } from '../../src/broker/update.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { hasEnded } from '../../src/model/operation.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { type Drawn, makeContract, offer, secretMark } from './contract-model.ts'
import { makeEngineModel } from './engine-model.ts'
import { checkInvariants } from './invariants.ts'
import { type FaultAtPoint, type FaultKind, noFaults } from './node-model.ts'
import { type Node, startNode } from './start-node.ts'
import { isQuiet, openInMemory } from './steady-world.ts'
import { makeWorld } from './world.ts'

/** The n-th time that an effect of this name takes place. */
interface Point {
  readonly effect: string
  readonly time: number
}

interface PointLife {
  /** All effects that took place, in order. */
  readonly effects: readonly string[]
  readonly wasReached: boolean
  readonly faults: readonly string[]
}

const faultKinds = [
  'crash before',
  'crash after',
  'error',
  'disk full',
  'time-out with success',
] as const satisfies readonly FaultKind[]

/** For how long a disk stays full, and a process is away. */
const fullMs = 5000
const awayMs = 1000
const quietMs = 300_000

/** Housework comes round again and again: a few times of it stand for all. */
const timesOfOne = { most: 5, ofWork: 30 }

/** Every point of a life without faults, with all that can go wrong there. */
async function* faultTable(): AsyncGenerator<Cell> {
  const { effects } = await livePoint()
  const times = new Map<string, number>()
  for (const effect of effects) {
    const time = (times.get(effect) ?? 0) + 1
    times.set(effect, time)
    const isWork = /^engine|record|decided|unbind|deprovision/.test(effect)
    if (time > (isWork ? timesOfOne.ofWork : timesOfOne.most)) continue
    for (const kind of faultKinds) {
      const takesRoom = effect.startsWith('write') || effect === 'engine layOut'
      if (kind !== 'disk full' || takesRoom) yield { point: { effect, time }, kind }
    }
  }
}

interface Cell {
  readonly point: Point
  readonly kind: FaultKind
}

/** Lives the cells of one of several shares; tells what broke, and cells that were not come to. */
export async function liveTable({
  share,
  of,
}: {
  readonly share: number
  readonly of: number
}): Promise<{ readonly cells: number; readonly faults: readonly string[] }> {
  const faults: string[] = []
  let number = 0
  let cells = 0
  for await (const cell of faultTable()) {
    if (number++ % of !== share) continue
    cells++
    const life = await livePoint(cell)
    const name = `${cell.kind} at ${cell.point.effect}, time ${cell.point.time}`
    if (!life.wasReached) faults.push(`${name}: never came to it`)
    faults.push(...life.faults.map((fault) => `${name}: ${fault}`))
  }
  return { cells, faults }
}

/** Lives it with one fault, or none. */
async function livePoint(fault?: { readonly point: Point; readonly kind: FaultKind }): Promise<PointLife> {
  const world = makeWorld(7)
  const knobs = { ...noFaults }
  const effects: string[] = []
  const times = new Map<string, number>()
  let wasReached = false
  let fullUntil = 0
  const strike: FaultAtPoint = (effect) => {
    effects.push(effect)
    const time = (times.get(effect) ?? 0) + 1
    times.set(effect, time)
    const isFull = fullUntil > world.now && /^(write|engine)/.test(effect)
    if (fault === undefined || wasReached || effect !== fault.point.effect || time !== fault.point.time)
      return isFull ? 'disk full' : undefined
    wasReached = true
    if (fault.kind === 'disk full') fullUntil = world.now + fullMs
    return fault.kind
  }
  const engine = makeEngineModel(world, world.random.fork('engine'), knobs)
  const journal = {
    acknowledged: new Set<string>(),
    ends: new Map<string, number>(),
    begins: new Map<string, number>(),
    faults: [] as string[],
    surprises: [] as string[],
  }
  const wall = { stepMs: 0 }
  const store = await openInMemory(world, wall)
  const cluster = { world, random: world.random, knobs, store, engine, journal, events: [] }
  store.onHint((hint) => {
    if (hint.kind === 'ended') journal.ends.set(hint.operation, world.now)
  })
  const catalog = makeCatalog([offer])
  await store.write(async (tx) => {
    for (const offering of offeringsOf(catalog)) await tx.putOffering(offering)
  })
  const contract = makeContract(false, false, false)
  const nodes: Node[] = []
  const start = (): void => {
    const node = startNode(cluster, {
      name: `n${nodes.length}`,
      contract,
      catalog,
      trace: false,
      wall,
      strike,
    })
    nodes.push(node)
    node.gate.died(() => world.at(world.now + awayMs, start))
  }
  start()
  const told: string[] = []
  const life = liveWhole({
    ports: () => nodes.findLast(({ gate }) => gate.alive)?.ports,
    sleep: world.sleep,
    acknowledge: (operation) => journal.acknowledged.add(operation),
    look: store.look,
  }).then(
    () => told.push('done'),
    (error: unknown) => told.push(String(error)),
  )
  const end = world.now + quietMs
  while (told.length === 0 && world.now < end) await world.run(world.now + 1000, () => told.length > 0)
  if (told.length > 0) await life
  for (let quiet = 0; quiet < 3 && world.now < 2 * end; quiet = (await isQuiet(cluster)) ? quiet + 1 : 0)
    await world.run(world.now + 10_000)
  const { items } = await store.look.operations({ most: 1000 })
  const faults = [
    ...(told[0] === 'done' ? [] : [`the customer is not served: ${told[0] ?? 'it waits for ever'}`]),
    ...(await checkInvariants(cluster, items)),
  ]
  for (const { gate } of nodes) gate.kill()
  await store.close()
  return { effects, wasReached, faults }
}

interface Served {
  ports(): Ports | undefined
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  acknowledge(operation: string): void
  readonly look: Ports['store']['look']
}

type Verb = (ports: Ports) => Promise<{ readonly operation?: string } | { readonly kind: string }>

const asker: Asker = { platform: 'p', account: { kind: 'platform', id: 'p' }, requestId: 'r' }
const ids = { instance: 'i', serviceId: 'service', planId: 'plan', acceptsIncomplete: true }
const binding = 'b'
const patienceMs = 20_000

/** Makes, binds, changes, unbinds and deletes; asks again until it is answered, as platforms do. */
async function liveWhole(served: Served): Promise<void> {
  const drawn = (more: Partial<Drawn> = {}): Drawn => ({
    ...{ milliseconds: 900, exit: 0, stages: 1, instant: false, poison: false },
    ...more,
  })
  const parameters = {
    token: secretMark,
    provision: drawn({ stages: 2 }),
    bind: drawn(),
    unbind: drawn(),
    deprovision: drawn(),
  } as unknown as JsonObject
  const place = { organization: 'o', space: 's', parameters, context: {} }
  const verbs: readonly (readonly [name: string, verb: Verb])[] = [
    ['provision', (ports) => provision(ports, asker, { ...ids, ...place })],
    ['bind', (ports) => bind(ports, asker, { ...ids, binding, parameters })],
    ['update', (ports) => update(ports, asker, { ...ids, parameters: { update: drawn() as never } })],
    ['unbind', (ports) => unbind(ports, asker, { ...ids, binding })],
    ['deprovision', (ports) => deprovision(ports, asker, ids)],
  ]
  for (const [name, verb] of verbs) {
    const operation = await ordered(served, verb)
    const state = operation === undefined ? 'succeeded' : await ended(served, operation)
    if (state !== 'succeeded') throw new Error(`${name} ended ${state}`)
  }
}

/** Undefined: what was asked for is there already, for an answer was lost. */
async function ordered(served: Served, verb: Verb): Promise<string | undefined> {
  for (;;) {
    const ports = served.ports()
    const answer = ports === undefined ? 'none' : await patiently(served, verb(ports))
    if (typeof answer === 'object') {
      const operation = 'operation' in answer ? answer.operation : undefined
      if (operation !== undefined) served.acknowledge(operation)
      return operation
    }
    if (answer === 'gone') return undefined
    await served.sleep(200)
  }
}

async function patiently(
  { sleep }: Served,
  answered: ReturnType<Verb>,
): Promise<Awaited<ReturnType<Verb>> | 'none' | 'gone'> {
  const silence = sleep(patienceMs).then(() => 'none' as const)
  const heard = answered.catch((error: unknown) => {
    if (!(error instanceof ProblemError)) throw error
    const { code } = error.problem
    if (code === 'instance.gone' || code === 'binding.gone') return 'gone' as const
    if (code === 'store.unavailable' || code === 'instance.busy') return 'none' as const
    throw error
  })
  return Promise.race([heard, silence])
}

async function ended({ look, sleep }: Served, operation: string): Promise<string> {
  for (;;) {
    const found = await look.operation(operation)
    if (found !== undefined && hasEnded(found.state)) return found.state
    await sleep(500)
  }
}
