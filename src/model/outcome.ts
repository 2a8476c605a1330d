/** What a run means: credentials, outputs, what the next run must find again, and problems; for failed runs, too. */
import type { Json, JsonObject } from '../kit/json.ts'
import type { Problem } from './problem.ts'

/** The named, sealed bytes that a contract needs again next time; opaque to everyone else. */
export type Carryover = Readonly<Record<string, Uint8Array>>

export interface Outcome {
  /** Empty means that it worked; the rest is kept either way. */
  readonly problems: readonly Problem[]
  /** One sentence for the person waiting for the operation. */
  readonly message?: string
  /** What the program of a failed run said last, in few lines; told after problems and message. */
  readonly lastLines?: readonly string[]
  /** What a bind hands out. */
  readonly binding?: BindingAnswer
  readonly dashboardUrl?: string
  /** For users, and for the platform. */
  readonly labels?: Readonly<Record<string, string>>
  readonly attributes?: JsonObject
  readonly outputs?: readonly Output[]
  /** For an update: the instance's parameters as they came out, where some of what was sent could not be changed. */
  readonly parameters?: JsonObject
  /** The whole new carryover of the instance; absent: it stays as it was. */
  readonly carryover?: Carryover
  /** The whole new carryover of the binding; absent: it stays as it was. */
  readonly bindingCarryover?: Carryover
  /** After a failure: whether the instance can still be used, and whether trying again makes sense. */
  readonly usable?: boolean
  readonly repeatable?: boolean
}

export interface BindingAnswer {
  readonly credentials?: JsonObject
  readonly syslogDrainUrl?: string
  readonly routeServiceUrl?: string
  readonly volumeMounts?: readonly Json[]
  readonly endpoints?: readonly Json[]
  /** RFC 3339. */
  readonly expiresAt?: string
  readonly renewBefore?: string
}

/** A named result that operators may look at. */
export interface Output {
  readonly name: string
  readonly content: Uint8Array
  readonly mediaType?: string
  readonly summary?: string
  /** Markdown. */
  readonly description?: string
  /** Absent: it is there and was announced. */
  readonly state?: 'missing' | 'undeclared' | 'too-large'
  /** Its full size, where the content is not kept. */
  readonly bytes?: number
  /** Shown only to callers that ask for it by name and may. */
  readonly secret: boolean
}
