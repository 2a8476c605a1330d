/** What breaks after a run has been started: its report and state are read, and its operation ends with its reason. */
import { expect, test } from 'vitest'
import { makeContract, offer } from '../../test/simulation/contract-model.ts'
import { openWorkshop } from '../../test/support/workshop.ts'
import { makeCatalog } from '../broker/catalog.ts'
import { offeringsOf } from '../broker/offering.ts'
import { orders } from '../broker/orders.ts'
import type { Ports } from '../broker/ports.ts'
import { provision } from '../broker/provision.ts'
import { cancelOperation } from '../broker/steer.ts'
import type { Contract } from '../contracts/contract.ts'
import type { Engine } from '../engines/engine.ts'
import { encode } from '../kit/codec.ts'
import { ulidSource } from '../kit/id.ts'
import { type Job, usualLimits } from '../model/job.ts'
import type { Run } from '../model/operation.ts'
import { ProblemError } from '../model/problem.ts'
import { emptyReport, type Report } from '../model/report.ts'
import { ownerOfInstance } from '../model/sealed.ts'
import { keepFile } from './kept-file-records.ts'
import { endForced, endOverdue } from './maintenance.ts'
import type { WorkEvent } from './work-report.ts'

type Fault = 'none' | 'throws' | 'hangs'

/** What is read of the run, and what breaks. */
interface Given {
  readonly name: string
  readonly run?: Run['state']
  /** What the engine shows under its name. */
  readonly sight?: 'started' | 'laid-out' | 'absent'
  readonly breaks?: Partial<Record<'look' | 'stop' | 'follow' | 'discard' | 'conclude', Fault>>
  /** Whether a version of the state was kept while it ran, and whether its job can be opened. */
  readonly kept?: boolean
  readonly sealed?: boolean
  readonly engine?: 'there' | 'gone'
  /** The state that the instance has afterwards, and what was done to the run. */
  readonly state: 'of the run' | 'kept' | 'none'
  readonly done?: readonly string[]
}

const cases: readonly Given[] = [
  { name: 'nothing breaks', state: 'of the run', done: ['stop', 'follow'] },
  { name: 'its start was not written down', run: 'intended', state: 'of the run', done: ['stop', 'follow'] },
  { name: 'it was never started', run: 'intended', sight: 'laid-out', state: 'none', done: ['discard'] },
  { name: 'nothing was laid out', run: 'intended', sight: 'absent', state: 'none', done: ['discard'] },
  { name: 'its report is known', run: 'reported', state: 'of the run', done: [] },
  { name: 'it was destroyed before', run: 'discarded', state: 'none', done: [] },
  { name: 'it has vanished', sight: 'absent', kept: true, state: 'kept', done: [] },
  { name: 'its engine is not there', engine: 'gone', kept: true, state: 'kept', done: [] },
  { name: 'its engine is away', breaks: { look: 'throws' }, kept: true, state: 'kept', done: [] },
  { name: 'its engine does not answer', breaks: { look: 'hangs' }, kept: true, state: 'kept', done: [] },
  { name: 'it cannot be stopped', breaks: { stop: 'throws' }, kept: true, state: 'kept', done: [] },
  { name: 'it never stops', breaks: { stop: 'hangs' }, kept: true, state: 'kept', done: [] },
  { name: 'it cannot be read', breaks: { follow: 'throws' }, kept: true, state: 'kept', done: ['stop'] },
  {
    name: 'it is never read to its end',
    breaks: { follow: 'hangs' },
    kept: true,
    state: 'kept',
    done: ['stop'],
  },
  {
    name: 'its layout cannot be destroyed',
    run: 'intended',
    sight: 'laid-out',
    breaks: { discard: 'throws' },
    state: 'none',
  },
  { name: 'its job cannot be opened', sealed: false, state: 'none', done: [] },
  {
    name: 'its contract fails',
    breaks: { conclude: 'throws' },
    state: 'of the run',
    done: ['stop', 'follow'],
  },
  { name: 'nothing was kept of one that is lost', breaks: { look: 'throws' }, state: 'none' },
]

test.each(cases)('forced to end, $name: the operation is cancelled', async (given) => {
  const place = await atWork(given)
  await place.force()

  const ended = place.settle(endForced(place.tools))
  await ended

  expect(await place.operation()).toMatchObject({ state: 'cancelled', problem: 'operation.cancelled' })
  expect(await place.state()).toBe(given.state)
  if (given.done) expect(place.done).toEqual(given.done)
})

test.each(cases)('overdue, $name: the operation has failed at its deadline', async (given) => {
  const place = await atWork(given)
  await place.world.run(place.world.now + 61_000)

  await place.settle(endOverdue(place.tools, { overdueGraceMs: 0 }))

  expect(await place.operation()).toMatchObject({ state: 'failed', problem: 'operation.deadline' })
  expect(await place.state()).toBe(given.state)
  if (given.done) expect(place.done).toEqual(given.done)
})

test('what is ended in this way tells why it did not end before, and its run may not come back', async () => {
  const place = await atWork({ name: '', breaks: { look: 'throws' }, state: 'none' })
  await place.force()
  await place.settle(endForced(place.tools))

  const { reason } = (await place.operation()) ?? {}
  expect(reason).toContain('forced to end by operator')
  expect(await place.tools.ports.store.look.tombstones()).toEqual(['run'])
  expect(place.events).toContainEqual(expect.objectContaining({ kind: 'fault', doing: 'collect run run' }))
})

