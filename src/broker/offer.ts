/** A package becomes offers: the operator's words laid over those of the package, ids settled. */
import { uuidOf } from '../kit/hash.ts'
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { LentAddress, Mode, Package, Permission, Plan, Service } from '../model/package.ts'
import type { Problem } from '../model/problem.ts'
import type { Offer } from './catalog.ts'

/** An entry of the catalog in the configuration. */
export interface EntryChoice {
  readonly service: ServiceChoice
  readonly plans: readonly PlanChoice[]
  readonly services: readonly (ServiceChoice & { readonly plans: readonly PlanChoice[] })[]
  readonly options: JsonObject
  /** As `ADDRESS:PORT` or `NAME=ADDRESS:PORT`. */
  readonly lend?: readonly string[] | undefined
  /** Tenants that see what it offers; plans may name fewer. */
  readonly visibleTo?: readonly string[] | undefined
}

export interface ServiceChoice {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly requires?: readonly string[] | undefined
  readonly bindable?: boolean | undefined
  readonly planUpdatable?: boolean | undefined
  readonly instancesRetrievable?: boolean | undefined
  readonly bindingsRetrievable?: boolean | undefined
  readonly contextUpdates?: boolean | undefined
  readonly metadata?: JsonObject | undefined
  readonly dashboardClient?: JsonObject | undefined
}

export interface PlanChoice {
  readonly id?: string | undefined
  readonly name: string
  /** The package's plan it is made from. */
  readonly from?: string | undefined
  readonly description?: string | undefined
  readonly free?: boolean | undefined
  readonly bindable?: boolean | undefined
  readonly bindingRotatable?: boolean | undefined
  readonly planUpdatable?: boolean | undefined
  readonly requiresApp?: boolean | undefined
  readonly mode?: Mode | undefined
  readonly bindingMode?: Mode | undefined
  readonly pollingSecondsMax?: number | undefined
  readonly maintenance?: JsonObject | undefined
  readonly metadata?: JsonObject | undefined
  readonly schemas?: JsonObject | undefined
  readonly inputs: JsonObject
  readonly defaults: JsonObject
  readonly allow?: readonly string[] | undefined
  readonly limit?: number | undefined
  readonly visibleTo?: readonly string[] | undefined
  readonly options: JsonObject
}

export interface Offered {
  readonly offers: readonly Offer[]
  readonly problems: readonly Problem[]
}

const permissions: readonly Permission[] = ['syslog_drain', 'route_forwarding', 'volume_mount']

/** Every plan that an entry offers of its package. */
export function offersOf(pkg: Package, entry: EntryChoice, source: string): Offered {
  const problems: Problem[] = []
  const refuse = (pointer: string, detail: string): undefined => {
    problems.push({ code: 'catalog.refused', detail, where: { source, pointer } })
    return undefined
  }
  const chosen = choose(pkg, entry, refuse)
  const offers = chosen.flatMap(({ service, choice, plans, pointer }) => {
    const dressed = dressService(pkg, service, choice)
    const foreign = (choice.requires ?? []).filter((name) => !permissions.some((known) => known === name))
    if (foreign.length > 0) refuse(`${pointer}/requires`, `unknown permission ${foreign.join(', ')}`)
    return plansOf(service, plans, (name, at) =>
      refuse(`${pointer}${at}`, `the package has no plan ${name} to make this of`),
    ).map(([plan, its]) => offerOf(pkg, dressed, dressPlan(plan, its, entry)))
  })
  return { offers, problems }
}

interface Chosen {
  readonly service: Service
  readonly choice: ServiceChoice
  readonly plans: readonly PlanChoice[]
  readonly pointer: string
}

