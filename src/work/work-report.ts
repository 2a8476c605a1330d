/** What the work tells of itself while it goes on. */
import type { EngineFacts } from '../engines/engine.ts'
import type { Problem } from '../model/problem.ts'
import type { ProblemCode } from '../model/problem-codes.ts'

/** Told to figures and log; never a reason to fail. */
export interface WorkReport {
  event(event: WorkEvent): void
}

/** collect: from the end of a run until what it left is sealed. */
export type Phase = 'prepare' | 'start' | 'collect' | 'finish'

export type WorkEvent =
  | {
      readonly kind: 'claimed'
      readonly operation: string
      readonly action: string
      readonly queuedMs: number
      /** first: no node had it before; again: this node had given it back; takeover: another node had begun it. */
      readonly claim: 'first' | 'again' | 'takeover'
    }
  /** The engine was asked for a run that was begun before this claim. */
  | {
      readonly kind: 'sought'
      readonly operation: string
      readonly run: string
      readonly engine: string
      readonly result: 'found' | 'missing' | 'foreign'
    }
  | {
      readonly kind: 'ended'
      readonly operation: string
      readonly action: string
      readonly state: string
      /** The contract of its package. */
      readonly format: string
      /** The code of its first problem. */
      readonly problem: ProblemCode | undefined
      readonly ms: number
    }
  | {
      readonly kind: 'ran'
      readonly operation: string
      readonly action: string
      readonly format: string
      readonly engine: string
      readonly end: string
      readonly ms: number
    }
  /** A run has come to its end, whichever. */
  | {
      readonly kind: 'attempted'
      readonly format: string
      readonly engine: string
      readonly result: string
    }
  /** Our share of the time, as opposed to that of the program. */
  | {
      readonly kind: 'spent'
      readonly phase: Phase
      readonly format: string
      readonly engine: string
      readonly ms: number
    }
  | { readonly kind: 'waits'; readonly operation: string; readonly why: string }
  /** Leases were renewed, or could not be asked for. */
  | { readonly kind: 'renewed'; readonly leases: number }
  | { readonly kind: 'renewal-failed' }
  | { readonly kind: 'lease-lost'; readonly operation: string }
  /** A write of ours was refused, for another has taken over. */
  | { readonly kind: 'fenced'; readonly operation: string }
  | { readonly kind: 'quarantined'; readonly operation: string }
  | { readonly kind: 'fault'; readonly operation?: string; readonly doing: string; readonly error: unknown }
  /** What the author of a package should mend; it is offered all the same. */
  | { readonly kind: 'warned'; readonly package: string; readonly problems: readonly Problem[] }
  | {
      readonly kind: 'swept'
      readonly run: string
      readonly engine: string
      readonly type: EngineFacts['run']
      readonly why: string
    }
  /** What a sweep should have removed and could not. */
  | {
      readonly kind: 'left-over'
      readonly engine: string
      readonly type: EngineFacts['run']
      readonly runs: number
    }
