/** One seeded life of a cluster: nodes come and go, clients order, the engine lies; then all must be true and quiet. */
import { makeCatalog } from '../../src/broker/catalog.ts'
import { offeringsOf } from '../../src/broker/offering.ts'
import type { Ports } from '../../src/broker/ports.ts'
import { activateKey, addKey, removeKey } from '../../src/store/keys.ts'
import type { Store } from '../../src/store/store.ts'
import { type Journal, makeClient } from './client-model.ts'
import type { Cluster } from './cluster.ts'
import { makeContract, offer, type Pace } from './contract-model.ts'
import { type Death, makeDisk, type Wall } from './disk-model.ts'
import { makeEngineModel } from './engine-model.ts'
import { checkInvariants, heldBack } from './invariants.ts'
import type { Gate, Knobs } from './node-model.ts'
import { keepDuty } from './operator-model.ts'
import { deadlineMs, type Node, startNode } from './start-node.ts'
import { isQuiet, openInMemory } from './steady-world.ts'
import { chanceOf, makeWorld, type Random, type World } from './world.ts'

export interface SeedResult {
  readonly seed: number
  readonly faults: readonly string[]
  readonly operations: number
  readonly starts: number
  readonly kills: number
}

// Many short lives find more than a few long ones, but some things take time to go wrong.
const busyMs = { short: 20_000, long: 60_000 }
const hourMs = 3_600_000
/** Where nothing goes wrong nothing may be late either: no more is ordered than is got done. */
const clientsOf = { calm: { least: 3, most: 8 }, any: { least: 20, most: 40 } }
const quietMs = deadlineMs + 240_000

