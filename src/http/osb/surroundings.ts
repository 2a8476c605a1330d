/** What the OSB handlers need around them. */
import type { Asker } from '../../broker/orders.ts'
import type { Ports } from '../../broker/ports.ts'
import type { Refusal } from '../../broker/refusals.ts'
import type { JsonObject } from '../../kit/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { BodyLimits } from '../body-limits.ts'
import type { AccessRule, ReviewAccess } from './access-review.ts'
import type { LastSeen } from './last-seen.ts'
import type { Waits } from './waits.ts'

export interface OsbOptions {
  /** What a poll answers after a finished delete. */
  readonly deletedLastOperation: 'succeeded' | 'gone'
  readonly missingVersionStatus: 412 | 400
  /** How long a request may wait for work that is answered inside it. */
  readonly syncWaitMs: number
  readonly body: BodyLimits
}

export interface OsbSurroundings {
  readonly ports: Ports
  readonly options: OsbOptions
  readonly lastSeen: LastSeen
  readonly waits: Waits
  /** Asked for accounts with a rule only. */
  readonly reviewAccess: ReviewAccess
  /** A secret is about to be handed out; resolves when that is on record. */
  read(reading: Refusal): Promise<void>
  /** The operation as it is when it has ended, the time is over, or the signal fires. */
  waitForEnd(operation: string, ms: number, signal?: AbortSignal): Promise<Operation | undefined>
}

/** One request, with everything of it read but its body. */
export interface OsbRequest {
  readonly asker: Asker
  /** What the cluster must allow the user of an order; absent: it is not asked. */
  readonly accessRule?: AccessRule
  readonly instance: string
  readonly binding: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly minor: number
  body(): Promise<JsonObject>
  /** Fires when the client has gone. */
  gone(): AbortSignal
}

/** How long a delete waits at most for the creation it stops, so that a poll right after it tells of its end, on a slow host, too. */
export const stopWaitMs = 3000

/** Only the exact text counts. */
export function acceptsIncomplete(query: URLSearchParams): boolean {
  return query.get('accepts_incomplete') === 'true'
}

/** A query value; an empty one counts as missing. */
export function queryValue(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) || undefined
}
