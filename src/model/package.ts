/** What a package offers once it has been read: services, plans, their schemas, its actions and papers. */
import type { Json, JsonObject } from '../kit/json.ts'

export interface Package {
  /** Name of the contract that read it. */
  readonly contract: string
  readonly name: string
  readonly version: string
  /** Content digest: `sha256:…`; instances keep it. */
  readonly digest: string
  readonly services: readonly Service[]
  /** Actions beyond the life cycle that may be invoked on an instance. */
  readonly actions: readonly CustomAction[]
  readonly papers: Papers
  /** The contract's own memory of the document; no other part reads it. */
  readonly notes: Json
}

/** What a reader wants to know of a package before ordering it. */
export interface Papers {
  readonly summary?: string
  /** Markdown. */
  readonly description?: string
  readonly authors?: readonly string[]
  readonly copyright?: string
  readonly icon?: { readonly mediaType: string; readonly base64: string }
  readonly links?: Readonly<Record<string, string>>
  /** Files that its operations leave behind for the operator. */
  readonly files?: readonly {
    readonly name: string
    readonly summary?: string
    readonly description?: string
  }[]
}

export interface CustomAction {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** Whether it changes the instance. */
  readonly modifies: boolean
  /** Whether it can run without an instance. */
  readonly stateless: boolean
  readonly parameters?: JsonObject
}

export interface Service {
  /** Given by the package or the operator; else derived from the package's identity. */
  readonly id?: string
  readonly name: string
  readonly description: string
  readonly bindable: boolean
  readonly tags: readonly string[]
  readonly requires: readonly Permission[]
  readonly metadata?: JsonObject
  readonly planUpdatable: boolean
  readonly instancesRetrievable: boolean
  readonly bindingsRetrievable: boolean
  readonly contextUpdates: boolean
  readonly dashboardClient?: JsonObject
  readonly plans: readonly Plan[]
}

export type Permission = 'syslog_drain' | 'route_forwarding' | 'volume_mount'

export interface Plan {
  readonly id?: string
  readonly name: string
  readonly description: string
  readonly free: boolean
  /** Absent: as its service. */
  readonly bindable?: boolean
  readonly bindingRotatable: boolean
  /** Names of the plans that instances may move to, for platforms that were told so by the contract's own broker. */
  readonly updatesTo?: readonly string[]
  readonly planUpdatable?: boolean
  readonly metadata?: JsonObject
  readonly schemas: PlanSchemas
  /** contract: the schemas are for readers, the contract's prepare judges; absent: the broker checks against them. */
  readonly parametersCheckedBy?: 'contract'
  readonly pollingSecondsMax?: number
  readonly maintenance?: { readonly version: string; readonly description?: string }
  readonly requiresApp: boolean
  /** How provision, update and deprovision are answered, and how bind and unbind are. */
  readonly mode: { readonly instance: Mode; readonly binding: Mode }
  /** What the operator decided for this plan. */
  readonly operator: OperatorChoice
}

/** auto: inside the request when the platform cannot wait and the work is quick enough, else in the background. */
export type Mode = 'sync' | 'async' | 'auto'

export interface PlanSchemas {
  readonly create?: JsonObject
  readonly update?: JsonObject
  readonly bind?: JsonObject
}

export interface OperatorChoice {
  /** Values users cannot change. */
  readonly inputs: JsonObject
  /** Values users may override. */
  readonly defaults: JsonObject
  /** What users may set; absent: all that is not fixed. */
  readonly allow?: readonly string[]
  /** How many instances there may be. */
  readonly limit?: number
  /** Tenants that see the plan, as grants write them; absent: all. */
  readonly visibleTo?: readonly string[]
  /** Settings of the contract itself, for example a selectable compatibility. */
  readonly options: JsonObject
  /** What listens on the host and its runs may reach. */
  readonly lent?: readonly LentAddress[]
}

/** An address, and a name that it is found by, if it has one. */
export interface LentAddress {
  readonly name?: string
  readonly address: string
  readonly port: number
}

export const noChoice: OperatorChoice = { inputs: {}, defaults: {}, options: {} }
