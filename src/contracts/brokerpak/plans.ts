/** Plans that an operator adds to a service: flat objects from configuration or environment variables. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { Definition, PakPlan } from './definition.ts'

export interface OperatorPlans {
  readonly plans: readonly PakPlan[]
  readonly faults: readonly string[]
}

const planFields = [
  'id',
  'name',
  'description',
  'display_name',
  'bullets',
  'free',
  'metadata',
  'provision_overrides',
  'bind_overrides',
  'properties',
  'guid',
  'service',
]

/** Plans as `GSB_SERVICE_NAME_PLANS` lists them; every key that is no field of a plan is a property. */
export function operatorPlans(definition: Definition, value: Json | undefined): OperatorPlans {
  if (value === undefined || value === null) return { plans: [], faults: [] }
  if (!Array.isArray(value)) return { plans: [], faults: [`plans of "${definition.name}" must be a list`] }
  const faults: string[] = []
  const plans = value.flatMap((item) => {
    if (!isObject(item)) {
      faults.push(`${definition.name} custom plan ${JSON.stringify(item)} is not an object`)
      return []
    }
    const plan = planOf(item as JsonObject)
    const fault = faultOf(definition, plan, item as JsonObject)
    if (fault !== undefined) faults.push(fault)
    return fault === undefined ? [plan] : []
  })
  return { plans, faults }
}

/** Plans as the tile of the originals hands them over: a map, where `guid` is the id. */
export function tilePlans(value: Json): Json {
  if (!isObject(value)) return value
  return Object.values(value as JsonObject).map(
    (item): Json => (isObject(item) ? ({ ...item, id: item['guid'] ?? item['id'] ?? '' } as Json) : item),
  )
}

function planOf(item: JsonObject): PakPlan {
  const properties = Object.entries(item).filter(([key]) => !planFields.includes(key))
  return {
    id: textOf(item['id']),
    name: textOf(item['name']),
    description: textOf(item['description']) || textOf(item['name']),
    displayName: textOf(item['display_name']) || textOf(item['name']),
    bullets: Array.isArray(item['bullets']) ? item['bullets'].map(String) : [],
    // What an operator does not say is left out of the catalog, and platforms take that for free.
    free: item['free'] !== false && item['free'] !== 'false',
    properties: { ...mapOf(item['properties']), ...Object.fromEntries(properties) },
    provisionOverrides: mapOf(item['provision_overrides']),
    bindOverrides: mapOf(item['bind_overrides']),
  }
}

function faultOf(definition: Definition, plan: PakPlan, item: JsonObject): string | undefined {
  const prefix = `${definition.name} custom plan ${JSON.stringify(item)} is missing`
  if (plan.name === '') return `${prefix} a name`
  if (plan.id === '') return `${prefix} an id`
  const wanted = definition.provision.planInputs.find(
    ({ name, required }) => required && !Object.hasOwn(plan.properties, name),
  )
  return wanted === undefined ? undefined : `${prefix} required property ${wanted.name}`
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function mapOf(value: Json | undefined): JsonObject {
  return isObject(value) ? (value as JsonObject) : {}
}
