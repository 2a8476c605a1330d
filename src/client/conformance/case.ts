/** A conformance case: what must be there, what is asked, and what has to be answered. */
import type { Json, JsonObject } from '../../kit/json.ts'

/** The word of the specification, or INTEROP: what real clients need beyond it. */
export type Level = 'MUST' | 'SHOULD' | 'MAY' | 'INTEROP'
export const levels: readonly Level[] = ['MUST', 'SHOULD', 'MAY', 'INTEROP']

export interface Case {
  readonly id: string
  readonly area: string
  readonly title: string
  readonly level: Level
  /** The section of the specification, or the client that needs it. */
  readonly ref?: string
  readonly note?: string
  readonly given: readonly Given[]
  readonly steps: readonly Step[]
}

/** Something that is made before the first step. */
export interface Given {
  readonly kind: 'instance' | 'pending-instance' | 'failed-instance' | 'binding' | 'pending-binding'
  /** The variable that holds its id. */
  readonly as: string
  /** Of a binding: the variable of its instance. */
  readonly of: string
  readonly plan: string
  readonly parameters?: JsonObject
  readonly sim?: JsonObject
  /** The variable that keeps the operation of the answer. */
  readonly save?: string
}

export type Step =
  | {
      readonly kind: 'do'
      readonly request: RequestForm
      readonly want?: Want
      readonly save: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'poll'
      readonly instance: string
      readonly binding?: string
      readonly operation?: string
      readonly want: 'succeeded' | 'failed' | 'gone'
      readonly body?: Json
    }
  | { readonly kind: 'delete'; readonly as: string; readonly of?: string; readonly plan: string }
  | { readonly kind: 'parallel'; readonly requests: readonly RequestForm[]; readonly wantAll: WantAll }

/** A request before variables and templates are filled in. */
export interface RequestForm {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: JsonObject
  readonly rawquery?: string
  readonly headers?: JsonObject
  readonly auth?: 'none' | { readonly username: string; readonly password: string }
  readonly body?: Json
  readonly raw?: string
}

export type StatusForm = number | readonly number[] | { readonly $range: readonly [number, number] }

export interface Want {
  readonly status?: StatusForm
  readonly prefer?: number
  readonly headers?: JsonObject
  readonly body?: Json
  readonly exact?: Json
  readonly empty?: boolean
  readonly text_not?: readonly string[]
  readonly unique?: readonly string[]
  readonly equals?: JsonObject
  readonly differs?: JsonObject
  readonly schemas?: SchemaWants
}

export interface SchemaWants {
  readonly have_dollar_schema?: boolean
  readonly no_external_refs?: boolean
  readonly max_bytes?: number
}

export interface WantAll {
  readonly status?: StatusForm
  readonly at_least?: Count
  readonly at_most?: Count
  readonly same?: string
}

export interface Count {
  readonly status: StatusForm
  readonly count: number
}

/** What the broker under test offers, in symbols; and the bodies that cases start from. */
export interface Fixture {
  readonly apiVersion: string
  /** The service of each plan. */
  readonly serviceOf: ReadonlyMap<string, string>
  /** The catalog names of each service and plan, to find their ids where no map is given. */
  readonly names: readonly CatalogName[]
  readonly templates: ReadonlyMap<string, JsonObject>
}

export interface CatalogName {
  readonly service: string
  readonly serviceName: string
  readonly plans: readonly string[]
}
