/** Under which id a request can be followed through the logs of several systems: its own, or a new one of ours. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Chance, Clock } from '../kit/clock.ts'
import { ulid } from '../kit/id.ts'

const correlation = [
  'x-broker-api-request-identity',
  'x-correlation-id',
  'x-correlationid',
  'x-forrequest-id',
  'x-request-id',
  'x-vcap-request-id',
] as const

/** The first id that the request brings along, else a new one. */
export function requestIdOf(
  headers: IncomingHttpHeaders,
  { clock, chance }: { readonly clock: Pick<Clock, 'now'>; readonly chance: Chance },
): string {
  for (const name of correlation) {
    const id = printableId(headers[name])
    if (id !== undefined) return id
  }
  return ulid(clock.now(), chance)
}

/** An id that may safely be written into a header and a log. */
export function printableId(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && /^[\x20-\x7e]{1,256}$/.test(value) ? value : undefined
}
