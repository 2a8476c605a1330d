/** Secrets of a cluster that hold what bindings give: where each is, what is wished, and how far that is. */
import type { BindingKey } from './instance.ts'
import type { Problem } from './problem.ts'

export interface Delivery extends BindingKey {
  readonly namespace: string
  /** there: the Secret holds what the binding gives. gone: there is none of it any more. */
  readonly wish: 'there' | 'gone'
  /** waits: not done yet. failed: told and tried again. done: looked at again now and then. */
  readonly state: 'waits' | 'failed' | 'done'
  /** Why the last attempt failed. */
  readonly problem?: Pick<Problem, 'code' | 'detail'>
  /** Attempts that failed one after another. */
  readonly failures: number
  /** Grows with each wish and each attempt: only the latest one writes down what came of it. */
  readonly fence: number
}

/** The name of the Secret of a binding: its id where that can be one, and what of it cannot be mistaken for another's. */
export function secretNameOf(
  { platform, instance, binding }: BindingKey,
  digest: (text: string) => string,
): string {
  const mark = digest(JSON.stringify([platform, instance, binding])).slice(0, 10)
  const id = /^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/.test(binding) ? binding : 'of'
  return `binding-${id}-${mark}`
}
