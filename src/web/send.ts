/** Calls the operator API: a row of the table of calls in, what it answers or the problem out. */
import type { Problem } from '../api/problem.ts'
import { parseJson } from '../kit/exact.ts'
import { present } from '../kit/present.ts'
import { addressOf, type Query } from './address-of.ts'
import { takeAhead } from './ahead.ts'
import type { Call, PathOf } from './calls.ts'
import { t } from './texts.ts'

export type Answered<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly status: number; readonly problem: Problem }

export interface Sending<U extends string> {
  readonly path: PathOf<U>
  readonly query?: Query
  readonly body?: unknown
  /** The page asks on its own; no person did anything. */
  readonly isRefresh?: boolean
  /** Sent again after a lost connection, an order with the same key is still one order. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

/** What the session module hands in: the token that changes carry, and what to do when there is no session any more. */
export const sessionHooks: { csrf: () => string | undefined; lost: () => void } = {
  csrf: () => undefined,
  lost: () => undefined,
}

/** No read takes so long. */
const readMs = 60_000

/** Sends one call with the session of this browser. */
export async function send<T, U extends string>(
  call: Call<T, U>,
  { path, query, body, isRefresh, idempotencyKey, signal }: Sending<U>,
): Promise<Answered<T>> {
  const csrf = sessionHooks.csrf()
  const headers = {
    Accept: 'application/json',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(csrf === undefined || call.method === 'GET' ? {} : { 'X-CSRF-Token': csrf }),
    ...present({ 'Idempotency-Key': idempotencyKey }),
    ...(isRefresh ? { 'X-Chandler-Refresh': '1' } : {}),
  }
  return exchange<T>(addressOf(call, path, query), {
    method: call.method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...present({ signal }),
  })
}

/** One request and its answer as a value; nothing is thrown. */
export async function exchange<T>(address: string, init: RequestInit): Promise<Answered<T>> {
  const answered = await exchangeText(address, init)
  if (answered.kind === 'refused') return answered
  const { value: text } = answered
  try {
    // Parameters may hold integers that a double cannot.
    return { kind: 'done', value: (text === '' ? undefined : parseJson(text)) as T }
  } catch {
    // Something between here and the broker has answered in its place.
    return { kind: 'refused', status: 0, problem: unreachable() }
  }
}

/** The same where the answer is text of a package's own. */
export async function exchangeText(address: string, init: RequestInit = {}): Promise<Answered<string>> {
  try {
    const ahead = (init.method ?? 'GET') === 'GET' ? await takeAhead(address) : undefined
    const response = ahead ?? (await fetch(address, { ...init, ...present({ signal: patient(init) }) }))
    const text = await response.text()
    if (response.ok) return { kind: 'done', value: text }
    if (response.status === 401) sessionHooks.lost()
    return { kind: 'refused', status: response.status, problem: parseJson(text) as unknown as Problem }
  } catch {
    return { kind: 'refused', status: 0, problem: unreachable() }
  }
}

/** A connection that died unnoticed, as after a sleep of the machine, answers never: a read is given up then, and can be asked again. */
function patient({ method = 'GET', signal }: RequestInit): AbortSignal | undefined {
  if (method !== 'GET') return signal ?? undefined
  const patience = AbortSignal.timeout(readMs)
  return signal ? AbortSignal.any([signal, patience]) : patience
}

/** The problem of a connection that is lost. */
export function unreachable(): Problem {
  const title = t('problem.unreachable')
  return { code: 'client.unreachable', title, message: title, hint: t('problem.unreachableHint') }
}
