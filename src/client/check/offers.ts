/** What a catalog offers, as far as the version that is spoken knows it. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Minor } from './rules.ts'

export interface OfferedPlan {
  readonly serviceId: string
  readonly planId: string
  /** `service/plan`, by name. */
  readonly subject: string
  readonly free: boolean
  readonly bindable: boolean
  readonly planUpdateable: boolean
  readonly contextUpdates: boolean
  readonly instancesRetrievable: boolean
  readonly bindingsRetrievable: boolean
  readonly rotatable: boolean
  readonly requires: readonly string[]
  readonly maintenance?: string
  /** Milliseconds that the broker wants to be polled at most. */
  readonly pollingMs?: number
  readonly schemas: {
    readonly create?: JsonObject
    readonly update?: JsonObject
    readonly bind?: JsonObject
  }
}

type Fields = { readonly [key: string]: unknown }

/** Every plan of a catalog that has ids and names; what lacks them is told by the rules of the catalog. */
export function plansOf(catalog: unknown, minor: Minor): readonly OfferedPlan[] {
  const services = isObject(catalog) ? listOf(catalog['services']) : []
  return services.flatMap((service) =>
    listOf(service['plans']).flatMap((plan) => {
      const texts = [service['id'], service['name'], plan['id'], plan['name']]
      return texts.every((text) => typeof text === 'string') ? [planOf(service, plan, minor)] : []
    }),
  )
}

function planOf(service: Fields, plan: Fields, minor: Minor): OfferedPlan {
  const has = (since: Minor, value: unknown) => minor >= since && value === true
  const own = (since: Minor, name: string) => (minor >= since ? (plan[name] ?? service[name]) : service[name])
  const maintenance = isObject(plan['maintenance_info']) ? plan['maintenance_info']['version'] : undefined
  const seconds = plan['maximum_polling_duration']
  return {
    serviceId: String(service['id']),
    planId: String(plan['id']),
    subject: `${service['name']}/${plan['name']}`,
    free: plan['free'] !== false,
    bindable: own(11, 'bindable') === true,
    planUpdateable: own(15, 'plan_updateable') === true,
    contextUpdates: has(15, service['allow_context_updates']),
    instancesRetrievable: has(14, service['instances_retrievable']),
    bindingsRetrievable: has(14, service['bindings_retrievable']),
    rotatable: has(17, plan['binding_rotatable']),
    requires: Array.isArray(service['requires']) ? service['requires'].map(String) : [],
    ...(minor >= 15 && typeof maintenance === 'string' ? { maintenance } : {}),
    ...(minor >= 15 && typeof seconds === 'number' ? { pollingMs: seconds * 1000 } : {}),
    schemas: minor >= 13 ? schemasOf(plan['schemas']) : {},
  }
}

function schemasOf(schemas: unknown): OfferedPlan['schemas'] {
  const of = (what: string, when: string) => {
    const group = isObject(schemas) ? schemas[what] : undefined
    const one = isObject(group) ? group[when] : undefined
    const schema = isObject(one) ? one['parameters'] : undefined
    return isObject(schema) ? (schema as JsonObject) : undefined
  }
  const [create, update, bind] = [
    of('service_instance', 'create'),
    of('service_instance', 'update'),
    of('service_binding', 'create'),
  ]
  return {
    ...present({ create, update, bind }),
  }
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
