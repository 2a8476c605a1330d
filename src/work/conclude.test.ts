/** Which comes first, the end of an operation or the destruction of its run; and what becomes of a run that resists. */
import { expect, test } from 'vitest'
import { makeContract, offer } from '../../test/simulation/contract-model.ts'
import { openWorkshop } from '../../test/support/workshop.ts'
import { makeCatalog } from '../broker/catalog.ts'
import { offeringsOf } from '../broker/offering.ts'
import { orders } from '../broker/orders.ts'
import type { Ports } from '../broker/ports.ts'
import { provision } from '../broker/provision.ts'
import type { Contract } from '../contracts/contract.ts'
import type { Engine } from '../engines/engine.ts'
import { ulidSource } from '../kit/id.ts'
import { fail } from '../model/problem.ts'
import { emptyReport, type Report, type RunEnd } from '../model/report.ts'
import { ownerOfInstance } from '../model/sealed.ts'
import { sweep } from './maintenance.ts'
import { runName } from './run-name.ts'
import type { WorkEvent, WorkReport } from './work-report.ts'
import { startWorker } from './worker.ts'

interface Given {
  readonly end: RunEnd
  readonly stages?: number
  readonly runsAgain?: boolean
  /** Instead of what the contract of the simulation concludes. */
  readonly conclude?: Contract['conclude']
  /** What comes over a discard. */
  readonly meanwhile?: () => Promise<void>
}

/** A provision whose runs end as told; `seen` lists what was done after that: waiting for the disk, and discards, with how the operation stood then. */
async function atWork({
  end,
  stages = 1,
  runsAgain = false,
  conclude,
  meanwhile = async () => undefined,
}: Given) {
  const { world, clock, chance, store, tools: toolsFor } = await openWorkshop()
  const catalog = makeCatalog([offer])
  await store.write(async (tx) => {
    for (const offering of offeringsOf(catalog)) await tx.putOffering(offering)
  })
  const seen: string[] = []
  const events: WorkEvent[] = []
  /** The operations of the runs that are there. */
  const runs = new Map<string, string>()
  let isReported = false
  const engine: Pick<
    Engine,
    'name' | 'refuses' | 'look' | 'layOut' | 'start' | 'follow' | 'stop' | 'discard' | 'list'
  > & { readonly facts: Pick<Engine['facts'], 'run'> } = {
    name: 'model',
    facts: { run: 'process' },
    refuses: () => undefined,
    look: async (name) => (runs.has(name) ? { kind: 'started', ticket: name } : { kind: 'absent' }),
    layOut: async ({ name, operation }) => {
      runs.set(name, operation)
      isReported = false
    },
    start: async ({ name }) => name,
    follow: async () => {
      isReported = true
      const steps = [{ name: 'pretend', exit: 0 }]
      const got = new Map([['state', { kind: 'bytes', bytes: Buffer.from('what was made') } as const]])
      return { ...emptyReport(end, world.now), steps, got } satisfies Report
    },
    stop: async () => undefined,
    discard: async (name) => {
      const operation = await store.look.operation(runs.get(name) ?? '')
      seen.push(`discards ${name.slice(-3)} while ${operation?.state}`)
      await meanwhile()
      runs.delete(name)
    },
    list: async () =>
      [...runs].map(([name, operation]) => ({ name, ageMs: 3_600_000, ...(operation && { operation }) })),
  }
  const ports: Ports = {
    store: {
      ...store,
      write: (work, manner) => {
        if (isReported && manner?.how !== 'loose') seen.push('disk')
        return store.write(work, manner)
      },
      settled: async () => {
        if (isReported) seen.push('disk')
        return store.settled()
      },
    },
    clock,
    chance,
    node: 'n',
    newId: ulidSource(chance),
    policy: () => ({
      deadlineMs: { provision: 60_000, update: 0, deprovision: 0, bind: 0, unbind: 0, invoke: 0 },
      queuedPerPlatformMax: 10,
    }),
    contract: () => ({ ...makeContract(runsAgain, false, false), ...(conclude && { conclude }) }),
    catalog: () => catalog,
    refuses: () => undefined,
    infrastructure: () => ({}),
    began: () => undefined,
    accepted: () => undefined,
  }
  const report: WorkReport = { event: (event) => events.push(event) }
  const tools = await toolsFor(
    { ports, engines: [engine as Engine], report },
    { stagesMax: 5, attemptsMax: 2 },
  )
  const asker = { platform: 'p', account: { kind: 'platform', id: 'p' }, requestId: 'r' } as const
  const drawn = { milliseconds: 0, exit: 0, stages, instant: false, poison: false }
  const answer = await provision(ports, asker, {
    instance: 'i',
    serviceId: offer.service.id,
    planId: offer.plan.id,
    organization: 'o',
    space: 's',
    parameters: { provision: drawn },
    context: {},
    acceptsIncomplete: true,
  })
  const id = answer.kind === 'started' ? answer.operation : ''
  const worker = startWorker(tools)
  await world.run(world.now + 1000)
  const faults = () =>
    events.flatMap((event) => (event.kind === 'fault' || event.kind === 'waits' ? [event] : []))
  return { world, tools, worker, seen, runs, faults, operation: () => store.look.operation(id) }
}

const destroyedFirst = ['disk', 'discards 0a1 while collecting', 'disk']

