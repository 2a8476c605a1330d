/** What of the store's rows a list shall show. */
import type { Reach } from '../model/access.ts'
import type { Instance } from '../model/instance.ts'
import type { OperationState } from '../model/operation.ts'

export interface InstanceFilter {
  /** Absent: of all tenants. */
  readonly tenants?: Reach
  readonly platform?: string
  readonly serviceId?: string
  readonly planId?: string
  readonly state?: Instance['state']
  /** Id, id prefix or name. */
  readonly text?: string
  /** How an id or a name begins. */
  readonly beginning?: string
  readonly isPresent?: boolean
  /** By id, unless the latest change is to be first. */
  readonly order?: 'latest'
  readonly after?: string
  readonly most: number
}

export interface BindingFilter {
  readonly tenants?: Reach
  /** How its id begins. */
  readonly beginning: string
  readonly most: number
}

/** Operations of tenants that are counted, no further than asked. */
export interface OrderCount {
  readonly tenants: Reach
  /** Those that wait. */
  readonly state?: 'queued'
  /** Those that were ordered after this time, but for deletes and unbinds. */
  readonly since?: number
  readonly most: number
}

export interface TenantFilter {
  readonly tenants?: Reach
  /** Behind this name. */
  readonly after?: string
  /** How a name begins. */
  readonly beginning?: string
  readonly most: number
}

export interface TokenFilter {
  readonly account?: string
  readonly id?: string
  /** Behind this id. */
  readonly after?: string
  readonly most: number
}

export interface TenantCount {
  readonly name: string
  /** Those that are not gone. */
  readonly instances: number
  /** Those that are neither gone nor failed. */
  readonly bindings: number
}

export interface OperationFilter {
  readonly tenants?: Reach
  readonly platform?: string
  readonly instance?: string
  readonly binding?: string
  readonly states?: readonly OperationState[]
  readonly after?: string
  readonly most: number
}