/** Lives one seed and tells every broken promise. */
export async function runSeed(seed: number, trace = false): Promise<SeedResult> {
  const world = makeWorld(seed)
  const { random } = world
  const knobs = drawKnobs(random.fork('knobs'))
  const wall: Wall = { stepMs: 0 }
  const engine = makeEngineModel(world, random.fork('engine'), knobs)
  const journal: Journal = {
    acknowledged: new Set(),
    ends: new Map(),
    begins: new Map(),
    faults: [],
    surprises: [],
  }
  const lost = (): void => {
    troubles++
    for (const { gate } of nodes) if (gate.alive) die(gate, 'power')
  }
  const disk = knobs.disk ? await makeDisk({ world, random: random.fork('disk'), wall, lost }) : undefined
  const store = await (disk === undefined ? openInMemory(world, wall) : disk.reopen('process'))
  const cluster: Cluster = { world, random, knobs, store, engine, journal, events: [] }
  noteEnds(cluster)
  const catalog = makeCatalog([offer])
  await store.write(async (tx) => {
    for (const offering of offeringsOf(catalog)) await tx.putOffering(offering)
  })
  disk?.begin()
  const contract = makeContract(random.chance(0.5), random.chance(0.5), random.chance(0.5))
  engine.putForeign('chd-somebody-else')

  const nodes: Node[] = []
  let kills = 0
  let death: Death | undefined
  const startNow = (): void => {
    nodes.push(startNode(cluster, { name: `n${nodes.length}`, contract, catalog, trace, wall }))
  }
  const start = (): void => {
    if (disk === undefined || death === undefined) {
      startNow()
      return
    }
    // A disk belongs to one process at a time.
    if (nodes.some(({ gate }) => gate.alive)) return
    const opening = disk.reopen(death).then((opened) => {
      cluster.store = opened
      noteEnds(cluster)
      startNow()
    })
    world.meanwhile(
      opening.catch((error: unknown) => journal.surprises.push(`a start that failed: ${String(error)}`)),
    )
  }
  const die = (gate: Gate, how: Death): void => {
    kills++
    death = how
    gate.kill()
    if (how === 'power') {
      engine.reboot()
      // A machine that starts has the time of its chip.
      wall.stepMs = 0
    }
    world.at(world.now + random.between(10, 8000), start)
  }
  const several = knobs.stormy ? 3 : random.between(1, 3)
  for (let i = 0; i < (disk === undefined ? several : 1); i++) start()

  const end = world.now + (random.chance(0.7) ? busyMs.short : busyMs.long)
  let troubles = 0
  const strike = (): void => {
    troubles++
    const living = nodes.filter(({ gate }) => gate.alive)
    if (living.length === 0) return
    const node = random.pick(living)
    if (random.chance(knobs.stormy ? 0.1 : 0.6)) {
      die(node.gate, disk !== undefined && random.chance(knobs.powerCuts) ? 'power' : 'process')
    } else if (knobs.stormy) node.gate.pause(random.between(500, random.chance(0.5) ? 4000 : 25_000))
    else node.gate.pause(random.between(1, random.chance(0.3) ? 120_000 : 20_000))
  }
  everySecond(world, end, () => disturb(cluster, nodes, strike))
  const faults = random.fork('disk and clock')
  everySecond(world, end, () => {
    // Nobody knows how long a machine was off but its chip.
    const isOff = death === 'power' && !nodes.some(({ gate }) => gate.alive)
    if (faults.chance(knobs.clockSteps) && !isOff) wall.stepMs = faults.between(-3 * hourMs, 3 * hourMs)
    if (disk === undefined) return
    disk.failsAt(knobs.flushFails)
    if (faults.chance(knobs.fullDisks)) disk.fillUp(faults.between(100, 10_000))
    if (faults.chance(knobs.keyChanges))
      void changeKeys(cluster.store, disk.keyFile, faults).catch(() => undefined)
  })
  const loops = random.fork('crash loops')
  const dieAgain = (times: number): void => {
    if (times === 0 || world.now >= end) return
    troubles++
    const living = nodes.filter(({ gate }) => gate.alive)
    for (const { gate } of living) gate.kill()
    kills += living.length
    death = 'process'
    start()
    // A lease of the one before has run out when the next one dies.
    world.at(world.now + loops.between(1000, 2500), () => dieAgain(times - 1))
  }
  everySecond(world, end, () => {
    if (loops.chance(knobs.crashLoops)) dieAgain(loops.between(3, 6))
  })
  const { least, most } = clientsOf[knobs.calm ? 'calm' : 'any']
  const clients = Array.from({ length: random.between(least, most) }, (_, i) =>
    makeClient(world, random.fork(`client ${i}`), {
      platform: `p${i % 2}`,
      instance: `i${i}`,
      journal,
      pace: paceOf(knobs),
      ports: () =>
        nodes.filter(({ gate }) => gate.alive).at(i % Math.max(1, nodes.length))?.ports ??
        nodes.findLast(({ gate }) => gate.alive)?.ports,
    }),
  )
  for (const client of clients) void client.live(end)
  const livingPorts = (): Ports | undefined => nodes.findLast(({ gate }) => gate.alive)?.ports
  if (random.fork('duty').chance(0.7))
    void keepDuty(world, random.fork('operator'), { until: end, ports: livingPorts })
  await world.run(end)
  // The faults stop: from here on everything must come to its end.
  const crawled = knobs.crawls > 0
  Object.assign(knobs, {
    storeFails: 0,
    answerLost: 0,
    engineFails: 0,
    hintsLost: 0,
    kills: 0,
    pauses: 0,
    reboots: 0,
    cuts: 0,
    crashLoops: 0,
    engineOutages: 0,
    crawls: 0,
    vanishings: 0,
    powerCuts: 0,
    fullDisks: 0,
    flushFails: 0,
    clockSteps: 0,
    keyChanges: 0,
  })
  disk?.failsAt(0)
  if (!nodes.some(({ gate }) => gate.alive)) start()
  for (const { gate } of nodes) gate.resume()
  await world.run(end + 20_000)
  // Slow calls of the last moments may still come in, so quiet must last.
  for (
    let quiet = 0;
    quiet < 3 && world.now < end + quietMs;
    quiet = (await isQuiet(cluster)) ? quiet + 1 : 0
  ) {
    await world.run(world.now + 10_000)
  }
  await world.run(world.now + 3000)
  const { items } = await cluster.store.look.operations({ most: 10_000 })
  const broken = [
    ...(await checkInvariants(cluster, items)),
    ...(troubles === 0 && !crawled ? await heldBack(cluster, items) : []),
  ]
  await disk?.close()
  if (disk === undefined) await store.close()
  return { seed, faults: broken, operations: items.length, starts: engine.programs.length, kills }
}