test.each<Given & { readonly fact: string; readonly wanted: readonly string[] }>([
  {
    fact: 'one that finished, after',
    end: { kind: 'finished' },
    wanted: ['disk', 'discards 0a1 while succeeded'],
  },
  {
    fact: 'one that timed out, after',
    end: { kind: 'timed-out' },
    wanted: ['disk', 'discards 0a1 while failed'],
  },
  {
    fact: 'one that was stopped, after',
    end: { kind: 'stopped' },
    wanted: ['disk', 'discards 0a1 while failed'],
  },
  {
    fact: 'one that met a limit, after',
    end: { kind: 'limit', limit: 'disk' },
    wanted: ['disk', 'discards 0a1 while failed'],
  },
  { fact: 'one that is lost, before', end: { kind: 'lost' }, wanted: destroyedFirst },
  {
    fact: 'one that did not start, before',
    end: { kind: 'not-started', detail: 'no image' },
    wanted: destroyedFirst,
  },
  {
    fact: 'one that another attempt follows, before that',
    end: { kind: 'lost' },
    runsAgain: true,
    wanted: [...destroyedFirst, 'disk', 'discards 0a2 while collecting', 'disk'],
  },
  {
    fact: 'one that another stage follows, before that',
    end: { kind: 'finished' },
    stages: 2,
    wanted: [...destroyedFirst, 'disk', 'discards 1a1 while succeeded'],
  },
])('a run is destroyed before or after the end: $fact', async ({ wanted, ...given }) => {
  const { seen, runs, faults } = await atWork(given)

  expect(seen).toEqual(wanted)
  expect(runs.size).toBe(0)
  expect(faults()).toEqual([])
})

const broken = (): never => {
  throw new TypeError('cannot read properties of undefined')
}

test.each<{ readonly fact: string; readonly conclude: Contract['conclude']; readonly kept: string }>([
  {
    fact: 'over a run that finished: what it keeps of one that is lost',
    conclude: (_action, _situation, report) =>
      report.end.kind === 'finished'
        ? broken()
        : {
            kind: 'done',
            outcome: {
              problems: [{ code: 'operation.interrupted' }],
              binding: { credentials: {} },
              carryover: { mine: Buffer.from('kept by the contract') },
            },
          },
    kept: '{"mine":"kept by the contract"}',
  },
  {
    fact: 'over any report: the files of the run, by name',
    conclude: broken,
    kept: '{"state":"what was made"}',
  },
])('a contract that breaks $fact, and the operation ends with its reason', async ({ conclude, kept }) => {
  const { tools, runs, faults, operation } = await atWork({ end: { kind: 'finished' }, conclude })

  expect(await operation()).toMatchObject({ state: 'failed', problem: 'operation.inconclusive' })
  const carryover = await orders.carryover(
    tools.ports.store.look,
    ownerOfInstance({ platform: 'p', instance: 'i' }),
  )
  const texts = Object.entries(carryover).map(([name, bytes]) => [name, Buffer.from(bytes).toString()])
  expect(JSON.stringify(Object.fromEntries(texts))).toBe(kept)
  expect(faults()[0]).toMatchObject({ kind: 'fault', doing: 'draw the conclusion' })
  expect(runs.size).toBe(0)
})

test('a run that resists after the end is told of, and the end stays as it is; the sweep takes it a little later', async () => {
  const unavailable = (): Promise<void> => fail('engine.unavailable', 'no daemon')
  let meanwhile = unavailable
  const { world, tools, seen, runs, faults, operation } = await atWork({
    end: { kind: 'finished' },
    meanwhile: () => meanwhile(),
  })
  const ended = await operation()
  expect(ended?.state).toBe('succeeded')
  expect(faults()).toEqual([
    {
      kind: 'fault',
      operation: ended?.id,
      doing: expect.stringMatching(/^discard run chd-/),
      error: expect.anything(),
    },
  ])

  meanwhile = async () => undefined
  await sweep(tools, { orphanAgeMs: 0, leftoverAgeMs: 10_000 })
  expect(runs.size).toBe(1)
  await world.run(world.now + 10_000)
  await sweep(tools, { orphanAgeMs: 0, leftoverAgeMs: 10_000 })

  expect(runs.size).toBe(0)
  expect(seen).toEqual(['disk', 'discards 0a1 while succeeded', 'discards 0a1 while succeeded'])
  expect(await operation()).toEqual(ended)
})

test('the name of a run that vanished is forbidden for a day: what comes up under it late is swept', async () => {
  const { world, tools, runs, operation } = await atWork({ end: { kind: 'lost' }, runsAgain: true })
  const [name = ''] = await tools.ports.store.look.tombstones()
  expect(name).toMatch(/-0a1$/)
  await world.run(world.now + 23 * 3_600_000)

  runs.set(name, (await operation())?.id ?? '')
  await sweep(tools, { orphanAgeMs: 1e9, leftoverAgeMs: 1e9 })

  expect(runs.size).toBe(0)
})

test('of a run that a kill cut short the name tells the operation: it goes when that has ended, and no other name does', async () => {
  const { world, tools, runs, operation } = await atWork({ end: { kind: 'finished' } })
  const id = (await operation())?.id ?? ''
  const own = runName(tools.cluster.id, { id, stage: 0, attempt: 1 })
  const others = [runName('another cluster', { id, stage: 0, attempt: 1 }), 'something-else']
  await world.run(world.now + 20_000)
  for (const name of [own, ...others]) runs.set(name, '')

  await sweep(tools, { orphanAgeMs: 0, leftoverAgeMs: 10_000 })

  expect([...runs.keys()]).toEqual(others)
})

test('a worker that leaves waits until the run of an ended operation is destroyed', async () => {
  const gone = Promise.withResolvers<void>()
  const { world, worker, operation } = await atWork({
    end: { kind: 'finished' },
    meanwhile: () => gone.promise,
  })
  expect([(await operation())?.state, worker.running]).toEqual(['succeeded', 1])
  let isDrained = false
  const drained = worker.drain().then(() => (isDrained = true))

  await world.run(world.now + 20_000)
  expect(isDrained).toBe(false)
  gone.resolve()
  await drained

  expect(worker.running).toBe(0)
})
