/** What the headers of an OSB request say: version, identity of the request, identity of the person. */
import type { IncomingHttpHeaders } from 'node:http'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import type { Requester } from '../../model/situation.ts'
import type { Answer } from '../answer.ts'
import { printableId } from '../request-id.ts'

/** The platform finds its own id of the request in the answer; only what is safe to put into a header again. */
export function echoing(headers: IncomingHttpHeaders, answer: Answer): Answer {
  const identity = printableId(headers['x-broker-api-request-identity'])
  if (identity === undefined) return answer
  return { ...answer, headers: { ...answer.headers, 'X-Broker-API-Request-Identity': identity } }
}

/** The minor version the platform speaks. Problem: request.version-unsupported with the given status. */
export function minorVersion(headers: IncomingHttpHeaders, missingStatus: 412 | 400): number {
  const given = headers['x-broker-api-version']
  const [, major, minor] = /^(\d{1,9})\.(\d{1,9})$/.exec(typeof given === 'string' ? given.trim() : '') ?? []
  if (major === '2') return Number(minor)
  const missing = given === undefined || given === ''
  const detail = missing
    ? 'the header X-Broker-API-Version is missing; send 2.x'
    : 'only versions 2.x are served'
  if (missing && missingStatus === 400) return fail('request.malformed', detail)
  return fail('request.version-unsupported', detail)
}

/** The user behind the request, where the platform says so. Problem: request.malformed. */
export function originatingIdentity(headers: IncomingHttpHeaders): Requester | undefined {
  const given = headers['x-broker-api-originating-identity']
  if (given === undefined || given === '') return undefined
  const [, platform, encoded] = /^(\S+) +([A-Za-z0-9+/_-]+=*)\s*$/.exec(String(given)) ?? []
  const identity = encoded === undefined ? undefined : decodeObject(encoded)
  if (platform === undefined || identity === undefined) {
    throw new ProblemError({
      code: 'request.malformed',
      detail: 'X-Broker-API-Originating-Identity must be a platform, a blank, and a JSON object in Base64',
    })
  }
  return { platform, identity }
}

/** The Cloud Controller that asks, by its host, where the request names one. */
export function apiInfoLocation(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['x-api-info-location']
  if (typeof given !== 'string') return undefined
  const [, host] = /^(?:https?:\/\/)?([a-z0-9.-]{1,253}(?::\d{1,5})?)(?:\/[\x21-\x7e]*)?$/i.exec(given) ?? []
  return host?.toLowerCase()
}

function decodeObject(encoded: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64').toString())
    return isObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
