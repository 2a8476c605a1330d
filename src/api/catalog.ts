/** The catalog as operators see it: each plan with its package, its limits and how much of it is used. */
import { Type } from 'typebox'
import { present } from '../kit/present.ts'
import type { Package, Plan, Service } from '../model/package.ts'
import { Digest, Free, type Of } from './words.ts'

const PlanMode = Type.Union([Type.Literal('sync'), Type.Literal('async'), Type.Literal('auto')])

export const CatalogPlan = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    free: Type.Boolean(),
    bindable: Type.Boolean(),
    bindingRotatable: Type.Boolean(),
    updatable: Type.Boolean(),
    mode: Type.Object({
      instance: PlanMode,
      binding: PlanMode,
    }),
    maintenance: Type.Optional(Type.String()),
    schemas: Type.Object({
      create: Type.Optional(Free),
      update: Type.Optional(Free),
      bind: Type.Optional(Free),
    }),
    metadata: Type.Optional(Free),
    limit: Type.Optional(Type.Integer({ description: 'How many instances there may be.' })),
    instances: Type.Integer({ description: 'How many there are.' }),
  },
  { title: 'CatalogPlan' },
)
export type CatalogPlan = Of<typeof CatalogPlan>

export const CatalogService = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    tags: Type.Array(Type.String()),
    bindable: Type.Boolean(),
    metadata: Type.Optional(Free),
    package: Type.Object({
      name: Type.String(),
      version: Type.String(),
      digest: Digest,
      contract: Type.String(),
    }),
    plans: Type.Array(CatalogPlan),
  },
  { title: 'CatalogService' },
)
export type CatalogService = Of<typeof CatalogService>

export const CatalogAnswer = Type.Object({ services: Type.Array(CatalogService) }, { title: 'Catalog' })
export type CatalogAnswer = Of<typeof CatalogAnswer>

export const CatalogQuery = Type.Object({
  tenant: Type.Optional(Type.String({ description: 'As this one sees it.' })),
})

interface Offered {
  readonly package: Package
  readonly service: Service & { readonly id: string }
  readonly plan: Plan & { readonly id: string }
  readonly instances: number
}

/** The catalog, one entry per service in the order of its plans. */
export function toCatalog(offers: readonly Offered[]): CatalogAnswer {
  const services = new Map<string, readonly Offered[]>()
  for (const offer of offers) {
    services.set(offer.service.id, [...(services.get(offer.service.id) ?? []), offer])
  }
  return { services: [...services.values()].flatMap(serviceOf) }
}

function serviceOf(offers: readonly Offered[]): readonly CatalogService[] {
  const [first] = offers
  if (first === undefined) return []
  const { service } = first
  const { name, version, digest, contract } = first.package
  return [
    present({
      id: service.id,
      name: service.name,
      description: service.description,
      tags: service.tags,
      bindable: service.bindable,
      metadata: service.metadata,
      package: { name, version, digest, contract },
      plans: offers.map(planOf),
    }),
  ]
}

function planOf({ plan, service, instances }: Offered): CatalogPlan {
  return present({
    id: plan.id,
    name: plan.name,
    description: plan.description,
    free: plan.free,
    bindable: plan.bindable ?? service.bindable,
    bindingRotatable: plan.bindingRotatable,
    updatable: plan.planUpdatable ?? service.planUpdatable,
    mode: plan.mode,
    maintenance: plan.maintenance?.version,
    schemas: plan.schemas,
    metadata: plan.metadata,
    limit: plan.operator.limit,
    instances,
  })
}
