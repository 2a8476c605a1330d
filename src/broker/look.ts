/** The read side: what may be shown of instances, bindings and their operations. */
import type { Binding, BindingKey, Instance, InstanceKey, Target } from '../model/instance.ts'
import { hasEnded } from '../model/operation.ts'
import type { BindingAnswer } from '../model/outcome.ts'
import { fail } from '../model/problem.ts'
import type { Polled } from '../store/store.ts'
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
  const state =
    target.binding === undefined
      ? (await look.instance(target))?.state
      : (await look.binding({ ...target, binding: target.binding }))?.state
  if (state === 'gone') return { kind: 'gone' }
  if (state !== undefined) return { kind: 'never-operated' }
  return target.binding === undefined
    ? fail('instance.unknown', target.instance)
    : fail('binding.unknown', target.binding)
}

/** Seconds a platform should wait before it asks again: short at first, then growing to a minute. */
export function retryAfterSeconds({ state, createdAt, now }: Polled): number | undefined {
  if (hasEnded(state)) return undefined
  const age = (now - createdAt) / 1000
  return Math.min(60, Math.max(1, Math.ceil(age / 10)))
}
