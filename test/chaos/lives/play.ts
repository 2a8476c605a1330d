/** Plays a life at a door beside the model; what differs is told, and the life made as short as it can be. */
import type { Door, Seen, Taken } from './door.ts'
import type { Step, Verb } from './life.ts'
import { type Expected, expect, nothing, type Traits, type World } from './model.ts'

export interface Fault {
  /** The place of the step, from 0. */
  readonly at: number
  readonly what: string
}

/** The first thing that is not as the model has it. */
export async function play(instance: string, steps: readonly Step[], door: Door): Promise<Fault | undefined> {
  let world: World = nothing
  for (const [at, step] of steps.entries()) {
    const expectation = expect(step, world, door.traits)
    const cut = expectation.stopped === undefined ? undefined : step.cut
    const taken = await door.take(instance, step, { wish: world.wish, cut })
    const { whole, stopped } = expectation
    // A cancel may come too late.
    const possible = cut === 'cancel' && stopped !== undefined ? [stopped, whole] : [whole]
    const found = possible.find(({ answer }) => answer === taken.answer)
    const wrong =
      found === undefined
        ? `is ${taken.answer} and should be ${possible.map(({ answer }) => answer).join(' or ')}`
        : wronglyTaken(step, found, taken)
    if (wrong !== undefined || found === undefined) return { at, what: `${wrong}; ${taken.said}` }
    world = found.world
    const different = differences(world, await door.look(instance), door.traits)
    if (different.length > 0) return { at, what: `${different.join('; ')}; ${taken.said}` }
  }
  return undefined
}

function wronglyTaken({ verb }: Step, { answer, begins, world }: Expected, taken: Taken): string | undefined {
  if (begins !== undefined && taken.begun !== begins)
    return `has begun ${taken.begun} times and not ${begins}`
  const size = taken.credentials?.size
  if (verb === 'bind' && answer === 'done' && Number(size) !== world.shown)
    return `hands out the size ${String(size)} and not ${world.shown}`
  return undefined
}

const words: Readonly<Partial<Record<Verb, string>>> = {
  provision: 'install',
  update: 'upgrade',
  act: 'tune',
  deprovision: 'uninstall',
}

function differences(world: World, seen: Seen, { leavesTrail }: Traits): readonly string[] {
  const told: string[] = []
  const compare = (what: string, is: unknown, should: unknown): void => {
    const [a, b] = [JSON.stringify(is), JSON.stringify(should)]
    if (a !== b) told.push(`${what} is ${a} and should be ${b}`)
  }
  const isVague = seen.state === 'other' && world.state !== 'ready'
  if (!isVague) compare('its state', seen.state, world.state)
  compare('its bindings', sorted(seen.bindings), sorted(world.bindings))
  if (world.state !== 'ready') return told
  if (!world.isDue) compare('its size', seen.size, world.shown)
  if (leavesTrail)
    compare('what it went through', seen.trail, world.trail.map((verb) => words[verb]).join(' '))
  return told
}

function sorted(bindings: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(bindings).sort(([a], [b]) => (a < b ? -1 : 1))
}

const playsMax = 40

/** Leaves out steps as long as the life goes wrong without them. */
export async function shorten(
  steps: readonly Step[],
  goesWrong: (shorter: readonly Step[]) => Promise<Fault | undefined>,
): Promise<{ readonly steps: readonly Step[]; readonly fault: Fault | undefined }> {
  let short = steps
  let fault: Fault | undefined
  let plays = 0
  for (let size = Math.ceil(short.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < short.length && plays < playsMax; ) {
      const shorter = [...short.slice(0, from), ...short.slice(from + size)]
      plays++
      const found = shorter.length === 0 ? undefined : await goesWrong(shorter)
      if (found === undefined) from += size
      else {
        // What comes after the fault has no part in it.
        short = shorter.slice(0, found.at + 1)
        fault = found
      }
    }
  }
  return { steps: short, fault }
}
