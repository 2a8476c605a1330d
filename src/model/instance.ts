/** Instances and bindings: their states, and what the broker remembers of them. */
import type { JsonObject } from '../kit/json.ts'

/** The platform of instances that operators order for themselves; no account may have its name. */
export const operatorsPlatform = 'chandler'

/** An instance belongs to the platform that made it; other platforms do not see it. */
export interface InstanceKey {
  readonly platform: string
  readonly instance: string
}

/** A binding id is unique only together with its instance. */
export interface BindingKey extends InstanceKey {
  readonly binding: string
}

/** What an operation works on. */
export type Target = InstanceKey & { readonly binding?: string }

export type InstanceState =
  | 'provisioning'
  | 'ready'
  | 'updating'
  | 'deprovisioning'
  /** Its provision failed; only deleting it or provisioning it again is possible. */
  | 'failed'
  /** Deleted; the row remembers that it was, until its id is used again or the memory is swept. */
  | 'gone'

export interface Instance extends InstanceKey {
  readonly state: InstanceState
  /** Whom it is for: what other tenants have and do is none of its business. */
  readonly tenant: string
  /** The one mutating operation that may be under way. */
  readonly currentOperation?: string
  /** Grows with every settled change. */
  readonly generation: number
  readonly serviceId: string
  readonly planId: string
  /** Digest of the package it was made from and stays with until it is upgraded. */
  readonly digest: string
  readonly organization: string
  readonly space: string
  /** As the platform's user calls it, where the context says so. */
  readonly name?: string
  readonly dashboardUrl?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly attributes?: JsonObject
  /** maintenance_info.version of what is installed. */
  readonly maintenance?: string
  readonly createdAt: number
  readonly updatedAt: number
}

export type BindingState = 'binding' | 'bound' | 'unbinding' | 'failed' | 'gone'

export interface Binding extends BindingKey {
  readonly state: BindingState
  readonly currentOperation?: string
  readonly serviceId: string
  readonly planId: string
  readonly predecessor?: string
  readonly expiresAt?: number
  readonly createdAt: number
  readonly updatedAt: number
}
