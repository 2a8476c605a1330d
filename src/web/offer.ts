/** What pages read from the catalog: services by name, how they are called, their icons, cost and points. */
import type { CatalogPlan, CatalogService } from '../api/catalog.ts'
import { isObject, type Json, type JsonObject } from '../kit/json.ts'

/** The service of a name or id. */
export function serviceNamed(
  services: readonly CatalogService[],
  name: string | undefined,
): CatalogService | undefined {
  return services.find((one) => one.name === name) ?? services.find(({ id }) => id === name)
}

/** The plan of a name or id. */
export function planNamed(
  service: CatalogService | undefined,
  name: string | undefined,
): CatalogPlan | undefined {
  return service?.plans.find((one) => one.name === name) ?? service?.plans.find(({ id }) => id === name)
}

/** What people call a service or plan. */
export function displayName({ name, metadata }: Pick<CatalogService, 'name' | 'metadata'>): string {
  return textIn(metadata, 'displayName') ?? name
}

/** A text of the metadata; undefined where there is none. */
export function textIn(metadata: JsonObject | undefined, key: string): string | undefined {
  const text = metadata?.[key]
  return typeof text === 'string' && text.trim() !== '' ? text : undefined
}

const iconCharactersMax = 200_000
const iconTypes = /^(data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,)[\w+/=\s]+$/

/** An icon that came as data; those of other addresses would be requests to elsewhere. */
export function iconOf(metadata: JsonObject | undefined): string | undefined {
  const url = textIn(metadata, 'imageUrl')
  return url !== undefined && url.length <= iconCharactersMax && iconTypes.test(url) ? url : undefined
}

/** What the author names as points of a plan. */
export function pointsOf(metadata: JsonObject | undefined): readonly string[] {
  const bullets = metadata?.['bullets']
  return Array.isArray(bullets) ? bullets.filter((one): one is string => typeof one === 'string') : []
}

/** What a plan costs, as far as its author says it. */
export function costOf({ metadata }: Pick<CatalogPlan, 'metadata'>): string | undefined {
  const cost = textIn(metadata, 'cost')
  if (cost !== undefined) return cost
  const costs = metadata?.['costs']
  const each = Array.isArray(costs) ? costs.map(oneCost).filter((one) => one !== '') : []
  return each.length > 0 ? each.join(', ') : undefined
}

function oneCost(cost: Json): string {
  const { amount, unit } = isObject(cost) ? cost : {}
  if (!isObject(amount)) return ''
  const sums = Object.entries(amount).map(([currency, sum]) => `${String(sum)} ${currency.toUpperCase()}`)
  return typeof unit === 'string' ? `${sums.join(' / ')} ${unit.toLowerCase()}` : sums.join(' / ')
}
