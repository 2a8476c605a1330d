/** A broker of a simulated cluster: everything it does passes its gate. */
import type { makeCatalog } from '../../src/broker/catalog.ts'
import type { Ports } from '../../src/broker/ports.ts'
import { ulidSource } from '../../src/kit/id.ts'
import { fail } from '../../src/model/problem.ts'
import { endHints } from '../../src/work/end-hints.ts'
import { makeLogWriter } from '../../src/work/log-writer.ts'
import { startMaintenance } from '../../src/work/maintenance.ts'
import type { Tools } from '../../src/work/tools.ts'
import { startWorker } from '../../src/work/worker.ts'
import type { Cluster } from './cluster.ts'
import type { makeContract } from './contract-model.ts'
import type { Wall } from './disk-model.ts'
import { clockOf, type FaultAtPoint, type Gate, makeGate, storeOf } from './node-model.ts'
import { chanceOf } from './world.ts'

export interface Node {
  readonly gate: Gate
  readonly ports: Ports
}

/** No operation of a simulated life may take longer. */
export const deadlineMs = 60_000

/** Starts a broker in the world: its worker and its housework. */
export function startNode(
  cluster: Cluster,
  what: {
    readonly name: string
    readonly contract: ReturnType<typeof makeContract>
    readonly catalog: ReturnType<typeof makeCatalog>
    readonly trace: boolean
    readonly wall: Wall
    /** Makes single effects go wrong. */
    readonly strike?: FaultAtPoint
  },
): Node {
  const { world, knobs, engine, events } = cluster
  const random = cluster.random.fork(what.name)
  const gate = makeGate(world, random, knobs, what)
  const skewMs = random.between(-Math.abs(knobs.clockSkewMs), Math.abs(knobs.clockSkewMs))
  const clock = clockOf(world, gate, () => skewMs + what.wall.stepMs)
  const newId = ulidSource(chanceOf(random.fork('ids')))
  const ports: Ports = {
    store: storeOf(cluster.store, gate, random, knobs),
    clock,
    chance: chanceOf(random.fork('chance')),
    node: what.name,
    newId: (now) => {
      const id = newId(now)
      cluster.journal.begins.set(id, world.now)
      return id
    },
    policy: () => ({
      deadlineMs: {
        provision: deadlineMs,
        update: deadlineMs,
        deprovision: deadlineMs,
        bind: deadlineMs,
        unbind: deadlineMs,
        invoke: deadlineMs,
      },
      queuedPerPlatformMax: 1000,
    }),
    contract: (name) => (name === 'model' ? what.contract : fail('package.unrecognised', name)),
    catalog: () => what.catalog,
    refuses: () => undefined,
    infrastructure: () => ({}),
    began: () => undefined,
    accepted: () => undefined,
  }
  const room = { concurrency: random.between(2, 16), perPlatform: random.between(4, 20) }
  const tools: Tools = {
    ports,
    cluster: { id: 'simulated', epoch: 0 },
    engines: [engine.seenBy(gate)],
    bell: endHints(),
    logs: makeLogWriter(ports.store, ports.clock),
    room: () => room,
    limits: {
      leaseMs: knobs.stormy ? 1000 : random.pick([3000, 15_000]),
      heartbeatMs: knobs.stormy ? 300 : 1000,
      stagesMax: 5,
      attemptsMax: 3,
    },
    report: {
      event: (event) => {
        events.push(event)
        if (what.trace) console.log(world.now, what.name, event)
      },
    },
  }
  void cluster.store.look.cluster().then(({ id, epoch }) => {
    const known = { ...tools, cluster: { id, epoch } }
    startWorker(known)
    startMaintenance(known, () => ({
      // As in the house: longer than the longest wait between two tries.
      overdueGraceMs: 65_000,
      sweepEveryMs: 20_000,
      forgetEveryMs: 3_600_000,
      orphanAgeMs: 60_000,
      leftoverAgeMs: 10_000,
      retention: { operationDays: 90, logDays: 30, goneDays: 30, auditDays: 400 },
    }))
  })
  return { gate, ports }
}
