/** Everything known when an action is about to happen; time and randomness included, so that contracts stay pure. */
import type { Json, JsonObject } from '../kit/json.ts'
import type { Secret } from '../kit/secret.ts'
import type { Carryover } from './outcome.ts'
import type { Package, Plan, Service } from './package.ts'

export type Action =
  | { readonly kind: 'provision' }
  | { readonly kind: 'update' }
  | { readonly kind: 'deprovision' }
  | { readonly kind: 'bind' }
  | { readonly kind: 'unbind' }
  | { readonly kind: 'invoke'; readonly name: string }

export interface Situation {
  readonly package: Package
  readonly service: Service
  readonly plan: Plan
  readonly instance: SituationInstance
  /** Present for bind and unbind. */
  readonly binding?: SituationBinding
  /** The parameters of the user that count now: of the instance after this action, or of the binding or invocation. */
  readonly parameters: JsonObject
  /** For an update: the parameters as they were sent, what is unchanged or null included. */
  readonly sent?: JsonObject
  /** For an update: the parameters, plan and package version before. */
  readonly before?: { readonly parameters: JsonObject; readonly plan: Plan; readonly version?: string }
  /** What the operator lends: accounts, addresses, files. */
  readonly infrastructure: Readonly<Record<string, string | Secret>>
  /** What earlier actions of this instance left behind. */
  readonly carryover: Carryover
  readonly operation: { readonly id: string; readonly stage: number; readonly attempt: number }
  readonly requester?: Requester
  readonly platform: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly random: (bytes: number) => Uint8Array
}

export interface SituationInstance {
  readonly id: string
  readonly name?: string
  /** The OSB context as the platform sent it. */
  readonly context: JsonObject
  /** The user's parameters of the instance (for bind and unbind, where `parameters` are the binding's). */
  readonly parameters: JsonObject
}

export interface SituationBinding {
  readonly id: string
  readonly context: JsonObject
  readonly resource: JsonObject
  readonly predecessor?: string
  /** What earlier actions of this binding left behind. */
  readonly carryover: Carryover
  /** For unbind: what bind had answered. */
  readonly credentials?: Json
}

/** The user behind the request, as the platform says. */
export interface Requester {
  readonly platform: string
  readonly identity: JsonObject
}
