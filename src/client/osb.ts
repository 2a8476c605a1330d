/** A client of the Open Service Broker API: orders at anybody's broker and follows them to their end. */
import type { Clock } from '../kit/clock.ts'
import { isObject, type JsonObject } from '../kit/json.ts'
import { shorten } from '../kit/text.ts'
import { fail } from '../model/problem.ts'
import type { ProblemCode } from '../model/problem-codes.ts'
import type { BrokerAnswer, BrokerConnection } from './broker-connection.ts'
import { authorizationOf } from './credentials.ts'

export interface OsbOptions {
  readonly connection: BrokerConnection
  readonly clock: Clock
  readonly apiVersion: string
}

/** An instance, or a binding of one. */
export interface OsbTarget {
  readonly instance: string
  readonly binding?: string
}

export interface OsbDone {
  /** 202: the work goes on. */
  readonly accepted: boolean
  readonly operation?: string
  readonly body: JsonObject
}

export interface OsbState {
  readonly state: 'in progress' | 'succeeded' | 'failed'
  readonly description?: string
  /** What a delete ends in. */
  readonly gone: boolean
  readonly retryAfterMs: number
  readonly body: JsonObject
}

export interface OsbPlan {
  readonly service: { readonly id: string; readonly name: string }
  readonly plan: { readonly id: string; readonly name: string }
}

export type OsbClient = ReturnType<typeof makeOsbClient>

/** A client over a connection. Every call throws osb.* and server.unreachable. */
export function makeOsbClient({ connection, clock, apiVersion }: OsbOptions) {
  const headers = {
    'X-Broker-API-Version': apiVersion,
    Accept: 'application/json',
    ...(connection.credentials ? { Authorization: authorizationOf(connection.credentials) } : {}),
  }
  const send = (method: 'GET' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: JsonObject) =>
    connection.send({
      method,
      path,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const order = async (method: 'PUT' | 'PATCH', target: OsbTarget, body: JsonObject) =>
    doneOf(await send(method, `${pathOf(target)}?accepts_incomplete=true`, body))

  async function poll(target: OsbTarget, operation?: string): Promise<OsbState> {
    const query = operation === undefined ? '' : `?operation=${encodeURIComponent(operation)}`
    return stateOf(await send('GET', `${pathOf(target)}/last_operation${query}`))
  }

  return {
    catalog: async () => bodyOf(await send('GET', '/v2/catalog')),
    provision: (target: OsbTarget, body: JsonObject) => order('PUT', target, body),
    update: (target: OsbTarget, body: JsonObject) => order('PATCH', target, body),
    bind: (target: OsbTarget, body: JsonObject) => order('PUT', target, body),
    fetch: async (target: OsbTarget) => bodyOf(await send('GET', pathOf(target))),
    poll,

    /** Deprovision or unbind; 410 counts as done. */
    async remove(target: OsbTarget, ids: { readonly service: string; readonly plan: string }) {
      const query = `service_id=${encodeURIComponent(ids.service)}&plan_id=${encodeURIComponent(ids.plan)}`
      return doneOf(await send('DELETE', `${pathOf(target)}?${query}&accepts_incomplete=true`))
    },

    /** Polls as often as the broker asks for, until the work has ended. Problems: wait.gave-up. */
    async wait(target: OsbTarget, operation: string | undefined, waitMs: number): Promise<OsbState> {
      const begun = clock.monotonic()
      for (;;) {
        const last = await poll(target, operation)
        if (last.state !== 'in progress') return last
        if (clock.monotonic() - begun + last.retryAfterMs > waitMs) {
          const again = ['chandler osb last-operation', target.instance, target.binding, operation]
          return fail('wait.gave-up', undefined, {
            hint: `Ask again: ${again.filter((word) => word !== undefined).join(' ')}`,
          })
        }
        await clock.sleep(last.retryAfterMs)
      }
    },
  }
}

/** The service and plan that are meant by id or name. Problems: catalog.service-unknown, catalog.plan-unknown. */
export function findPlan(catalog: JsonObject, service: string, plan: string): OsbPlan {
  const offered = find(catalog['services'], service) ?? fail('catalog.service-unknown', service)
  const found = find(offered['plans'], plan) ?? fail('catalog.plan-unknown', plan)
  return { service: named(offered), plan: named(found) }
}

function find(list: unknown, wanted: string): { readonly [key: string]: unknown } | undefined {
  const items = Array.isArray(list) ? list.filter(isObject) : []
  return items.find((one) => one['id'] === wanted) ?? items.find((one) => one['name'] === wanted)
}

function named(one: { readonly [key: string]: unknown }) {
  return { id: String(one['id']), name: String(one['name']) }
}

function pathOf({ instance, binding }: OsbTarget): string {
  const path = `/v2/service_instances/${encodeURIComponent(instance)}`
  return binding === undefined ? path : `${path}/service_bindings/${encodeURIComponent(binding)}`
}

function doneOf(answer: BrokerAnswer): OsbDone {
  if (answer.status === 410) return { accepted: false, body: {} }
  const body = bodyOf(answer)
  const { operation } = body
  return {
    accepted: answer.status === 202,
    body,
    ...(typeof operation === 'string' ? { operation } : {}),
  }
}

const pauseMs = 1000
const longestPauseMs = 60_000

function stateOf(answer: BrokerAnswer): OsbState {
  if (answer.status === 410) {
    return { state: 'succeeded', gone: true, retryAfterMs: 0, body: {} }
  }
  const body = bodyOf(answer)
  const { state, description } = body
  if (state !== 'in progress' && state !== 'succeeded' && state !== 'failed') {
    return fail('osb.broken', `the state of the operation is ${JSON.stringify(state)}`)
  }
  const seconds = Number(answer.headers['retry-after'])
  return {
    state,
    gone: false,
    retryAfterMs: Math.min(longestPauseMs, seconds > 0 ? seconds * 1000 : pauseMs),
    body,
    ...(typeof description === 'string' ? { description } : {}),
  }
}

/** The object of a successful answer; every other answer is a problem. */
function bodyOf(answer: BrokerAnswer): JsonObject {
  const { status, body, text } = answer
  if (status >= 400) return fail(codeOf(status), `${status} ${wordsOf(answer)}`.trim(), hintOf(answer))
  if (status < 200 || status >= 300) return fail('osb.broken', `it answered ${status}`)
  return isObject(body) ? (body as JsonObject) : fail('osb.broken', `no JSON object: ${shorten(text, 200)}`)
}

function wordsOf({ body, text }: BrokerAnswer): string {
  if (!isObject(body)) return shorten(text, 200)
  const { error, description } = body
  return [error, description].filter((word) => typeof word === 'string').join(': ')
}

/** What the broker says to do, as this one does; others have no such field. */
function hintOf({ body }: BrokerAnswer): { readonly hint?: string } {
  const hint = isObject(body) ? body['hint'] : undefined
  return typeof hint === 'string' && hint !== '' ? { hint: shorten(hint, 300) } : {}
}

function codeOf(status: number): ProblemCode {
  switch (status) {
    case 401:
      return 'request.unauthenticated'
    case 403:
      return 'request.forbidden'
    case 404:
    case 410:
      return 'osb.unknown'
    case 409:
    case 422:
      return 'osb.conflict'
    case 429:
      return 'request.too-many'
    default:
      return status < 500 ? 'osb.refused' : 'osb.broken'
  }
}
