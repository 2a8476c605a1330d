/** Instances of the original broker in the words of this one: what users sent, and what later actions must find. */
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Carryover } from '../../model/outcome.ts'
import { carryoverOf } from './memory.ts'
import { namespacePattern } from './names.ts'
import { holdsTemplate } from './values.ts'

/** What the original kept of an instance. */
export interface OriginalInstance {
  /** All that the bundle was given, with what the broker added. */
  readonly parameters: JsonObject
  readonly namespace: string
  readonly credentials?: JsonObject
  readonly state?: Readonly<Record<string, string>>
}

export interface MovedInstance {
  /** The name of its plan: the original stores no id. */
  readonly plan: string
  /** What the user sent. */
  readonly parameters: JsonObject
  readonly carryover: Carryover
}

/** Asynchronous binds of the original left credentials among the parameters, too. */
const injected = /^(_apb_.*|namespace|cluster)$/

/** The parameters that a user sent, without what the broker added to them. */
export function sentParameters(parameters: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !injected.test(name)))
}

export function movedInstance({
  parameters,
  namespace,
  credentials,
  state,
}: OriginalInstance): MovedInstance {
  const sent = sentParameters(parameters)
  const { _apb_plan_id: plan } = parameters
  return {
    plan: typeof plan === 'string' ? plan : '',
    parameters: sent,
    // Without one of its own it gets that of its operator's choice.
    carryover: carryoverOf({
      parameters: sent,
      ...present({ namespace: namespace || undefined, credentials, state }),
    }),
  }
}

/** Why the original cannot have made an instance of these names, which bundles are told and Ansible would evaluate. */
export function faultOfNames(id: string, namespace: string): string | undefined {
  if (holdsTemplate(id)) return 'its id holds {{ or {%, which the bundle would evaluate'
  if (namespace === '' || new RegExp(namespacePattern).test(namespace)) return undefined
  return `${JSON.stringify(namespace)} is no name of a namespace`
}

/** What a binding of the original leaves for its unbind. */
export function movedBinding(credentials: JsonObject | undefined): Carryover {
  return carryoverOf(credentials === undefined ? {} : { credentials })
}
