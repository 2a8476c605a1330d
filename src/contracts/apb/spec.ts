/** What an `apb.yml` says, field by field as the original broker types it. */
import type { Json, JsonObject } from '../../kit/json.ts'

export interface Spec {
  /** As it is written; only `1.0` and `1.0.0` are valid. */
  readonly version: string
  readonly name: string
  readonly description: string
  readonly bindable: boolean
  /** `required`, `optional`, `unsupported` or whatever the author wrote. */
  readonly async: string
  readonly tags: readonly string[]
  readonly metadata: JsonObject
  readonly plans: readonly SpecPlan[]
  /** The bundle tells its dashboard address when it has run, so that the broker must forward to it. */
  readonly dashboardRedirect: boolean
}

export interface SpecPlan {
  readonly name: string
  readonly description: string
  readonly metadata: JsonObject
  readonly free: boolean
  /** Absent: as the spec. */
  readonly bindable?: boolean
  readonly parameters: readonly Parameter[]
  readonly bindParameters: readonly Parameter[]
  /** Names of the plans that instances may move to. */
  readonly updatesTo: readonly string[]
}

/** The types of JSON Schema; the many spellings of specs are settled when they are read. */
export type ParameterType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null'

export interface Parameter {
  readonly name: string
  readonly title?: string
  readonly type: ParameterType
  readonly description?: string
  readonly default?: Json
  /** The default as it is written: what a text parameter gets for `default: 9.60`. */
  readonly defaultText?: string
  readonly enum: readonly string[]
  readonly required: boolean
  readonly updatable: boolean
  readonly pattern?: string
  readonly maxLength?: number
  readonly minLength?: number
  readonly minimum?: Bound
  readonly maximum?: Bound
  readonly multipleOf?: number
  /** How a form shows it; `password` is the only sign that a value is secret. */
  readonly displayType?: string
  readonly displayGroup?: string
  /** The parameter matters only while another one has one of these values. */
  readonly condition?: Condition
}

export interface Bound {
  readonly value: number
  readonly exclusive: boolean
}

export interface Condition {
  /** The parameter it depends on. */
  readonly on: string
  readonly value: Json
}

/** Whether a value must not be seen. */
export function isSecret({ displayType }: Parameter): boolean {
  return displayType === 'password'
}
