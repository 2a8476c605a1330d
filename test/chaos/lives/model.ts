/** What an instance is like, and what an order of it must come to: a few tables that know nothing of how it is done. */
import type { Step, Verb, Wish } from './life.ts'

/** What a contract does, and a way of ordering it. */
export interface Traits {
  /** Verbs that are there at all; others are refused. */
  readonly able: readonly Verb[]
  /** Verbs whose program may be told to fail, or to be slow. */
  readonly steerable: readonly Verb[]
  /** A binding is told itself how its program ends, and not its instance. */
  readonly bindWishes: boolean
  /** Bindings are unbound before their instance is taken down. */
  readonly unbindsFirst: boolean
  /** Orders that change nothing, and those of what is there already, are answered without any work. */
  readonly answersAtOnce: boolean
  /** Records stay when everything is gone, so that actions and another uninstall are taken. */
  readonly staysKnown: boolean
  /** An update that failed or was stopped has left its wish. */
  readonly keepsFailedWish: boolean
  /** An update that failed or was stopped is due: repeated, it is carried out. */
  readonly isDueAfterFailure: boolean
  /** Programs write down what they did after what is there of it, also those that fail. */
  readonly leavesTrail: boolean
  /** An import has to be carried out. */
  readonly isDueAfterMove: boolean
}

export interface World {
  readonly state: 'absent' | 'ready' | 'failed'
  readonly wish: Wish
  readonly bindings: Readonly<Record<string, 'bound' | 'failed'>>
  readonly isDue: boolean
  /** Whether something was ever ordered. */
  readonly isKnown: boolean
  readonly trail: readonly Verb[]
  /** What the last program that ended has been told. */
  readonly shown: number | undefined
}

export const nothing: World = {
  state: 'absent',
  wish: { size: 0, fails: '', slow: '' },
  bindings: {},
  isDue: false,
  isKnown: false,
  trail: [],
  shown: undefined,
}

export type Answer = 'done' | 'failed' | 'cancelled' | 'refused' | 'nothing'

export interface Expected {
  readonly answer: Answer
  /** How often its program begins; absent: that depends on what the program finds. */
  readonly begins?: number
  readonly world: World
}

/** What must come of a step, and what of it when it is stopped half way. */
export interface Expectation {
  readonly whole: Expected
  /** Absent: it cannot be cut off. */
  readonly stopped?: Expected
}

/** What must come of a step. */
export function expect(step: Step, world: World, traits: Traits): Expectation {
  const refused: Expectation = { whole: { answer: 'refused', begins: 0, world } }
  if (asksNothing(step, world, traits)) return { whole: { answer: 'nothing', begins: 0, world } }
  if (!traits.able.includes(step.verb)) return refused
  switch (step.verb) {
    case 'provision':
      return provision(step, world, traits) ?? refused
    case 'update':
    case 'repeat':
      return update(step, world, traits) ?? refused
    case 'act':
      return act(world, traits) ?? refused
    case 'bind':
      return bind(step, world, traits) ?? refused
    case 'unbind':
      return unbind(step, world, traits) ?? refused
    case 'deprovision':
      return deprovision(world, traits) ?? refused
    case 'move':
      return move(world, traits) ?? refused
  }
}

type Maybe = Expectation | undefined

function wishOf({ size, fails, slow }: Step, before: Wish): Wish {
  return { size: size ?? before.size, fails: fails ?? before.fails, slow: slow ?? before.slow }
}

function isSame(a: Wish, b: Wish): boolean {
  return a.size === b.size && a.fails === b.fails && a.slow === b.slow
}

function provision(step: Step, world: World, traits: Traits): Maybe {
  const wish = wishOf(step, world.wish)
  if (world.state === 'ready') {
    const isThere = traits.answersAtOnce && isSame(wish, world.wish)
    return isThere ? { whole: { answer: 'nothing', begins: 0, world } } : undefined
  }
  const base = { ...nothing, wish, isKnown: true, trail: traits.staysKnown ? world.trail : [] }
  const failed: World = { ...base, state: 'failed' }
  const stopped: World = traits.staysKnown ? { ...failed, shown: world.shown } : failed
  const ends = ending('provision', wish, traits)
  return {
    whole: {
      answer: ends,
      begins: 1,
      world: written('provision', ends === 'done' ? { ...base, state: 'ready' } : failed, wish, traits),
    },
    ...cutOff('provision', wish, traits, stopped),
  }
}

