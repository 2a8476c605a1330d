/** What to do next with an operation: a pure function of its rows and of what the engine shows. Recovery is the same question. */

import type { RunSight } from '../engines/engine.ts'
import { never } from '../kit/assert.ts'
import { hasEnded, type Operation, type Run } from '../model/operation.ts'

export interface Facts {
  readonly operation: Operation
  /** The latest run, if any was intended. */
  readonly run: Run | undefined
  /** What the engine shows under the run's name; undefined before the first look. */
  readonly sight: RunSight | undefined
  /** Database time. */
  readonly now: number
}

export type StopReason = 'cancelled' | 'deadline'

export type Next =
  | { readonly kind: 'nothing' }
  /** Claimed again and again without a step forward: it may be what crashes us. */
  | { readonly kind: 'quarantine' }
  | { readonly kind: 'prepare' }
  /** Nothing was started, and nothing shall be. */
  | { readonly kind: 'end-unstarted'; readonly why: StopReason }
  | { readonly kind: 'look'; readonly run: Run }
  | { readonly kind: 'start'; readonly run: Run }
  /** It was started, by us before a crash or by another node, and not written down. */
  | { readonly kind: 'adopt'; readonly run: Run; readonly ticket: string }
  | {
      readonly kind: 'follow'
      readonly run: Run
      readonly ticket: string
      readonly stop: StopReason | undefined
    }
  | { readonly kind: 'lost'; readonly run: Run }
  | { readonly kind: 'name-conflict'; readonly run: Run; readonly detail: string }
  | { readonly kind: 'conclude'; readonly run: Run; readonly stop: StopReason | undefined }

/** Claims without progress that are put up with. */
export const strikesMax = 3

/** The next step; every step ends in a fenced write, so that asking again after a crash goes on from there. */
export function nextStep(facts: Facts): Next {
  const { operation, run } = facts
  if (hasEnded(operation.state)) return { kind: 'nothing' }
  const stop = stopReason(facts)
  if (operation.strikes > strikesMax && stop === undefined) return { kind: 'quarantine' }
  if (run === undefined || run.state === 'discarded') {
    return stop ? { kind: 'end-unstarted', why: stop } : { kind: 'prepare' }
  }
  switch (run.state) {
    case 'intended':
      return nextOfIntended(facts, run, stop)
    case 'started':
      return nextOfStarted(facts, run, stop)
    case 'reported':
      return { kind: 'conclude', run, stop }
    default:
      return never(run.state)
  }
}

/** Why an operation must come to its end now. */
export function stopReason({ operation, now }: Pick<Facts, 'operation' | 'now'>): StopReason | undefined {
  if (operation.cancelRequestedAt !== undefined) return 'cancelled'
  return now >= operation.deadlineAt ? 'deadline' : undefined
}

function nextOfIntended({ sight }: Facts, run: Run, stop: StopReason | undefined): Next {
  if (sight === undefined) return { kind: 'look', run }
  switch (sight.kind) {
    case 'started':
      return { kind: 'adopt', run, ticket: sight.ticket }
    case 'foreign':
      return { kind: 'name-conflict', run, detail: sight.detail }
    case 'absent':
    case 'laid-out':
      return stop ? { kind: 'end-unstarted', why: stop } : { kind: 'start', run }
    default:
      return never(sight)
  }
}

function nextOfStarted({ sight }: Facts, run: Run, stop: StopReason | undefined): Next {
  if (sight === undefined) return { kind: 'look', run }
  switch (sight.kind) {
    case 'started':
      return { kind: 'follow', run, ticket: sight.ticket, stop }
    case 'foreign':
      return { kind: 'name-conflict', run, detail: sight.detail }
    case 'absent':
    case 'laid-out':
      return { kind: 'lost', run }
    default:
      return never(sight)
  }
}
