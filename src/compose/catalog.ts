/** Reads the packages of the configuration and puts their offers together; what an earlier start read is not read again. */
import { type Catalog, makeCatalog, type Offer } from '../broker/catalog.ts'
import { offersOf } from '../broker/offer.ts'
import { offeringsOf } from '../broker/offering.ts'
import type { Lent } from '../broker/ports.ts'
import { fitToOperator } from '../host/fit.ts'
import type { ReadingRoom } from '../host/read-package.ts'
import type { Secret } from '../kit/secret.ts'
import { failAll, type Problem } from '../model/problem.ts'
import type { CatalogEntry } from '../settings/catalog-settings.ts'
import type { Store } from '../store/store.ts'
import { type EnrolWord, enrol } from './enrol.ts'

export interface CatalogOrder {
  readonly store: Store
  readonly room: ReadingRoom
  readonly entries: readonly CatalogEntry[]
  tell(word: EnrolWord): void
}

export interface LoadedCatalog {
  readonly catalog: Catalog
  readonly lentTo: (offer: Offer) => Lent
}

/**
 * The catalog of a configuration; the store learns of every plan in it, and which have left.
 * A package that cannot be read is left out and told of; a fault of the configuration itself stops the start.
 */
export async function loadCatalog({ store, room, entries, tell }: CatalogOrder): Promise<LoadedCatalog> {
  const offers: Offer[] = []
  const problems: Problem[] = []
  const names = new Set<string>()
  const lent = new Map<string, Readonly<Record<string, Secret>>>()
  for (const [i, entry] of entries.entries()) {
    const name = nameOf(entry, names)
    const pkg = await enrol({ store, room, entry, name, tell })
    if (pkg === undefined) continue
    const offered = offersOf(pkg, entry, `catalog/${i}`)
    const fitted = offered.offers.map((offer) => fitToOperator(offer, `catalog/${i}`))
    offers.push(...fitted.map(({ offer }) => offer))
    const infrastructure = Object.fromEntries(entry.infrastructure.map((one) => [one.name, one.value]))
    for (const { service, plan } of offered.offers)
      lent.set(plan.id, infrastructure).set(service.id, infrastructure)
    problems.push(...offered.problems, ...fitted.flatMap((one) => one.problems))
  }
  await forgetOthers(store, names)
  problems.push(...duplicates(offers))
  failAll(problems)
  const catalog = makeCatalog(offers)
  await remember(store, catalog)
  // A plan that is not offered any more still finds what its service is lent.
  return { catalog, lentTo: ({ plan, service }) => lent.get(plan.id) ?? lent.get(service.id) ?? {} }
}

/** What the operator calls the service, else the end of the reference; told apart by a number. */
function nameOf(entry: CatalogEntry, taken: Set<string>): string {
  const plain =
    entry.service.name ??
    entry.package
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ??
    entry.package
  let name = plain
  for (let i = 2; taken.has(name); i++) name = `${plain}-${i}`
  taken.add(name)
  return name
}

async function forgetOthers(store: Store, names: ReadonlySet<string>): Promise<void> {
  const gone = (await store.look.enrolments()).filter(({ name }) => !names.has(name))
  if (gone.length === 0) return
  await store.write(async (tx) => {
    for (const { name } of gone) await tx.removeEnrolment(name)
  })
}

/** One duplicate id makes a platform refuse the whole catalog. */
function duplicates(offers: readonly Offer[]): readonly Problem[] {
  const plans = new Map<string, Offer>()
  const services = new Map<string, string>()
  const problems: Problem[] = []
  const refuse = (detail: string) => problems.push({ code: 'catalog.refused', detail })
  for (const offer of offers) {
    const { service, plan } = offer
    if (plans.has(plan.id)) refuse(`the plan id ${plan.id} is used twice`)
    plans.set(plan.id, offer)
    const known = services.get(service.id)
    if (known !== undefined && known !== service.name)
      refuse(`the service id ${service.id} names ${known} and ${service.name}`)
    services.set(service.id, service.name)
  }
  if (new Set(services.values()).size < services.size) refuse('two services have the same name')
  return problems
}

async function remember(store: Store, catalog: Catalog): Promise<void> {
  const offered = offeringsOf(catalog)
  const present = new Set(offered.map(({ planId }) => planId))
  await store.write(async (tx) => {
    const before = await tx.offerings()
    for (const offering of before) {
      if (!present.has(offering.planId) && !offering.retired)
        await tx.putOffering({ ...offering, retired: true })
    }
    for (const offering of offered) await tx.putOffering(offering)
  })
}
