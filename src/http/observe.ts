/** What the HTTP side tells figures and logs. */
import type { IncomingMessage } from 'node:http'
import type { Refusal } from '../broker/refusals.ts'

export interface SeenRequest {
  readonly method: string
  /** The template, never the raw path. */
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly requestId: string
  readonly account: string | undefined
  /** The address of the caller; empty when the connection is gone already. */
  readonly source: string
}

export interface Observe {
  /** A request comes in; `request` tells of its end. */
  begins(): void
  request(seen: SeenRequest, of: IncomingMessage): void
  /** A refused request that operators should know of: credentials, roles, quotas. */
  refused(refusal: Refusal): void
  /** A secret is about to be handed out; resolves when that is on record. */
  read(reading: Refusal): Promise<void>
  /** An unexpected fault; the reference is what the caller was told. */
  fault(error: unknown, reference: string): void
}
