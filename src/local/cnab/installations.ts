/** Installations as instances of this machine: found, made as mere records, changed, forgotten. */
import { adoptInstance } from '../../broker/adopt.ts'
import type { Offer } from '../../broker/catalog.ts'
import { purgeInstance } from '../../broker/govern.ts'
import { offersOf } from '../../broker/offer.ts'
import { orders } from '../../broker/orders.ts'
import {
  dependencyInstallation,
  type InstallationOrder,
  type InstalledBundle,
  installationPackage,
  type Ledger,
  openLedger,
  orderIn,
  recordedDependencies,
} from '../../contracts/cnab/index.ts'
import type { Instance } from '../../model/instance.ts'
import type { Carryover } from '../../model/outcome.ts'
import { fail } from '../../model/problem.ts'
import { ownerOfInstance } from '../../model/sealed.ts'
import { type LocalBroker, localPlatform } from '../local-broker.ts'
import { findInstance, keyOf } from '../order.ts'

export interface Found {
  readonly instance: Instance
  readonly ledger: Ledger
  /** The dependency that was asked for: it is kept with what depends on it. */
  readonly alias?: string
}

const most = 10_000

/** The one offer that all installations are instances of. */
export async function offerInstallations(house: LocalBroker) {
  const offer = installationOffer()
  await house.offer([offer])
  return offer
}

function installationOffer(): Offer {
  const none = { service: {}, plans: [], services: [], options: {} }
  const [offer] = offersOf(installationPackage, none, installationPackage.name).offers
  return offer ?? fail('package.invalid', installationPackage.name)
}

/** All installations that commands have made, each with what it remembers. */
export async function allInstallations({ store }: LocalBroker): Promise<readonly Found[]> {
  const offer = installationOffer()
  const of = { platform: localPlatform, planId: offer.plan.id, most }
  const { items } = await store.look.instances(of)
  const there = items.filter(({ state }) => state !== 'gone')
  return Promise.all(
    there.map(async (instance) => ({ instance, ledger: await readLedger(store.look, instance) })),
  )
}

/** The installation of that name, which may be one that another depends on. */
export async function findInstallation(house: LocalBroker, name: string): Promise<Found | undefined> {
  const instance = await findInstance(house, keyOf(name))
  if (instance) return { instance, ledger: await readLedger(house.store.look, instance) }
  for (const found of await allInstallations(house)) {
    const alias = (await dependenciesOf(house, found)).find(
      (one) => dependencyInstallation(found.instance.instance, one) === name,
    )
    if (alias !== undefined) return { ...found, alias }
  }
  return undefined
}

/** Aliases of everything that an installation depends on, has depended on, or is about to. */
async function dependenciesOf(house: LocalBroker, found: Found): Promise<readonly string[]> {
  const bundles = [found.ledger.installation()?.bundle, await bundleUnderWay(house, found)]
  const named = bundles.flatMap((bundle) => bundle?.notes.dependencies ?? [])
  const recorded = recordedDependencies(found.ledger.claims, found.instance.instance)
  return [...found.ledger.dependencies(), ...recorded, ...named.map(({ alias }) => alias)]
}

/** The bundle that an operation works with now. */
export async function bundleUnderWay(
  { store }: LocalBroker,
  { instance }: Found,
): Promise<InstalledBundle | undefined> {
  const id = instance.currentOperation
  const order = id === undefined ? undefined : await orders.operation(store.look, id)
  return order && orderIn(order.parameters).bundle
}

/** What a bundle depends on must not share its name with another installation. Problems: cnab.installation.state. */
export async function refuseShared(
  house: LocalBroker,
  { installation, bundle }: Pick<InstallationOrder, 'installation' | 'bundle'>,
): Promise<void> {
  for (const { alias } of bundle.notes.dependencies) {
    const name = dependencyInstallation(installation, alias)
    const found = await findInstallation(house, name)
    if (found === undefined || found.instance.instance === installation) continue
    const owner = found.alias === undefined ? '' : `, which ${found.instance.instance} depends on`
    const detail = `${installation} would depend on an installation ${name}, and there is another of that name${owner}`
    fail('cnab.installation.state', detail, { hint: 'Take another name for it.' })
  }
}

async function readLedger(
  look: LocalBroker['store']['look'],
  { platform, instance }: Instance,
): Promise<Ledger> {
  return openLedger(await orders.carryover(look, ownerOfInstance({ platform, instance })))
}

/** Makes a record with nothing in it yet, or with what is known of it from elsewhere. */
export async function adoptInstallation(
  house: LocalBroker,
  name: string,
  carryover: Carryover = {},
): Promise<void> {
  const offer = await offerInstallations(house)
  await adoptInstance(house.ports, house.asker(), {
    instance: name,
    offer,
    state: 'ready',
    parameters: {},
    context: {},
    carryover,
    outputs: [],
    bindings: [],
  })
}

/** Changes what an installation remembers while nothing runs on it. Problems: instance.busy. */
export async function changeLedger(
  { store }: LocalBroker,
  name: string,
  change: (ledger: Ledger) => void,
): Promise<void> {
  const key = keyOf(name)
  await store.write(async (tx) => {
    const instance = await tx.lockInstance(key)
    if (instance?.currentOperation !== undefined) fail('instance.busy')
    const ledger = openLedger(await orders.carryover(tx, ownerOfInstance(key)))
    change(ledger)
    await orders.putCarryover(tx, ownerOfInstance(key), ledger.carryover())
  })
}

/** Forgets an installation with all its records. Problems: instance.busy. */
export async function forgetInstallation(house: LocalBroker, name: string): Promise<void> {
  if ((await findInstance(house, keyOf(name))) === undefined) return
  await purgeInstance(house.ports, house.asker(), keyOf(name))
}
