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

export interface SecretPlace {
  readonly namespace: string
  readonly name: string
  /** The cluster of brokers and the binding that it belongs to, as labels: a Secret that lacks one of them is another's. */
  readonly owner: { readonly cluster: string; readonly binding: string }
}

export interface SecretContent {
  readonly type: string
  readonly data: Readonly<Record<string, string>>
  /** For people that look at it. */
  readonly annotations: Readonly<Record<string, string>>
}

/** The Secrets of a cluster, as far as deliveries need them. */
export interface ClusterSecrets {
  /** Has the Secret hold this and nothing else; true: something was changed. Problems: engine.unavailable, engine.denied, secret.foreign, secret.refused. */
  put(place: SecretPlace, content: SecretContent, signal: AbortSignal): Promise<boolean>
  /** Removes it, if it is ours; true: it was there. Problems: engine.unavailable, engine.denied, secret.refused. */
  remove(place: SecretPlace, signal: AbortSignal): Promise<boolean>
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
