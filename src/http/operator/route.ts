/** What a route of the operator API is: an address, who may call it, what goes in and out, and the one call it makes. */
import type { Static, TSchema } from 'typebox'
import type { Asker } from '../../broker/orders.ts'
import type { Permission, Reach } from '../../model/access.ts'
import type { Account } from '../authenticate.ts'
import type { Session } from '../sessions.ts'
import type { OperatorPorts } from './ports.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** A look is not audited; a deed is, under its action; `broker` says that the broker function records it itself. */
export type AuditRule =
  | { readonly kind: 'look' }
  | { readonly kind: 'deed'; readonly action: string; readonly recordedBy: 'broker' | 'route' }

export interface Parts {
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
}

export interface Route {
  readonly method: Method
  /** Below /api/v1. */
  readonly url: string
  /** Of a thing that its address names, it must be held in the thing's tenant. */
  readonly needs: Permission
  /** With `force` in the query this is needed, too. */
  readonly needsForced?: Permission
  /** What it needs must be held in all tenants: what it answers is of all of them. */
  readonly everywhere?: true
  /** Makes something in a tenant, which its body may name. */
  readonly places?: true
  readonly tag: string
  readonly summary: string
  readonly audit: AuditRule
  readonly parts: Parts
  /** What a success answers; absent: nothing. */
  readonly answers?: TSchema
  readonly status: number
  /** What it answers is secret and kept nowhere: repeated with its idempotency key, it is carried out anew. */
  readonly repeats?: 'anew'
  readonly handle: (call: AnyCall, ports: OperatorPorts) => Promise<Answer>
}

export type Answer = AnswerContent & {
  /** A session that begins or ends with it. */
  readonly session?: Session | 'ended'
}

type AnswerContent =
  | { readonly kind: 'document'; readonly body: unknown }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly mediaType: string }
  | { readonly kind: 'events'; readonly events: AsyncIterable<ServerEvent> }

export interface ServerEvent {
  readonly event: string
  readonly id?: number
  readonly data: unknown
}

export interface Call<P, Q, B> {
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly account: Account
  /** The tenants that what it needs is held in. */
  readonly tenants: Reach
  readonly asker: Asker
  /** That of a browser; absent when the request brought its credentials. */
  readonly session: Session | undefined
  readonly header: (name: string) => string | undefined
  /** Fires when the caller has gone. */
  readonly signal: AbortSignal
  /** The caller's own word for a repeated request. */
  readonly idempotencyKey?: string
}

type AnyCall = Call<unknown, unknown, unknown>

interface Spec<P extends TSchema, Q extends TSchema, B extends TSchema>
  extends Omit<Route, 'parts' | 'handle' | 'status'> {
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly status?: number
  readonly handle: (call: Call<Static<P>, Static<Q>, Static<B>>, ports: OperatorPorts) => Promise<Answer>
}

/** Makes a row of the table; what goes in is typed by its schemas, which the plugin has checked before. */
export function route<P extends TSchema = TSchema, Q extends TSchema = TSchema, B extends TSchema = TSchema>(
  spec: Spec<P, Q, B>,
): Route {
  const { params, query, body, handle, status = 200, ...rest } = spec
  return {
    ...rest,
    status,
    parts: { ...(params ? { params } : {}), ...(query ? { query } : {}), ...(body ? { body } : {}) },
    handle: handle as Route['handle'],
  }
}

export const look: AuditRule = { kind: 'look' }

/** Audited by the route, after it worked. */
export function deed(action: string): AuditRule {
  return { kind: 'deed', action, recordedBy: 'route' }
}

/** Audited by the broker, in the transaction of the change; the route records refusals only. */
export function order(action: string): AuditRule {
  return { kind: 'deed', action, recordedBy: 'broker' }
}

export const document = (body: unknown): Answer => ({ kind: 'document', body })
export const nothing: Answer = { kind: 'nothing' }
