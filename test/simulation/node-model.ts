/** A process that can be killed, paused and cut off between any two effects: everything it does passes this gate. */
import type { Clock } from '../../src/kit/clock.ts'
import { ProblemError } from '../../src/model/problem.ts'
import type { Look, Store } from '../../src/store/store.ts'
import type { Random, World } from './world.ts'

export interface Knobs {
  /** Nothing goes wrong in this life; then nothing may be late or interrupted either. */
  readonly calm: boolean
  /** Short leases, and nodes that are paused for longer than those all the time: zombies everywhere. */
  readonly stormy: boolean
  /** Rates per call. */
  readonly storeFails: number
  readonly answerLost: number
  readonly engineFails: number
  readonly delayMsMax: number
  readonly crawls: number
  /** Per virtual second and node. */
  readonly kills: number
  readonly pauses: number
  readonly clockSkewMs: number
  readonly hintsLost: number
  readonly reboots: number
  readonly engineOutages: number
  readonly vanishings: number
  /** How often a node loses its way to the store for a while, longer than a lease. */
  readonly cuts: number
  /** How often brokers start for a while only to die again. */
  readonly crashLoops: number
  /** One broker on SQLite with a disk of its own; else several on one database that does not fail. */
  readonly disk: boolean
  /** How often the power is cut instead of a process killed, the disk fills up, and a flush fails. */
  readonly powerCuts: number
  readonly fullDisks: number
  readonly flushFails: number
  /** How often the wall clock is set, and keys are changed. */
  readonly clockSteps: number
  readonly keyChanges: number
}

/** Nothing goes wrong by chance. */
export const noFaults: Knobs = {
  ...{ calm: false, stormy: false, storeFails: 0, answerLost: 0, engineFails: 0, delayMsMax: 5, crawls: 0 },
  ...{ kills: 0, pauses: 0, clockSkewMs: 0, hintsLost: 0, reboots: 0, engineOutages: 0, vanishings: 0 },
  ...{ cuts: 0, crashLoops: 0, disk: false, powerCuts: 0, fullDisks: 0, flushFails: 0, clockSteps: 0 },
  keyChanges: 0,
}

/** What goes wrong at one effect. */
export type FaultKind = 'crash before' | 'crash after' | 'error' | 'disk full' | 'time-out with success'

/** Asked at each effect by its name. */
export type FaultAtPoint = (effect: string) => FaultKind | undefined

export interface Gate {
  readonly name: string
  readonly alive: boolean
  kill(): void
  /** Calls when it is killed. */
  died(tell: () => void): void
  pause(ms: number): void
  resume(): void
  /** Cuts the process off from the store for a while. */
  cut(ms: number): void
  readonly isCut: boolean
  /** Resolves when the process may go on; never, once it is dead. */
  pass(): Promise<void>
  /** Passes before and after, with delays, and with faults of the given kinds. */
  effect<T>(act: () => Promise<T>, faults: EffectFaults, point: EffectPoint<T>): Promise<T>
}

export interface EffectPoint<T> {
  /** Asked only where single effects go wrong. */
  readonly name: () => string
  /** What happens instead on a full disk; absent: it needs none. */
  readonly onFullDisk?: () => Promise<T>
}

export interface EffectFaults {
  readonly before: number
  readonly after: number
  fault(): ProblemError
}

export function makeGate(
  world: World,
  random: Random,
  knobs: Knobs,
  { name, strike }: { readonly name: string; readonly strike?: FaultAtPoint | undefined },
): Gate {
  let alive = true
  const mourners: (() => void)[] = []
  let resumesAt = 0
  let cutUntil = 0
  const never = new Promise<never>(() => undefined)
  const pass = async (): Promise<void> => {
    if (!alive) return never
    while (resumesAt > world.now) await world.sleep(Math.min(1000, resumesAt - world.now))
    return alive ? undefined : never
  }
  const wait = async (): Promise<void> => {
    if (random.chance(0.3)) await world.sleep(random.between(0, knobs.delayMsMax))
    // Now and then a call is on its way for longer than a lease.
    if (random.chance(knobs.crawls)) await world.sleep(random.between(0, 25_000))
    await pass()
  }
  const kill = (): void => {
    if (!alive) return
    alive = false
    for (const tell of mourners) tell()
  }
  return {
    name,
    get alive() {
      return alive
    },
    kill,
    died: (tell) => void mourners.push(tell),
    pause(ms) {
      resumesAt = Math.max(resumesAt, world.now + ms)
    },
    resume() {
      resumesAt = 0
    },
    cut(ms) {
      cutUntil = Math.max(cutUntil, world.now + ms)
    },
    get isCut() {
      return cutUntil > world.now
    },
    pass,
    async effect(act, faults, { name: effect, onFullDisk }) {
      const kind = strike?.(effect())
      await wait()
      if (kind === 'crash before') {
        kill()
        return never
      }
      if (kind === 'error' || random.chance(faults.before)) throw faults.fault()
      const result = await (kind === 'disk full' && onFullDisk ? onFullDisk() : act())
      if (kind === 'crash after') {
        kill()
        return never
      }
      await wait()
      if (kind === 'time-out with success' || random.chance(faults.after)) throw faults.fault()
      return result
    },
  }
}

/** The node's own clocks: the wall clock lies, the monotonic one does not. */
export function clockOf(world: World, gate: Gate, skewMs: () => number): Clock {
  return {
    now: () => world.now + skewMs(),
    monotonic: () => world.now,
    sleep: async (ms, signal) => {
      await world.sleep(ms, signal)
      await gate.pass()
    },
  }
}

/** The one real store as a node sees it over its connection. */
export function storeOf(real: Store, gate: Gate, random: Random, knobs: Knobs): Store {
  const faults: EffectFaults = {
    get before() {
      return knobs.storeFails
    },
    get after() {
      return knobs.answerLost
    },
    fault: () => new ProblemError({ code: 'store.unavailable', detail: 'simulated' }),
  }
  const connected = <T>(act: () => Promise<T>): Promise<T> => {
    if (gate.isCut) throw faults.fault()
    return act()
  }
  const look = new Proxy(real.look, {
    get(target, name: string & keyof Look) {
      const method = target[name] as (...values: readonly unknown[]) => Promise<unknown>
      return (...values: readonly unknown[]) =>
        gate.effect(
          () => connected(() => method.apply(target, [...values])),
          { before: faults.before, after: 0, fault: faults.fault },
          { name: () => `look ${name}` },
        )
    },
  })
  return {
    ...real,
    look,
    write: (work, manner) =>
      gate.effect(() => connected(() => real.write(work, manner)), faults, {
        name: () => `write ${callerOf()}`,
        onFullDisk: () =>
          real.write(async (tx) => {
            await work(tx)
            // As SQLite says it at the commit.
            throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
          }, manner),
      }),
    onHint: (listener) =>
      real.onHint((hint) => {
        if (gate.alive && !random.chance(knobs.hintsLost)) void gate.pass().then(() => listener(hint))
      }),
    close: () => Promise.resolve(),
  }
}

/** The writer: the nearest function of the product, for a write has no name of its own. */
function callerOf(): string {
  const line = (new Error().stack ?? '').split('\n').find((one) => /\/src\//.test(one)) ?? ''
  const [, name = 'anonymous', file = ''] = /at (?:async )?(\S+ )?\(?.*\/src\/([\w/-]+)\.ts/.exec(line) ?? []
  return `${name.trim()} of ${file}`
}
