/** Asks the web APIs of registries for JSON documents, page by page. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { fail } from '../../model/problem.ts'
import { readText, refused } from '../registry/session.ts'
import { isLoopback, type RegistrySettings } from '../registry/settings.ts'
import { openTransport, type Transport } from '../registry/transport.ts'
import { listingMax } from './place.ts'

export interface WebApi {
  get(path: string | URL, authorization?: string): Promise<JsonObject>
  /** Problems: those of refused logins are registry.unauthorized. */
  post(path: string, body: JsonObject): Promise<JsonObject>
  /** The URL of a next page, which must stay at the same API. */
  next(text: unknown): URL | undefined
  close(): Promise<void>
}

/** Opens an API. Problems: registry.insecure, reference.invalid. */
export function openWebApi(api: string, settings: RegistrySettings, signal: AbortSignal): WebApi {
  const base = URL.parse(api.includes('://') ? api : `https://${api}`)
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '')
    return fail('reference.invalid', `"${api}" is no URL of an API`)
  const { host } = base
  if (base.protocol === 'http:' && !isLoopback(host) && settings.hosts?.[host]?.plainHttp !== true)
    return fail('registry.insecure', undefined, { where: { source: host } })
  const transport = openTransport(host, settings)
  const send = (
    method: 'GET' | 'POST',
    url: URL,
    headers: Readonly<Record<string, string>>,
    body?: JsonObject,
  ): Promise<JsonObject> => ask(transport, { method, url, headers, signal }, body)
  return {
    get: (path, authorization) =>
      send('GET', new URL(path, base), authorization === undefined ? {} : { authorization }),
    post: (path, body) => send('POST', new URL(path, base), { 'content-type': 'application/json' }, body),
    next: (text) => {
      const next = typeof text === 'string' && text !== '' ? URL.parse(text, base.href) : null
      return next !== null && next.origin === base.origin ? next : undefined
    },
    close: () => transport.close(),
  }
}

async function ask(
  transport: Transport,
  call: {
    readonly method: 'GET' | 'POST'
    readonly url: URL
    readonly headers: Readonly<Record<string, string>>
    readonly signal: AbortSignal
  },
  body: JsonObject | undefined,
): Promise<JsonObject> {
  const answer = await transport.send({
    ...call,
    headers: { accept: 'application/json', ...call.headers },
    ...(body === undefined ? {} : { body: () => Buffer.from(JSON.stringify(body)) }),
  })
  const text = await readText(answer, listingMax.pageBytes)
  const where = { source: `${call.url.host}${call.url.pathname}` }
  if (answer.status === 401) return fail('registry.unauthorized', undefined, { where })
  if (answer.status !== 200 && answer.status !== 201) throw refused(answer, text, where.source)
  const value = parsed(text, where.source)
  return isObject(value)
    ? (value as JsonObject)
    : fail('registry.answer-invalid', 'the list is no JSON object', { where })
}

function parsed(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    return fail('registry.answer-invalid', 'the list is no JSON', { where: { source }, cause })
  }
}

/** The objects in a member of a page. */
export function itemsIn(page: JsonObject, member: string): readonly JsonObject[] {
  const list = page[member]
  return Array.isArray(list) ? (list.filter(isObject) as JsonObject[]) : []
}

/** A text member, or nothing. */
export function word(item: JsonObject, member: string): string {
  const value = item[member]
  return typeof value === 'string' ? value : ''
}
