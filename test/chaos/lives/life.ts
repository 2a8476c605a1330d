/** A life: what is done to one instance, one step after another, drawn from a seed. */
import type { Random } from '../../simulation/world.ts'

/** `repeat` is an update without any wish, `act` an action of the package's own, `move` an export and an import. */
export const verbs = [
  'provision',
  'update',
  'repeat',
  'act',
  'bind',
  'unbind',
  'deprovision',
  'move',
] as const
export type Verb = (typeof verbs)[number]

export interface Wish {
  readonly size: number
  /** The verb that fails while this wish holds. */
  readonly fails: Verb | ''
  /** The verb whose program takes its time, so that it can be cut off. */
  readonly slow: Verb | ''
}

export interface Step extends Partial<Wish> {
  readonly verb: Verb
  readonly binding?: 'a' | 'b'
  /** What happens to it once its program has begun; nothing, where that is not slow. */
  readonly cut?: 'cancel' | 'kill'
}

const stepsMax = 30
const words = ['act', 'bind', 'unbind', 'deprovision'] as const

/** Steps that mostly make sense one after the other; some of them must be refused. */
export function drawLife(random: Random, able: readonly Verb[]): readonly Step[] {
  const count = Math.min(random.between(2, stepsMax), random.between(2, stepsMax))
  const steps: Step[] = []
  let isThere = false
  for (let i = 0; i < count; i++) {
    const isWild = random.chance(0.12)
    const verb = isWild ? random.pick(verbs) : nextVerb(random, isThere, able)
    if (verb === 'provision') isThere = true
    if (verb === 'deprovision') isThere = false
    steps.push(drawStep(random, verb))
  }
  return steps
}

function nextVerb(random: Random, isThere: boolean, able: readonly Verb[]): Verb {
  if (!isThere) return 'provision'
  const chances: readonly Verb[] = [
    ...['update', 'update', 'update', 'act', 'act', 'bind', 'bind', 'bind', 'unbind', 'unbind'],
    ...['repeat', 'move', 'deprovision', 'deprovision'],
  ] as const
  return random.pick(chances.filter((one) => able.includes(one)))
}

function drawStep(random: Random, verb: Verb): Step {
  const cut = random.pick(['cancel', 'kill', 'kill'] as const)
  const isCut = random.chance(0.12)
  switch (verb) {
    case 'provision':
    case 'update':
      return {
        verb,
        size: random.between(1, 4),
        fails: random.chance(0.2) ? random.pick([verb, verb, ...words]) : '',
        ...(isCut ? { slow: verb, cut } : { slow: random.chance(0.15) ? random.pick(words) : '' }),
      }
    case 'bind':
      return {
        verb,
        binding: random.pick(['a', 'b'] as const),
        fails: random.chance(0.15) ? 'bind' : '',
        slow: isCut ? 'bind' : '',
        cut,
      }
    case 'unbind':
      return { verb, binding: random.pick(['a', 'b'] as const), cut }
    case 'act':
    case 'deprovision':
      return { verb, cut }
    case 'repeat':
    case 'move':
      return { verb }
  }
}

/** One line for each step, as people read it and as it can be played again. */
export function writeLife(steps: readonly Step[]): string {
  return `[${steps.map((step) => JSON.stringify(step)).join(',\n ')}]`
}

/** What writeLife has written. */
export function readLife(text: string): readonly Step[] {
  return JSON.parse(text) as readonly Step[]
}
