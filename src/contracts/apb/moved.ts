/** Instances of the original broker in the words of this one: what users sent, and what later actions must find. */
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Carryover } from '../../model/outcome.ts'
import { carryoverOf } from './memory.ts'

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
  return {
    plan: String(parameters['_apb_plan_id'] ?? ''),
    parameters: sent,
    carryover: carryoverOf({
      parameters: sent,
      namespace,
      ...present({ credentials, state }),
    }),
  }
}

/** What a binding of the original leaves for its unbind. */
export function movedBinding(credentials: JsonObject | undefined): Carryover {
  return carryoverOf(credentials === undefined ? {} : { credentials })
}
