/** Makes the request that a case describes: templates, variables, defaults, and what the case takes away. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import { fail } from '../../model/problem.ts'
import type { BrokerRequest } from '../broker-connection.ts'
import { authorizationOf } from '../credentials.ts'
import type { Fixture, RequestForm } from './case.ts'
import { fill, fillText, type Variables } from './variables.ts'

/** The request as it goes out. */
export function buildRequest(form: RequestForm, fixture: Fixture, variables: Variables): BrokerRequest {
  const body = bodyText(form, fixture, variables)
  return {
    method: form.method,
    path: fillText(form.path, variables) + queryText(form, fixture, variables),
    headers: headersOf(form, { body, fixture, variables }),
    ...present({ body }),
  }
}

/** A template with its variables, some members replaced and some taken away. */
export function fromTemplate(use: JsonObject, fixture: Fixture, variables: Variables): JsonObject {
  const name = String(use['use'])
  const template = fixture.templates.get(name) ?? fail('conformance.case-invalid', `no template ${name}`)
  const without = Array.isArray(use['without']) ? use['without'] : []
  const kept = Object.entries(template).filter(([key]) => !without.includes(key))
  const replaced = isObject(use['with']) ? (use['with'] as JsonObject) : {}
  return fill({ ...Object.fromEntries(kept), ...replaced }, variables) as JsonObject
}

function bodyText(form: RequestForm, fixture: Fixture, variables: Variables): string | undefined {
  if (form.raw !== undefined) return fillText(form.raw, variables)
  if (form.body === undefined) return undefined
  const { body } = form
  return JSON.stringify(isUse(body) ? fromTemplate(body, fixture, variables) : fill(body, variables))
}

function queryText(form: RequestForm, fixture: Fixture, variables: Variables): string {
  if (form.rawquery !== undefined) return `?${fillText(form.rawquery, variables)}`
  if (form.query === undefined) return ''
  const { use, ...own } = form.query
  const base = use === undefined ? {} : fromTemplate({ use }, fixture, variables)
  const members = Object.entries({ ...base, ...(fill(own, variables) as JsonObject) })
  return `?${members.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`).join('&')}`
}

interface HeaderFacts {
  readonly body: string | undefined
  readonly fixture: Fixture
  readonly variables: Variables
}

function headersOf(form: RequestForm, facts: HeaderFacts): Readonly<Record<string, string>> {
  const { body, fixture, variables } = facts
  const headers = new Map<string, readonly [name: string, value: string]>()
  const set = (name: string, value: string) => headers.set(name.toLowerCase(), [name, value])
  if (form.auth !== 'none') {
    set('Authorization', authorization(form.auth, variables))
  }
  set('X-Broker-API-Version', fixture.apiVersion)
  if (body !== undefined) set('Content-Type', 'application/json')
  for (const [name, value] of Object.entries(form.headers ?? {})) {
    if (value === null) headers.delete(name.toLowerCase())
    else set(name, String(fill(value, variables)))
  }
  return Object.fromEntries(headers.values())
}

function authorization(given: Exclude<RequestForm['auth'], 'none'>, variables: Variables): string {
  const user = given ? fillText(given.username, variables) : String(variables.get('user'))
  const password = given ? fillText(given.password, variables) : String(variables.get('password'))
  return authorizationOf({ user, password: new Secret(password) })
}

function isUse(body: Json): body is JsonObject {
  return isObject(body) && typeof body['use'] === 'string'
}