const job: Job = {
  program: { kind: 'pretend', milliseconds: 0, exit: 0 },
  steps: [
    {
      name: 'pretend',
      command: { kind: 'entrypoint', arguments: [] },
      environment: {},
      streams: { kind: 'merged' },
    },
  ],
  files: [],
  folders: [],
  wants: [{ kind: 'kept-file', name: 'state', path: '/state', bytesMax: 1000 }],
  needs: { cluster: 'none', network: 'none', readOnlyRoot: true },
  limits: usualLimits,
}

/** An operation without a worker, whose run stands as given. */
async function atWork(given: Given) {
  const { run: runState = 'started', sight = 'started', breaks = {}, kept, sealed = true } = given
  const { world, clock, chance, store, tools: toolsFor } = await openWorkshop()
  const catalog = makeCatalog([offer])
  await store.write(async (tx) => {
    for (const offering of offeringsOf(catalog)) await tx.putOffering(offering)
  })
  const done: string[] = []
  const events: WorkEvent[] = []
  const act = async <T>(what: keyof typeof breaks, answer: () => T): Promise<T> => {
    if (breaks[what] === 'hangs') await new Promise<never>(() => undefined)
    if (breaks[what] === 'throws') throw new ProblemError({ code: 'engine.unavailable', detail: what })
    if (what !== 'look') done.push(what)
    return answer()
  }
  const engine: Pick<Engine, 'name' | 'look' | 'stop' | 'follow' | 'discard'> = {
    name: given.engine === 'gone' ? 'another' : 'model',
    look: () => act('look', () => (sight === 'started' ? { kind: sight, ticket: 'run' } : { kind: sight })),
    stop: () => act('stop', () => undefined),
    follow: () => act('follow', () => reportWith('of the run')),
    discard: () => act('discard', () => undefined),
  }
  const ports: Ports = {
    store,
    clock,
    chance,
    node: 'n',
    newId: ulidSource(chance),
    policy: () => ({
      deadlineMs: { provision: 60_000, update: 0, deprovision: 0, bind: 0, unbind: 0, invoke: 0 },
      queuedPerPlatformMax: 10,
    }),
    contract: () => keeping(breaks.conclude === 'throws'),
    catalog: () => catalog,
    refuses: () => undefined,
    infrastructure: () => ({}),
    began: () => undefined,
    accepted: () => undefined,
  }
  const tools = await toolsFor(
    { ports, engines: [engine as Engine], report: { event: (event) => events.push(event) } },
    { stagesMax: 5, attemptsMax: 2 },
  )
  const asker = { platform: 'p', account: { kind: 'user', id: 'operator' }, requestId: 'r' } as const
  const answer = await provision(ports, asker, {
    instance: 'i',
    serviceId: offer.service.id,
    planId: offer.plan.id,
    organization: 'o',
    space: 's',
    parameters: {},
    context: {},
    acceptsIncomplete: true,
  })
  const id = answer.kind === 'started' ? answer.operation : ''
  const run: Run = { operation: id, stage: 0, attempt: 1, name: 'run', engine: 'model', state: runState }
  await store.write(async (tx) => {
    await tx.putRun(runState === 'intended' ? run : { ...run, ticket: 'run' })
    if (sealed) await tx.seal('run/run', 'job', Buffer.from(encode(job)))
    if (runState === 'reported')
      await tx.seal('run/run', 'report', Buffer.from(encode(reportWith('of the run'))))
  })
  if (kept) await keepFile(store, run, 'state', Buffer.from('kept'))
  return {
    world,
    tools,
    done,
    events,
    operation: () => store.look.operation(id),
    force: () => cancelOperation(ports, asker, id, true),
    /** Virtual time goes on while it lasts. */
    async settle<T>(work: Promise<T>): Promise<T> {
      let isOver = false
      void work.finally(() => {
        isOver = true
      })
      while (!isOver) await world.run(world.now + 1000)
      return work
    },
    /** What the instance has kept for its next run. */
    async state(): Promise<string> {
      const carryover = await orders.carryover(store.look, ownerOfInstance({ platform: 'p', instance: 'i' }))
      const bytes = carryover['state']
      return bytes === undefined ? 'none' : Buffer.from(bytes).toString()
    },
  }
}

function reportWith(state: string): Report {
  return {
    ...emptyReport({ kind: 'stopped' }, 0),
    got: new Map([['state', { kind: 'bytes', bytes: Buffer.from(state) }]]),
  }
}

/** A contract that keeps the state of its runs, as that of brokerpaks does. */
function keeping(fails: boolean): Contract {
  return {
    ...makeContract(false, false, false),
    conclude: (_action, _situation, { got }) => {
      if (fails) throw new TypeError('planted')
      const state = got.get('state')
      return {
        kind: 'done',
        outcome: {
          problems: [{ code: 'operation.failed' }],
          ...(state?.kind === 'bytes' ? { carryover: { state: state.bytes } } : {}),
        },
      }
    },
  }
}
