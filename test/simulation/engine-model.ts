/** An engine that lies: slow, down, answering late or not at all, rebooting; and the truth about what really ran. */
import type { Engine, FoundRun, RunOrder, RunSight, Watch } from '../../src/engines/engine.ts'
import { ProblemError } from '../../src/model/problem.ts'
import type { Report, RunEnd } from '../../src/model/report.ts'
import { secretMark } from './contract-model.ts'
import type { EffectFaults, Gate, Knobs } from './node-model.ts'
import type { Random, World } from './world.ts'

export interface Program {
  readonly name: string
  readonly operation: string
  readonly startedAt: number
  endedAt: number | undefined
  exit: number
  end: RunEnd
}

interface Held {
  order: RunOrder
  readonly laidAt: number
  program: Program | undefined
  stops: boolean
}

export interface EngineModel {
  /** The engine as one node sees it. */
  seenBy(gate: Gate): Engine
  /** Every program that was ever started: the truth. */
  readonly programs: readonly Program[]
  readonly left: ReadonlyMap<string, unknown>
  outage(ms: number): void
  reboot(): void
  /** A run was removed from outside. */
  vanish(name: string): void
  putForeign(name: string): void
  readonly foreignTouched: readonly string[]
}

export function makeEngineModel(world: World, random: Random, knobs: Knobs): EngineModel {
  const held = new Map<string, Held>()
  const programs: Program[] = []
  const foreign = new Set<string>()
  const foreignTouched: string[] = []
  let downUntil = 0

  function begin(one: Held): void {
    const { job, name, operation } = one.order
    if (job.program.kind !== 'pretend') return
    const { milliseconds, exit } = job.program
    const program: Program = {
      name,
      operation,
      startedAt: world.now,
      endedAt: undefined,
      exit,
      end: { kind: 'finished' },
    }
    one.program = program
    programs.push(program)
    if (milliseconds >= 0)
      world.at(world.now + milliseconds, () => finish(program, exit, { kind: 'finished' }))
  }

  function finish(program: Program, exit: number, end: RunEnd): void {
    if (program.endedAt !== undefined) return
    program.endedAt = world.now
    program.exit = exit
    program.end = end
  }

  function stop(one: Held, graceMs: number): void {
    one.stops = true
    const { program } = one
    // Some obey, some must be killed.
    const obeys = random.chance(0.7)
    if (program)
      world.at(world.now + (obeys ? random.between(0, graceMs) : graceMs), () =>
        finish(program, 143, { kind: 'stopped' }),
      )
  }

  async function follow(name: string, watch: Watch): Promise<Report> {
    const stream = name.charCodeAt(name.length - 5) % 2 === 0 ? 'stdout' : 'stderr'
    let told = watch.had('pretend', stream)
    const tell = async (program: Program): Promise<void> => {
      const text = saidBy(program, world.now)
      while (told < text.length && !watch.signal.aborted) {
        const bytes = Buffer.from(text.slice(told, told + random.between(1, 120)))
        told += bytes.length
        await watch.log({ stream, step: 'pretend', bytes })
      }
    }
    for (;;) {
      const program = held.get(name)?.program
      if (program === undefined) return report({ kind: 'lost' }, [], world.now)
      await tell(program)
      if (program.endedAt !== undefined) {
        await tell(program)
        return report(program.end, [{ name: 'pretend', exit: program.exit }], program.startedAt)
      }
      if (watch.signal.aborted) return report({ kind: 'lost' }, [], world.now)
      if (downUntil > world.now) throw unavailable()
      await world.sleep(random.between(20, 400), watch.signal)
    }
  }

  function look(name: string): RunSight {
    if (foreign.has(name)) return { kind: 'foreign', detail: 'not ours' }
    const one = held.get(name)
    if (one === undefined) return { kind: 'absent' }
    return one.program ? { kind: 'started', ticket: name } : { kind: 'laid-out' }
  }

  function seenBy(gate: Gate): Engine {
    const faults: EffectFaults = { before: knobs.engineFails, after: knobs.engineFails, fault: unavailable }
    const call = <T>(name: keyof Engine, act: () => T | Promise<T>): Promise<T> =>
      gate.effect(
        async () => {
          if (downUntil > world.now) throw unavailable()
          return act()
        },
        faults,
        { name: () => `engine ${name}`, ...(name === 'layOut' ? { onFullDisk: noSpace } : {}) },
      )
    return {
      name: 'model',
      facts: {
        programs: ['pretend'],
        run: 'process',
        severalSteps: true,
        outlives: true,
        streamsApart: true,
        readOnlyMounts: true,
        folderLimit: 'hard',
        networkNone: true,
        memoryLimit: true,
        processLimit: true,
        processorLimit: true,
        cluster: ['none'],
      },
      check: () => Promise.resolve([]),
      refuses: () => undefined,
      layOut: (order) =>
        call('layOut', () => {
          const one = held.get(order.name)
          if (one === undefined)
            held.set(order.name, { order, laidAt: world.now, program: undefined, stops: false })
          else if (one.program === undefined && one.order.fence > order.fence) throw gone(order.name)
          else if (one.program === undefined) one.order = order
        }),
      start: ({ name, fence }) =>
        call('start', () => {
          const one = held.get(name)
          if (one === undefined) throw gone(name)
          if (one.program === undefined && one.order.fence !== fence) throw gone(name)
          if (one.program === undefined) begin(one)
          return name
        }),
      look: (name) => call('look', () => look(name)),
      follow: (ticket, watch) => call('follow', () => follow(ticket, watch)),
      stop: (name, graceSeconds) =>
        call('stop', () => {
          if (foreign.has(name)) foreignTouched.push(name)
          const one = held.get(name)
          if (one && !one.stops) stop(one, graceSeconds * 1000)
        }),
      discard: (name) =>
        call('discard', () => {
          if (foreign.has(name)) foreignTouched.push(name)
          const program = held.get(name)?.program
          if (program) finish(program, 137, { kind: 'stopped' })
          held.delete(name)
        }),
      list: (cluster) =>
        call('list', () =>
          [...held.values()].flatMap(({ order, laidAt }): readonly FoundRun[] =>
            order.cluster === cluster
              ? [{ name: order.name, operation: order.operation, ageMs: world.now - laidAt }]
              : [],
          ),
        ),
      close: () => Promise.resolve(),
    }
  }

  return {
    seenBy,
    programs,
    left: held,
    foreignTouched,
    outage(ms) {
      downUntil = Math.max(downUntil, world.now + ms)
    },
    reboot() {
      // What was begun is over, and nobody knows how it ended; what remembers that it was begun is still there.
      for (const { program } of held.values()) if (program) finish(program, 137, { kind: 'lost' })
    },
    vanish(name) {
      const program = held.get(name)?.program
      if (program) finish(program, 137, { kind: 'lost' })
      held.delete(name)
    },
    putForeign: (name) => foreign.add(name),
  }
}

const linesMax = 6
const lineEveryMs = 150

/** What a program has said by then: it tells its secret in each line. */
export function saidBy({ name, startedAt, endedAt }: Program, now: number): string {
  const until = Math.min(now, endedAt ?? now)
  const lines = Math.min(linesMax, 1 + Math.floor((until - startedAt) / lineEveryMs))
  return Array.from({ length: lines }, (_, n) => `line ${n} of ${name}: ${secretMark}\n`).join('')
}

function gone(name: string): ProblemError {
  return new ProblemError({ code: 'engine.layout-gone', detail: name })
}

function unavailable(): ProblemError {
  return new ProblemError({ code: 'engine.unavailable', detail: 'simulated' })
}

function report(end: RunEnd, steps: Report['steps'], startedAt: number): Report {
  return { end, steps, got: new Map(), logTail: '', startedAt, finishedAt: startedAt, notes: [] }
}

async function noSpace(): Promise<never> {
  throw new ProblemError({ code: 'engine.unavailable', detail: 'no space left on device' })
}
