/** Reads the packages of the configuration and puts their offers together; what an earlier start read is not read again. */
import { type Catalog, makeCatalog, type Offer } from '../broker/catalog.ts'
import { type EntryChoice, offersOf } from '../broker/offer.ts'
import { offeringsOf } from '../broker/offering.ts'
import type { MountedPrograms } from '../broker/ports.ts'
import { fitToOperator } from '../host/fit.ts'
import { deepEqual } from '../kit/json.ts'
import type { Package } from '../model/package.ts'
import { failAll, type Problem } from '../model/problem.ts'
import { sandboxName } from '../model/sandbox.ts'
import type { CatalogEntry, SourceEntry } from '../settings/catalog-settings.ts'
import type { Enrolment, Offering, Store } from '../store/store.ts'
import { type EnrolWord, enrol } from './enrol.ts'
import { tellRenamed } from './renamed.ts'
import { loadSandboxes, offered, type SandboxContext, type Sandboxed } from './sandbox.ts'
import type { SandboxReadings } from './sandbox-readings.ts'
import { type LoadedSource, listSource, recallSource, type SourceOrder } from './source-loading.ts'

export interface CatalogOrder {
  readonly store: Store
  readonly room: SandboxContext & SourceOrder['room']
  readonly readings: SandboxReadings
  readonly entries: readonly Entry[]
  /** The same entries as before, of which one is read again, if any. */
  readonly again?: { readonly before: LoadedCatalog; readonly entry?: Entry }
  /** Sources are taken as they were when the broker last ran, where that is known; they are asked later. */
  readonly recall?: boolean
  readonly signal: AbortSignal
  tell(word: EnrolWord): void
}

export type Entry = CatalogEntry | SourceEntry

/** What one entry of the configuration came to. */
export interface CatalogPart {
  readonly entry: Entry
  readonly packages: readonly {
    readonly package: Package
    readonly choice: EntryChoice
    readonly lent: MountedPrograms
  }[]
  /** Of sources. */
  readonly loaded?: LoadedSource
}

export interface LoadedCatalog {
  readonly catalog: Catalog
  readonly parts: readonly CatalogPart[]
  readonly sandboxes: readonly Sandboxed[]
  readonly lentTo: (offer: Offer) => MountedPrograms
}

/**
 * The catalog of a configuration; the store learns of every plan in it, and which have left.
 * A package that cannot be read is left out and told of; a fault of the configuration itself stops the start.
 */
export async function loadCatalog(order: CatalogOrder): Promise<LoadedCatalog> {
  const { store, entries, again } = order
  const sources = new Set(entries.flatMap((entry) => ('source' in entry ? [entry.source.name] : [])))
  const names = new Set<string>(sources)
  const enrolments = await store.look.enrolments()
  const parts = await loadParts(order, { names, enrolments })
  const sandboxes = await loadSandboxes({ ...order, enrolments })
  const isAsBefore = again && deepEqual(wordsOf(sandboxes), wordsOf(again.before.sandboxes))
  if (isAsBefore && parts.every((part, i) => isSame(part, again.before.parts[i])))
    return { ...again.before, parts }
  for (const row of await store.look.sandboxPackages()) names.add(sandboxName(row))
  await forgetOthers(store, { enrolments, names, sources })
  const { offers, lent } = offersOfParts(parts, sandboxes, order)
  const catalog = makeCatalog(offers)
  await tellRenamed(store, catalog, await remember(store, catalog), order.tell)
  // A plan that is not offered any more still finds what its service is lent.
  return {
    catalog,
    parts,
    sandboxes,
    lentTo: ({ plan, service }) => lent.get(plan.id) ?? lent.get(service.id) ?? {},
  }
}

/** What each entry came to, in their order. A package that the operator names stands before what a source lists. */
async function loadParts(
  order: CatalogOrder,
  { names, enrolments }: { readonly names: Set<string>; readonly enrolments: readonly Enrolment[] },
): Promise<readonly CatalogPart[]> {
  const { entries, again } = order
  const taken = new Set<string>()
  const parts = new Map<Entry, CatalogPart>()
  for (const entry of [...entries].sort((a, b) => Number('source' in a) - Number('source' in b))) {
    const name = 'package' in entry ? nameOf(entry, names) : ''
    const before = again?.before.parts.find((part) => part.entry === entry && entry !== again.entry)
    const part = before ?? (await loadPart(entry, name, { ...order, enrolments, taken }))
    parts.set(entry, part)
    for (const { package: pkg, choice } of part.packages)
      for (const { service } of offersOf(pkg, choice, '').offers) taken.add(service.id).add(service.name)
  }
  return entries.flatMap((entry) => parts.get(entry) ?? [])
}

/** All offers, and what their packages are lent by plan and service. Problems: faults of the configuration. */
function offersOfParts(
  parts: readonly CatalogPart[],
  sandboxes: readonly Sandboxed[],
  { tell }: Pick<CatalogOrder, 'tell'>,
): { readonly offers: readonly Offer[]; readonly lent: ReadonlyMap<string, MountedPrograms> } {
  const problems: Problem[] = []
  const shelf = new LiveCatalog(tell)
  const lent = new Map<string, MountedPrograms>()
  for (const [i, { entry, packages, loaded }] of parts.entries()) {
    for (const one of packages) {
      const at = 'package' in entry ? `catalog/${i}` : `catalog/${i} ${one.package.name}`
      const { offers: plain, problems: found } = offersOf(one.package, one.choice, at)
      const fitted = plain.map((offer) => fitToOperator(offer, at))
      const faults = [...found, ...fitted.flatMap((fit) => fit.problems)]
      const offers = fitted.map(({ offer }) => offer)
      if ('source' in entry) shelf.addListed(offers, faults, `${entry.source.name}/${one.package.name}`)
      else {
        problems.push(...faults)
        shelf.add(offers)
      }
      for (const { service, plan } of offers) lent.set(plan.id, one.lent).set(service.id, one.lent)
    }
    for (const pkg of loaded?.gone ?? [])
      for (const { id } of pkg.services) if (id !== undefined) lent.set(id, mountedFrom(entry, pkg))
  }
  for (const one of sandboxes) {
    const { offers, problems: faults } = offered(one)
    shelf.addListed(offers, faults, sandboxName(one.row))
  }
  failAll([...problems, ...duplicates(shelf.offers)])
  return { offers: shelf.offers, lent }
}

