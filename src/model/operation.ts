/** Operations: one action under way, seen from outside; its states and how the worker keeps it. */
import type { Target } from './instance.ts'
import type { ProblemCode } from './problem-codes.ts'
import type { Used } from './report.ts'
import type { Action, Requester } from './situation.ts'

export const activeStates = [
  'queued',
  'preparing',
  'running',
  'collecting',
  'stopping',
  'quarantined',
] as const
export const endStates = ['succeeded', 'failed', 'cancelled'] as const

export type ActiveState = (typeof activeStates)[number]
export type EndState = (typeof endStates)[number]
export type OperationState = ActiveState | EndState

/** Whether the state is terminal. */
export function hasEnded(state: OperationState): state is EndState {
  return (endStates as readonly string[]).includes(state)
}

export interface Operation {
  /** A lower-case ULID. */
  readonly id: string
  readonly target: Target
  readonly action: Action
  /** That of its instance, as it was when it was ordered. */
  readonly tenant: string
  readonly state: OperationState
  /** Why it is in this state; what `chandler why` says. */
  readonly reason: string
  /** What the platform's users read. */
  readonly description?: string
  readonly problem?: ProblemCode
  /** After a failed update or deprovision. */
  readonly usable?: boolean
  readonly repeatable?: boolean
  readonly requester?: Requester
  /** The request that ordered it. */
  readonly requestId: string
  readonly priority: Priority
  /** Does not start before this operation has ended. */
  readonly blockedBy?: string
  /** Database time, milliseconds since 1970, as all times here. */
  readonly createdAt: number
  readonly startedAt?: number
  readonly finishedAt?: number
  readonly deadlineAt: number
  /** Not claimed before. */
  readonly runAfter: number
  readonly cancelRequestedAt?: number
  /** From then on it is ended even if a worker still holds it. */
  readonly forceAt?: number
  readonly lease?: { readonly owner: string; readonly until: number }
  /** Grows with each claim; every write of an owner carries it. */
  readonly fence: number
  /** Claims that ended without progress; three are too many. */
  readonly strikes: number
  readonly stage: number
  readonly attempt: number
  /** Spans that those of its work link to, as W3C writes them: the one that accepted it, and the latest that worked on it. */
  readonly traces?: readonly string[]
}

/** 0 delete, unbind and clean-up · 1 bind, create, update · 2 custom actions · 3 campaigns. */
export type Priority = 0 | 1 | 2 | 3

export type RunState = 'intended' | 'started' | 'reported' | 'discarded'

/** One start of a package's program: a stage and attempt of an operation. */
export interface Run {
  readonly operation: string
  readonly stage: number
  readonly attempt: number
  /** The deterministic name outside. */
  readonly name: string
  readonly engine: string
  readonly state: RunState
  readonly ticket?: string
  /** When it is over. */
  readonly used?: Used
}

/** One line of an operation's history: every change of state with its reason. */
export interface HistoryLine {
  readonly at: number
  readonly state: OperationState
  readonly reason: string
  readonly node: string
  readonly fence: number
}
