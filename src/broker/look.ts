/** The read side: what may be shown of instances, bindings and their operations. */
import { timeOfUlid } from '../kit/id.ts'
import type { Binding, BindingKey, Instance, InstanceKey, Target } from '../model/instance.ts'
import { hasEnded } from '../model/operation.ts'
import type { BindingAnswer } from '../model/outcome.ts'
import { fail } from '../model/problem.ts'
import type { Look, Polled } from '../store/store.ts'
import { offerOf } from './offering.ts'
import { orders } from './orders.ts'
import { shownParameters } from './parameters.ts'
import type { Ports } from './ports.ts'

export interface InstanceView {
  readonly instance: Instance
  /** Without those marked secret. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface BindingView {
  readonly binding: Binding
  readonly answer: BindingAnswer
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The instance as its platform may fetch it: only when it is ready and at rest. */
export async function fetchInstance(ports: Ports, key: InstanceKey): Promise<InstanceView> {
  const { look } = ports.store
  const instance = await look.instance(key)
  switch (instance?.state) {
    case undefined:
    case 'gone':
    case 'failed':
    case 'provisioning':
      return fail('instance.unknown', key.instance)
    case 'updating':
    case 'deprovisioning':
      return fail('instance.busy')
    case 'ready': {
      const { parameters } = await orders.instance(look, key)
      const { plan } = await offerOf(look, instance)
      return { instance, parameters: shownParameters(parameters, plan.schemas.create, plan.schemas.update) }
    }
  }
}

/** The binding as its platform may fetch it, credentials included; while it is being removed it is still valid. */
export async function fetchBinding(ports: Ports, key: BindingKey): Promise<BindingView> {
  const { look } = ports.store
  const binding = await look.binding(key)
  const answer =
    binding && (binding.state === 'bound' || binding.state === 'unbinding')
      ? await orders.answer(look, key)
      : undefined
  if (binding === undefined || answer === undefined) fail('binding.unknown', key.binding)
  const { parameters } = await orders.binding(look, key)
  const offering = await look.offering(binding.planId)
  const schema =
    offering && (await offerOf(look, { planId: binding.planId, digest: offering.digest })).plan.schemas.bind
  return { binding, answer, parameters: shownParameters(parameters, schema) }
}

export type PollAnswer =
  | { readonly kind: 'state'; readonly polled: Polled }
  | { readonly kind: 'never-operated' }
  /** Ordered after the copy was made that the store was restored from. */
  | { readonly kind: 'lost' }
  /** Deleted, and that is all that is left to say. */
  | { readonly kind: 'gone' }

/** The state of the named operation of a target, else of its latest. */
export async function pollTarget(
  ports: Ports,
  target: Target,
  operation: string | undefined,
): Promise<PollAnswer> {
  const { look } = ports.store
  const polled = await look.poll(target, operation)
  if (polled) return { kind: 'state', polled }
  const latest = operation === undefined ? undefined : await look.poll(target, undefined)
  const row =
    target.binding === undefined
      ? await look.instance(target)
      : await look.binding({ ...target, binding: target.binding })
  const knownAt = Math.max(latest?.createdAt ?? 0, row?.updatedAt ?? 0)
  if (operation !== undefined && (await isLost(look, operation, knownAt))) return { kind: 'lost' }
  // Some platforms poll with words of their own: what was never an operation means the latest one.
  if (latest) return { kind: 'state', polled: latest }
  if (row?.state === 'gone') return { kind: 'gone' }
  if (row !== undefined) return { kind: 'never-operated' }
  return target.binding === undefined
    ? fail('instance.unknown', target.instance)
    : fail('binding.unknown', target.binding)
}

/** Platforms give up polling long before. */
const polledMs = 30 * 86_400_000

/** Whether the id is one of ours, younger than everything that is known of its target, and in no row. */
async function isLost(look: Look, operation: string, knownAt: number): Promise<boolean> {
  const at = timeOfUlid(operation)
  if (at === undefined || at <= knownAt) return false
  const now = await look.now()
  if (at > now || at < now - polledMs) return false
  return (await look.operation(operation)) === undefined
}

/** Seconds a platform should wait before it asks again: short at first, then growing to a minute. */
export function retryAfterSeconds({ state, createdAt, now }: Polled): number | undefined {
  if (hasEnded(state)) return undefined
  const age = (now - createdAt) / 1000
  return Math.min(60, Math.max(1, Math.ceil(age / 10)))
}
