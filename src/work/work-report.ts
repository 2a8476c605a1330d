/** What the work tells of itself while it goes on. */

/** Told to whoever counts and logs; never a reason to fail. */
export interface WorkReport {
  event(event: WorkEvent): void
}

export type WorkEvent =
  | {
      readonly kind: 'claimed'
      readonly operation: string
      readonly action: string
      readonly queuedMs: number
    }
  | { readonly kind: 'adopted'; readonly operation: string; readonly run: string; readonly engine: string }
  | {
      readonly kind: 'ended'
      readonly operation: string
      readonly action: string
      readonly state: string
      /** The contract of its package. */
      readonly format: string
      /** The code of its first problem. */
      readonly problem: string | undefined
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
  /** Our share of the time, as opposed to that of the program. */
  | { readonly kind: 'spent'; readonly phase: 'prepare' | 'start' | 'finish'; readonly ms: number }
  | { readonly kind: 'waits'; readonly operation: string; readonly why: string }
  | { readonly kind: 'lease-lost'; readonly operation: string }
  | { readonly kind: 'quarantined'; readonly operation: string }
  | { readonly kind: 'fault'; readonly operation?: string; readonly doing: string; readonly error: unknown }
  | { readonly kind: 'swept'; readonly run: string; readonly why: string }