/** As an operator does it: a key is added, made the one that seals, everything sealed anew, the others removed. */
async function changeKeys(store: Store, file: string, random: Random): Promise<void> {
  const id = addKey(file, chanceOf(random))
  await store.takeKeys()
  activateKey(file, id)
  await store.takeKeys()
  for (let left = 1; left > 0; ) left = await store.reseal(50)
  for (const { key } of await store.look.sealedByOthers())
    await store.retireKey(key, () => removeKey(file, key))
  await store.takeKeys()
}

function noteEnds({ store, journal, world }: Cluster): void {
  store.onHint((hint) => {
    if (hint.kind === 'ended') journal.ends.set(hint.operation, world.now)
  })
}

/** Each seed draws which faults exist, and how often, so that rare ones meet. */
function drawKnobs(random: Random): Knobs {
  const calm = random.chance(0.15)
  const stormy = !calm && random.chance(0.4)
  const disks = random.fork('disks')
  const maybe = (rate: number): number => (!calm && random.chance(0.5) ? rate * random.next() : 0)
  return {
    storeFails: maybe(0.05),
    answerLost: maybe(0.05),
    engineFails: maybe(0.1),
    calm,
    stormy,
    delayMsMax: calm ? 5 : random.pick([5, 50, 500, 3000]),
    crawls: maybe(0.02),
    vanishings: maybe(0.05),
    kills: maybe(0.1),
    pauses: stormy ? 0.5 : maybe(0.1),
    clockSkewMs: !calm && random.chance(0.5) ? random.between(-3_600_000, 3_600_000) : 0,
    hintsLost: maybe(1),
    reboots: maybe(0.02),
    cuts: maybe(0.1),
    engineOutages: maybe(0.03),
    crashLoops: stormy ? maybe(0.1) : 0,
    disk: disks.chance(0.3),
    powerCuts: calm ? 0 : disks.next(),
    fullDisks: calm || disks.chance(0.6) ? 0 : 0.1 * disks.next(),
    flushFails: calm || disks.chance(0.7) ? 0 : 0.02 * disks.next(),
    clockSteps: calm || disks.chance(0.5) ? 0 : 0.2 * disks.next(),
    keyChanges: disks.chance(0.5) ? 0 : 0.2 * disks.next(),
  }
}

/** Faults that strike nodes and engine from outside by chance. */
function disturb(cluster: Cluster, nodes: readonly Node[], strike: () => void): void {
  const { random, knobs, engine } = cluster
  if (random.chance(knobs.kills + knobs.pauses)) strike()
  for (const { gate } of nodes) if (random.chance(knobs.cuts)) gate.cut(random.between(1000, 20_000))
  if (random.chance(knobs.reboots)) engine.reboot()
  if (random.chance(knobs.vanishings)) void vanishOne(cluster)
  if (random.chance(knobs.engineOutages)) engine.outage(random.between(100, 20_000))
}

function everySecond(world: World, until: number, act: () => void): void {
  if (world.now >= until) return
  act()
  world.at(world.now + 1000, () => everySecond(world, until, act))
}

/** A run whose start is on record is removed from outside; what is not on record could not be told from one that never was. */
async function vanishOne({ store, engine, random }: Cluster): Promise<void> {
  const names = [...engine.left.keys()]
  if (names.length === 0) return
  const name = random.pick(names)
  const { items } = await store.look.operations({ states: ['running'], most: 100 })
  for (const { id } of items) {
    const runs = await store.look.runs(id)
    if (runs.some((run) => run.name === name && run.state === 'started')) engine.vanish(name)
  }
}

function paceOf({ stormy, calm }: Knobs): Pace {
  if (stormy) return 'quick'
  return calm ? 'calm' : 'any'
}
