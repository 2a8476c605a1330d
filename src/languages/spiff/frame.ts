/**
 * Calls of lambdas inside each other as deep as one likes: beyond a depth a call is left to the driver, which evaluates it
 * from an empty stack, and what needed it is evaluated again and finds its result.
 */
import type { CallEnding, CallOutcome, DocumentDepth, Env, Frame } from './env.ts'
import { Failure, Suspended, Waiting } from './issue.ts'

export function newFrame(): Frame {
  return { next: 0, done: undefined, open: undefined, effects: undefined, nodes: undefined }
}

/** Deeper than this a call may be left to the driver; what comes only a little deeper is evaluated all the same. */
const depths = { soft: 200, hard: 300 }
/** The same for what documents inside of each other add up to: then it is the driver of the outermost that goes on. */
const depthsOfAll = { soft: 500, hard: 600 }

/** Evaluates a call here, or finds its result, or leaves it to the driver. */
export function framed<T>(env: Env, evaluate: (env: Env) => T): T {
  const { frame, stand, run } = env
  const place = frame.next++
  const known = frame.done?.get(place)
  if (known !== undefined) return recalled(known, env) as T
  const inner = frame.open?.get(place) ?? newFrame()
  inner.next = 0
  const ofAll = run.depth > depthsOfAll.soft
  const level = ofAll ? (stand.level.outermost ?? stand.level) : stand.level
  const { soft, hard } = ofAll ? depthsOfAll : depths
  const depth = ofAll ? run.depth : run.depth - level.startDepth
  if (depth <= soft) return linked(env, inner, { place, need: undefined }, evaluate)
  const need = neededCall(env, inner, { place, level, depth: soft, evaluate })
  if (depth > hard) {
    keep(frame, place, inner)
    throw new Suspended(need)
  }
  return linked(env, inner, { place, need }, evaluate)
}

type NeededCall = ReturnType<typeof neededCall>

function linked<T>(
  env: Env,
  inner: Frame,
  { place, need }: { readonly place: number; readonly need: NeededCall | undefined },
  evaluate: (env: Env) => T,
): T {
  try {
    return evaluate({ ...env, frame: inner })
  } catch (error) {
    if (error instanceof Suspended) {
      keep(env.frame, place, inner)
      // The outermost call that may be left is left: what is called in it needs no further start.
      if (need !== undefined) error.insteadOf(need)
    }
    throw error
  }
}

function keep(frame: Frame, place: number, inner: Frame): void {
  frame.open ??= new Map()
  frame.open.set(place, inner)
}

/** A call for the driver: it starts from what was known when it was made, however often it is started. */
function neededCall(
  env: Env,
  inner: Frame,
  {
    place,
    level,
    depth,
    evaluate,
  }: {
    readonly place: number
    readonly level: DocumentDepth
    readonly depth: number
    readonly evaluate: (env: Env) => unknown
  },
) {
  const { frame, stand } = env
  const info = { ...env.info }
  const effects = stand.effects.next
  return {
    kind: 'call' as const,
    level,
    depth,
    evaluate: () => {
      inner.next = 0
      stand.effects.next = effects
      const own = { ...info }
      const ending = endingOf(() => evaluate({ ...env, frame: inner, info: own }))
      frame.done ??= new Map()
      frame.done.set(place, { ending, info: own, effects: stand.effects.next })
      frame.open?.delete(place)
    },
  }
}

function endingOf(evaluate: () => unknown): CallEnding {
  try {
    return { kind: 'value', value: evaluate() }
  } catch (error) {
    if (error instanceof Failure) return { kind: 'failed', issue: error.issue, at: error.at }
    if (error instanceof Waiting) return { kind: 'waits', waiting: error }
    throw error
  }
}

function recalled({ ending, info, effects }: CallOutcome, env: Env): unknown {
  Object.assign(env.info, info)
  env.stand.effects.next = effects
  switch (ending.kind) {
    case 'value':
      return ending.value
    case 'failed': {
      const failure = new Failure(ending.issue)
      failure.at = ending.at
      throw failure
    }
    case 'waits':
      throw ending.waiting.again()
  }
}
