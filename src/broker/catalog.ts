/** The catalog as it is offered now: found by ids, printed once, told apart by its ETag. */
import { sha256 } from '../kit/hash.ts'
import type { Json, JsonObject } from '../kit/json.ts'
import type { Package, Plan, Service } from '../model/package.ts'
import type { Problem } from '../model/problem.ts'

/** A plan with everything around it; ids are settled. */
export interface Offer {
  readonly package: Package
  readonly service: Service & { readonly id: string }
  readonly plan: Plan & { readonly id: string }
  /** The tenant whose author offers it; absent: the operator does. */
  readonly sandbox?: string
}

export interface Catalog {
  readonly offers: readonly Offer[]
  /** The OSB document, as text and as a value. */
  readonly text: string
  readonly document: JsonObject
  readonly etag: string
  find(serviceId: string, planId: string): Offer | Problem
  plan(planId: string): Offer | undefined
  knowsService(serviceId: string): boolean
}

/** Puts offers together in the order of the configuration. */
export function makeCatalog(offers: readonly Offer[]): Catalog {
  const byPlan = new Map(offers.map((offer) => [offer.plan.id, offer]))
  const services = new Map<string, Offer[]>()
  for (const offer of offers)
    services.set(offer.service.id, [...(services.get(offer.service.id) ?? []), offer])
  const document = { services: [...services.values()].map(serviceDocument) }
  const text = JSON.stringify(document)
  return {
    offers,
    text,
    document,
    etag: `"${sha256(text)}"`,
    find(serviceId, planId) {
      const offer = byPlan.get(planId)
      if (offer?.service.id === serviceId) return offer
      return services.has(serviceId)
        ? { code: 'catalog.plan-unknown', detail: planId }
        : { code: 'catalog.service-unknown', detail: serviceId }
    },
    plan: (planId) => byPlan.get(planId),
    knowsService: (serviceId) => services.has(serviceId),
  }
}

/** Whether a plan can be bound, its own word before its service's. */
export function isBindable({ service, plan }: Offer): boolean {
  return plan.bindable ?? service.bindable
}

function serviceDocument(offers: readonly Offer[]): JsonObject {
  const [first] = offers
  if (first === undefined) return {}
  const { service } = first
  return compact({
    name: service.name,
    id: service.id,
    description: service.description,
    tags: service.tags.length > 0 ? [...service.tags] : undefined,
    requires: service.requires.length > 0 ? [...service.requires] : undefined,
    bindable: service.bindable,
    instances_retrievable: service.instancesRetrievable,
    bindings_retrievable: service.bindingsRetrievable,
    allow_context_updates: service.contextUpdates,
    metadata: service.metadata,
    dashboard_client: service.dashboardClient,
    plan_updateable: service.planUpdatable,
    plans: offers.map(({ plan }) => planDocument(plan)),
  })
}

function planDocument(plan: Offer['plan']): JsonObject {
  return compact({
    id: plan.id,
    name: plan.name,
    description: plan.description,
    metadata: plan.metadata,
    free: plan.free,
    bindable: plan.bindable,
    binding_rotatable: plan.bindingRotatable || undefined,
    plan_updateable: plan.planUpdatable,
    updates_to: plan.updatesTo && [...plan.updatesTo],
    schemas: schemasDocument(plan),
    maximum_polling_duration: plan.pollingSecondsMax,
    maintenance_info: plan.maintenance && compact({ ...plan.maintenance }),
  })
}

function schemasDocument({ schemas }: Plan): JsonObject | undefined {
  const of = (parameters: JsonObject | undefined) => parameters && { parameters }
  const instance = compact({ create: of(schemas.create), update: of(schemas.update) })
  const binding = compact({ create: of(schemas.bind) })
  const document = compact({
    service_instance: Object.keys(instance).length > 0 ? instance : undefined,
    service_binding: Object.keys(binding).length > 0 ? binding : undefined,
  })
  return Object.keys(document).length > 0 ? document : undefined
}

/** Leaves out what is absent: platforms refuse null. */
function compact(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  )
}
