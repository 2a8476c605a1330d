/** Where a call of the operator API goes. */
import type { Call, PathOf } from './calls.ts'
import { apiPath } from './place.ts'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** The address of a call, also for links to what it answers. */
export function addressOf<T, U extends string>(call: Call<T, U>, path: PathOf<U>, query: Query = {}): string {
  const filled = call.url.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((path as Readonly<Record<string, string>>)[name] ?? ''),
  )
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return `${apiPath}${filled}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
}