function choose(
  pkg: Package,
  entry: EntryChoice,
  refuse: (pointer: string, detail: string) => undefined,
): readonly Chosen[] {
  if (entry.services.length > 0) {
    return entry.services.flatMap((choice, i): readonly Chosen[] => {
      const service = pkg.services.find(({ name }) => name === choice.name)
      const pointer = `/services/${i}`
      if (service) return [{ service, choice, plans: choice.plans, pointer }]
      refuse(`${pointer}/name`, `the package has no service ${choice.name ?? ''}`)
      return []
    })
  }
  const [only, ...more] = pkg.services
  if (only === undefined) {
    refuse('', 'the package offers no service')
    return []
  }
  if (more.length === 0) return [{ service: only, choice: entry.service, plans: entry.plans, pointer: '' }]
  if (entry.plans.length > 0 || Object.values(entry.service).some((word) => word !== undefined)) {
    refuse('', `the package offers ${pkg.services.length} services; choose among them with "services"`)
  }
  return pkg.services.map((service) => ({ service, choice: {}, plans: [], pointer: '' }))
}

function plansOf(
  service: Service,
  choices: readonly PlanChoice[],
  refuse: (name: string, pointer: string) => undefined,
): readonly (readonly [Plan, PlanChoice])[] {
  if (choices.length === 0) {
    return service.plans.map((plan) => [plan, { name: plan.name, inputs: {}, defaults: {}, options: {} }])
  }
  return choices.flatMap((choice, i) => {
    const name = choice.from ?? choice.name
    const named = service.plans.find((plan) => plan.name === name)
    // A contract without plans of its own brings one as a pattern for all.
    const pattern = choice.from === undefined && service.plans.length === 1 ? service.plans[0] : undefined
    const plan = named ?? pattern ?? refuse(name, `/plans/${i}`)
    return plan ? [[plan, choice] as const] : []
  })
}

function dressService(pkg: Package, service: Service, choice: ServiceChoice): Offer['service'] {
  const { requires, metadata, ...rest } = defined(choice)
  const known = requires?.flatMap((name) => permissions.filter((permission) => permission === name))
  const merged = metadata || service.metadata ? { ...service.metadata, ...metadata } : undefined
  const dressed: Service = {
    ...service,
    ...rest,
    ...present({ requires: known, metadata: merged }),
  }
  return { ...dressed, id: dressed.id ?? uuidOf('service', pkg.contract, pkg.name, dressed.name) }
}

function dressPlan(plan: Plan, choice: PlanChoice, { options, lend = [], ...entry }: EntryChoice): Plan {
  const {
    from: _from,
    mode,
    bindingMode,
    maintenance,
    metadata,
    schemas,
    inputs,
    defaults,
    allow,
    limit,
    visibleTo = entry.visibleTo,
    options: own,
    ...rest
  } = defined(choice)
  const merged = metadata || plan.metadata ? { ...plan.metadata, ...metadata } : undefined
  // A plan made from another is not that other: it has its own id.
  const { id: planId, ...pattern } = plan
  const id = choice.id ?? (choice.name === plan.name ? planId : undefined)
  return {
    ...pattern,
    ...rest,
    ...present({ id }),
    mode: { instance: mode ?? plan.mode.instance, binding: bindingMode ?? plan.mode.binding },
    schemas: schemas ? (schemas as Plan['schemas']) : plan.schemas,
    ...(maintenance ? { maintenance: maintenance as unknown as NonNullable<Plan['maintenance']> } : {}),
    ...present({ metadata: merged }),
    operator: {
      inputs: { ...plan.operator.inputs, ...inputs },
      defaults: { ...plan.operator.defaults, ...defaults },
      options: { ...plan.operator.options, ...options, ...own },
      ...present({ allow, limit, visibleTo }),
      ...(lend.length === 0 ? {} : { lent: lend.map(lentAddress) }),
    },
  }
}

/** Its form was checked with the settings. */
function lentAddress(text: string): LentAddress {
  const [, name, address = '', port = ''] = /^(?:(.+)=)?(.+):(\d+)$/.exec(text) ?? []
  return { ...present({ name }), address, port: Number(port) }
}

function offerOf(pkg: Package, service: Offer['service'], plan: Plan): Offer {
  const id = plan.id ?? uuidOf('plan', service.id, plan.name)
  return { package: pkg, service, plan: { ...plan, id } }
}

/** Without the members that are undefined, which would hide those below them. */
function defined<T extends object>(value: T): { readonly [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries) as { readonly [K in keyof T]: Exclude<T[K], undefined> }
}
