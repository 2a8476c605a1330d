/** What must occur only once in a catalog: ids, names, dashboard clients. */
import { isObject, pointer } from '../kit/json.ts'
import { type Finding, refused } from './catalog-finding.ts'

interface Named {
  readonly pointer: string
  readonly value: { readonly [key: string]: unknown }
}

/** Everything that occurs twice; the second one is named, for the first may be known to platforms. */
export function identityFindings(services: readonly unknown[]): readonly Finding[] {
  const offerings = named(services, '/services')
  const plansOf = (one: Named) => named(one.value['plans'], pointer(one.pointer, 'plans'))
  const plans = offerings.flatMap(plansOf)
  const clients = offerings.flatMap((one) => {
    const value = one.value['dashboard_client']
    return isObject(value) ? [{ pointer: pointer(one.pointer, 'dashboard_client'), value }] : []
  })
  return [
    ...twice(offerings, 'id', 'another service has this id'),
    ...twice(offerings, 'name', 'another service has this name'),
    ...twice(plans, 'id', 'another plan of the catalog has this id'),
    ...offerings.flatMap((one) => twice(plansOf(one), 'name', 'another plan of the service has this name')),
    ...twice(clients, 'id', 'another service has a dashboard client with this id').map((finding) => ({
      ...finding,
      refusedBy: ['cloudfoundry'] as const,
      discouraged: true,
    })),
  ]
}

function twice(list: readonly Named[], field: string, message: string): readonly Finding[] {
  const seen = new Set<unknown>()
  return list.flatMap((one) => {
    const value = one.value[field]
    if (typeof value !== 'string' || value === '') return []
    const again = seen.has(value)
    seen.add(value)
    if (!again) return []
    return [refused(pointer(one.pointer, field), message, 'Give it one of its own.')]
  })
}

function named(list: unknown, at: string): readonly Named[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((value, i) => (isObject(value) ? [{ pointer: pointer(at, i), value }] : []))
}
