/** A way of ordering: what a step is turned into, what came of it, and what the instance is like afterwards. */
import type { Step, Wish } from './life.ts'
import type { Answer, Traits } from './model.ts'

export interface Taken {
  readonly answer: Answer
  /** How often the program of the step has begun. */
  readonly begun: number
  /** What was answered, for people. */
  readonly said: string
  /** What a binding was handed. */
  readonly credentials?: { readonly size?: unknown }
}

export interface Seen {
  /** `other`: not ready, and more is not told. */
  readonly state: string
  readonly bindings: Readonly<Record<string, string>>
  readonly size?: number
  readonly trail?: string
}

export interface Door {
  readonly name: string
  readonly traits: Traits
  /** Takes a step with an instance; `wish` is what holds of it before. */
  take(instance: string, step: Step, at: At): Promise<Taken>
  look(instance: string): Promise<Seen>
}

export interface At {
  readonly wish: Wish
  /** What to do once its program has begun. */
  readonly cut: 'cancel' | 'kill' | undefined
}