function wordsOf(sandboxes: readonly Sandboxed[]) {
  return sandboxes.map(({ row, package: pkg }) => [row, pkg.digest, pkg.notes])
}

function isSame(part: CatalogPart, before: CatalogPart | undefined): boolean {
  if (part === before) return true
  const words = ({ packages, loaded }: CatalogPart) => [
    packages.map((one) => [one.package.digest, one.package.notes, one.choice]),
    loaded?.gone.map(({ digest }) => digest),
  ]
  return before !== undefined && deepEqual(words(part), words(before))
}

async function loadPart(
  entry: Entry,
  name: string,
  order: CatalogOrder & Pick<SourceOrder, 'enrolments' | 'taken'>,
): Promise<CatalogPart> {
  if ('source' in entry) {
    const recalled = order.recall ? recallSource({ ...order, entry }) : undefined
    const loaded = recalled ?? (await listSource({ ...order, entry }))
    const packages = loaded.packages.map((one) => ({
      package: one.package,
      choice: {
        service: {},
        plans: [],
        services: [],
        options: one.options,
        lend: entry.lend,
        visibleTo: entry.visibleTo,
      },
      lent: mountedFrom(entry, one.package),
    }))
    return { entry, packages, loaded }
  }
  const pkg = await enrol({ ...order, entry, name })
  return {
    entry,
    packages: pkg === undefined ? [] : [{ package: pkg, choice: entry, lent: mountedFrom(entry, pkg) }],
  }
}

/** What a package is lent: as its entry says, and in a source what is meant for its service alone. */
function mountedFrom(entry: Entry, pkg: Package): MountedPrograms {
  const names = new Set(pkg.services.map(({ name }) => name))
  const own =
    'source' in entry
      ? entry.source.overrides
          .filter(({ service }) => names.has(service))
          .flatMap((one) => one.infrastructure)
      : []
  return Object.fromEntries([...entry.infrastructure, ...own].map((one) => [one.name, one.value]))
}

/** Offers side by side. Of a source, what cannot stand beside what is there already is left out alone. */
class LiveCatalog {
  readonly offers: Offer[] = []
  readonly #tell: CatalogOrder['tell']
  readonly #services = new Map<string, string>()

  constructor(tell: CatalogOrder['tell']) {
    this.#tell = tell
  }

  add(offers: readonly Offer[]): void {
    this.offers.push(...offers)
    for (const { service } of offers)
      this.#services.set(service.id, service.name).set(service.name, service.id)
  }

  addListed(offers: readonly Offer[], problems: readonly Problem[], name: string): void {
    const taken = offers.find(
      ({ service }) => this.#services.has(service.id) || this.#services.has(service.name),
    )
    const detail = taken && `the service ${taken.service.name} is offered by another package already`
    const problem = detail === undefined ? problems[0] : { code: 'catalog.refused' as const, detail }
    if (problem === undefined) this.add(offers)
    else this.#tell({ kind: 'refused', name, source: 'registry', problem })
  }
}

/** What the operator calls the service, else what its reference calls it; told apart by a number. */
function nameOf(entry: CatalogEntry, taken: Set<string>): string {
  const plain = entry.service.name ?? nameIn(entry.package)
  let name = plain
  for (let i = 2; taken.has(name); i++) name = `${plain}-${i}`
  taken.add(name)
  return name
}

/** The end of a reference: of an archive without what files are called by, of a layout on the disk the name in it. */
function nameIn(reference: string): string {
  const [place = ''] = reference.split(/[?#]/)
  const end = place.split('/').at(-1) ?? ''
  const inLayout = reference.startsWith('oci:') ? end.replace(/^[^:@]*:(?=.)/, '') : end
  const plain = inLayout.replace(/\.(?:tgz|tar\.gz|tar|zip|brokerpak)$/i, '')
  return plain === '' ? reference : plain
}

interface Known {
  readonly enrolments: readonly Enrolment[]
  readonly names: ReadonlySet<string>
  readonly sources: ReadonlySet<string>
}

/** What no entry names and no source lists any more. */
async function forgetOthers(store: Store, { enrolments, names, sources }: Known): Promise<void> {
  const isMeant = ({ name, document }: Enrolment): boolean => {
    const { source } = document
    return typeof source === 'string' ? sources.has(source) : names.has(name)
  }
  const gone = enrolments.filter((one) => !isMeant(one))
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

/** Answers the plans that it does not offer any more. */
async function remember(store: Store, catalog: Catalog): Promise<readonly Offering[]> {
  const offered = offeringsOf(catalog)
  const present = new Set(offered.map(({ planId }) => planId))
  return await store.write(async (tx) => {
    const before = await tx.offerings()
    for (const offering of before) {
      if (!present.has(offering.planId) && !offering.retired)
        await tx.putOffering({ ...offering, retired: true })
    }
    // Of a plan that several digests offered, what was written last counts.
    const newest = new Map(before.map((one) => [one.planId, one]))
    for (const offering of offered) {
      if (!deepEqual(newest.get(offering.planId), offering)) await tx.putOffering(offering)
    }
    return before.filter(({ planId }) => !present.has(planId))
  })
}