/** An update that changes nothing is answered also where nothing can be updated: platforms bring a new context that way. */
function asksNothing(step: Step, world: World, { answersAtOnce }: Traits): boolean {
  if (step.verb !== 'update' && step.verb !== 'repeat') return false
  const isSameAgain = isSame(wishOf(step, world.wish), world.wish)
  return answersAtOnce && world.state === 'ready' && isSameAgain && !world.isDue
}

function update(step: Step, world: World, traits: Traits): Maybe {
  if (world.state !== 'ready') return undefined
  const wish = wishOf(step, world.wish)
  const ends = ending('update', wish, traits)
  const failed: World = {
    ...world,
    wish: traits.keepsFailedWish ? wish : world.wish,
    isDue: traits.isDueAfterFailure,
  }
  const after = ends === 'done' ? { ...world, wish, isDue: false } : failed
  return {
    whole: {
      answer: ends,
      ...(isSame(wish, world.wish) ? {} : { begins: 1 }),
      world: written('update', after, wish, traits),
    },
    ...cutOff('update', wish, traits, failed),
  }
}

function act(world: World, traits: Traits): Maybe {
  if (traits.staysKnown ? !world.isKnown : world.state !== 'ready') return undefined
  const ends = ending('act', world.wish, traits)
  return {
    whole: { answer: ends, world: written('act', { ...world, isDue: false }, world.wish, traits) },
    ...cutOff('act', world.wish, traits, world),
  }
}

function bind({ binding = 'a', ...step }: Step, world: World, traits: Traits): Maybe {
  if (world.state !== 'ready') return undefined
  const { steerable, bindWishes, answersAtOnce } = traits
  const wish = bindWishes ? wishOf(step, { ...world.wish, fails: '', slow: '' }) : world.wish
  const there = world.bindings[binding]
  if (there === 'bound') {
    const isAgain = !bindWishes || (wish.fails === '' && wish.slow === '')
    return answersAtOnce && isAgain ? { whole: { answer: 'nothing', begins: 0, world } } : undefined
  }
  const ends = ending('bind', wish, traits)
  const with_ = (state: 'bound' | 'failed'): World => ({
    ...world,
    bindings: { ...world.bindings, [binding]: state },
  })
  return {
    whole: {
      answer: ends,
      begins: steerable.includes('bind') ? 1 : 0,
      world: with_(ends === 'done' ? 'bound' : 'failed'),
    },
    ...cutOff('bind', wish, traits, with_('failed')),
  }
}

function unbind({ binding = 'a' }: Step, world: World, traits: Traits): Maybe {
  if (world.bindings[binding] === undefined) return undefined
  const ends = ending('unbind', world.wish, traits)
  const { [binding]: _gone, ...bindings } = world.bindings
  return {
    whole: { answer: ends, world: ends === 'done' ? { ...world, bindings } : world },
    ...cutOff('unbind', world.wish, traits, world),
  }
}

function deprovision(world: World, traits: Traits): Maybe {
  if (traits.staysKnown ? !world.isKnown : world.state === 'absent') return undefined
  const ends = ending('deprovision', world.wish, traits)
  const left: World = { ...world, bindings: traits.unbindsFirst ? {} : world.bindings }
  const gone: World = traits.staysKnown ? { ...left, state: 'absent' } : nothing
  const after = ends === 'done' ? gone : left
  const isWritten = ends === 'failed' || traits.staysKnown
  return {
    whole: {
      answer: ends,
      begins: 1,
      world: isWritten ? written('deprovision', after, world.wish, traits) : after,
    },
    ...cutOff('deprovision', world.wish, traits, left),
  }
}

function move(world: World, traits: Traits): Maybe {
  if (traits.staysKnown ? !world.isKnown : world.state !== 'ready') return undefined
  return {
    whole: { answer: 'done', begins: 0, world: { ...world, isDue: world.isDue || traits.isDueAfterMove } },
  }
}

function ending(verb: Verb, { fails }: Wish, { steerable }: Traits): 'done' | 'failed' {
  return fails === verb && steerable.includes(verb) ? 'failed' : 'done'
}

function cutOff(verb: Verb, { slow }: Wish, { steerable }: Traits, world: World) {
  if (slow !== verb || !steerable.includes(verb)) return {}
  return { stopped: { answer: 'cancelled', begins: 1, world } as const }
}

function written(verb: Verb, world: World, { size }: Wish, { leavesTrail }: Traits): World {
  return { ...world, shown: size, trail: leavesTrail ? [...world.trail, verb] : world.trail }
}
