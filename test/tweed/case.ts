/** A case of the contract: a tiny shell pattern, steps, and what is to be seen after each. */
import type { JsonObject } from '../../src/kit/json.ts'

export const operations = ['metadata', 'provision', 'bind', 'unbind', 'deprovision'] as const
export type OperationName = (typeof operations)[number]

export interface Case {
  readonly id: string
  readonly title: string
  readonly image: CaseImage
  readonly plan?: {
    readonly fixed?: JsonObject
    readonly defaults?: JsonObject
    readonly userParams?: 'all' | 'none' | readonly string[]
  }
  readonly settings?: JsonObject & { readonly brokerEnv?: Readonly<Record<string, string>> }
  readonly steps: readonly Step[]
}

export interface CaseImage {
  readonly ops?: Partial<Record<OperationName, string>>
  readonly metadata?: JsonObject
  readonly files?: Readonly<Record<string, string>>
  readonly entrypoint?: readonly string[]
  readonly cmd?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly user?: string
  readonly workdir?: string
}

export interface Step {
  readonly op?: OperationName
  readonly do?: 'restart-broker' | 'replace-image' | 'change-plan' | 'sleep' | 'wait' | 'show'
  readonly instance?: string
  readonly binding?: string
  readonly params?: JsonObject
  readonly paramsJson?: string
  readonly paramsRepeat?: Readonly<Record<string, readonly [string, number]>>
  readonly wait?: boolean
  readonly acceptBusy?: boolean
  readonly skipMetadata?: boolean
  readonly save?: string
  readonly ops?: CaseImage['ops']
  readonly plan?: Case['plan']
  readonly seconds?: number
  readonly expect?: Expectation
}

export interface TextExpectation {
  readonly has?: readonly string[]
  readonly hasNot?: readonly string[]
  readonly order?: readonly string[]
  readonly matches?: readonly string[]
  readonly maxBytes?: number
  readonly validUtf8?: boolean
}

export interface FileExpectation {
  readonly state?: string
  readonly stateOneOf?: readonly string[]
  readonly content?: string
  readonly contentBase64?: string
  readonly summary?: string
  readonly description?: string
}

export interface Expectation {
  readonly outcome?: string
  readonly reason?: string
  readonly exitCode?: number
  readonly ran?: boolean
  readonly runs?: number
  readonly instance?: string
  readonly bindings?: Readonly<Record<string, string>>
  readonly credentials?: JsonObject | null
  readonly credentialsNow?: Readonly<Record<string, JsonObject>>
  readonly credentialsOf?: Readonly<Record<string, string>>
  readonly differ?: readonly string[]
  readonly log?: TextExpectation
  readonly logJson?: unknown
  readonly logJsonText?: string
  readonly logJsonSaved?: string
  readonly logOf?: TextExpectation & { readonly op: OperationName }
  readonly files?: Readonly<Record<string, FileExpectation>>
  readonly filesHaveNot?: readonly string[]
  readonly metadata?: JsonObject
  readonly message?: TextExpectation
  readonly maxSeconds?: number
  readonly leftovers?: 'none'
  readonly [oneOf: `${string}OneOf`]: readonly unknown[]
}

/** What was seen after a step; the judge compares it with what the step expects. */
export interface Seen {
  readonly outcome: string
  readonly reason?: string | undefined
  readonly exitCode?: number | undefined
  readonly ran?: boolean
  readonly runs?: number
  readonly message?: string
  readonly log?: string
  readonly metadata?: JsonObject
  readonly credentials?: unknown
  readonly seconds: number
}

export interface SeenFile {
  readonly state: string
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly content: Buffer
}
