/** TOI packages on this machine: installed, looked at and rehearsed without a server, through the local door. */
import { offerOf } from '../../broker/offering.ts'
import { orders } from '../../broker/orders.ts'
import { mergeParameters } from '../../broker/parameters.ts'
import {
  configFile,
  credentialsFile,
  patternOf,
  type Rehearsal,
  rehearse,
  type ToiNotes,
  toi,
  toiNotes,
  toiOptions,
  wordFor,
} from '../../contracts/toi/index.ts'
import { inspect, type Listener, openWorkshop } from '../../host/workshop.ts'
import { systemChance } from '../../kit/clock.ts'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import { act } from '../../local/act.ts'
import { type LocalBroker, localPlatform, openLocalBroker } from '../../local/local-broker.ts'
import { localOffers } from '../../local/offers.ts'
import { findInstance, forgetInstance, keyOf, type LocalOrder } from '../../local/order.ts'
import type { ActionRan } from '../../local/ran.ts'
import type { Instance } from '../../model/instance.ts'
import type { Package } from '../../model/package.ts'
import { fail, failAll, type Problem } from '../../model/problem.ts'
import { ownerOfInstance } from '../../model/sealed.ts'
import type { Action } from '../../model/situation.ts'

export interface ToiWish {
  /** Of a component version, with or without `ocm:` and its repository. */
  readonly reference: string
  readonly repo?: string
  readonly lookup: readonly string[]
  /** Which package of the component. */
  readonly identity: readonly string[]
  readonly dataDir: string
}

/** The reference as every door takes it. */
function referenceOf({ reference, repo, lookup }: ToiWish): string {
  const plain = reference.replace(/^ocm:/, '')
  const whole = repo === undefined ? plain : `${repo.replace(/\/+$/, '')}//${plain}`
  const query = new URLSearchParams(lookup.map((one): [string, string] => ['lookup', one])).toString()
  return `ocm:${whole}${query === '' ? '' : `?${query}`}`
}

function optionsFor({ identity }: ToiWish): JsonObject {
  const pattern = patternOf(identity)
  if (typeof pattern === 'string') return fail('usage.invalid', pattern)
  return Object.keys(pattern).length === 0 ? {} : { package: pattern }
}

export interface ReadToi {
  readonly package: Package
  readonly notes: ToiNotes
  readonly warnings: readonly Problem[]
}

/** Reads a package. Problems: all that is wrong with it at once. */
export async function readToiPackage(wish: ToiWish, listener: Listener): Promise<ReadToi> {
  const workshop = await openWorkshop(wish.dataDir, 'none')
  try {
    const read = await inspect(
      workshop,
      { reference: referenceOf(wish), contract: toi.name, options: optionsFor(wish) },
      listener,
    )
    return { package: read.package, notes: toiNotes(read.package), warnings: read.warnings }
  } finally {
    await workshop.close()
  }
}

export interface ToiOrder extends ToiWish {
  /** In the package's words. */
  readonly action: string
  /** The installation; absent: as the component is called. */
  readonly name?: string
  readonly parameters: JsonObject
  /** As a document; absent: what was given before counts. */
  readonly credentials?: string
  /** A configuration of OCM, as text. */
  readonly config?: string
}

/** Carries out an action; a failed run is an answer with problems. */
export async function runToi(order: ToiOrder, listener: Listener): Promise<ActionRan> {
  const house = await openLocalBroker({ dataDir: order.dataDir, engine: 'auto' })
  try {
    return await act(house, await orderOf(house, await targetOf(house, order, listener), order), listener)
  } finally {
    await house.close()
  }
}

interface Target {
  /** What the installation is called. */
  readonly name: string
  readonly package: Package
  readonly found: Instance | undefined
}

/** An installation that is named is what was kept of it, wherever its component has gone; a reference is read. Problems: instance.exists. */
async function targetOf(house: LocalBroker, order: ToiOrder, listener: Listener): Promise<Target> {
  const { reference, repo } = order
  if (repo === undefined && isName(reference)) {
    const found = await findInstance(house, keyOf(reference))
    const offer = found && (await offerOf(house.store.look, found))
    if (offer?.package.contract === toi.name) return { name: reference, package: offer.package, found }
  }
  const { package: pkg } = await inspect(
    house.workshop,
    { reference: referenceOf(order), contract: toi.name, options: optionsFor(order) },
    listener,
  )
  const name = order.name ?? pkg.services[0]?.name ?? 'default'
  const found = await findInstance(house, keyOf(name))
  const before = found && (await offerOf(house.store.look, found)).package
  if (before !== undefined && (before.contract !== toi.name || before.name !== pkg.name))
    return fail('instance.exists', `${name} is an installation of ${before.name}`, {
      hint: 'Use another --name.',
    })
  return { name, package: pkg, found }
}

/** Whether a reference can be the name of an installation: references have a path. */
function isName(reference: string): boolean {
  return /^[A-Za-z0-9][\w.-]*$/.test(reference)
}

async function orderOf(house: LocalBroker, target: Target, order: ToiOrder): Promise<LocalOrder> {
  const { name: instance, package: pkg, found } = target
  const isInstalled = found !== undefined && !['failed', 'provisioning'].includes(found.state)
  const action = actionOf(pkg, order, isInstalled)
  const lent = mountedFrom(order)
  return {
    action,
    instance,
    upgrades: true,
    package: withAction(pkg, action),
    parameters: await parametersOf(house, action, { found, order }),
    options: {
      ...optionsFor(order),
      expressions: true,
      ...(action.kind === 'update' ? { actions: { update: order.action } } : {}),
    },
    ...present({ lent }),
  }
}

/** A failed install is tried again with what it was given, and what is given now. */
async function parametersOf(
  house: LocalBroker,
  { kind }: Action,
  { found, order }: { readonly found: Instance | undefined; readonly order: ToiOrder },
): Promise<JsonObject> {
  if (kind === 'deprovision') return {}
  if (kind !== 'provision' || found === undefined) return order.parameters
  const before = await orders.instance(house.store.look, found)
  return mergeParameters(before.parameters, order.parameters)
}

/** The first install makes an installation, as does the next after one that failed, and it is the same while it is under way; a second one, or another word for it, changes it. */
function actionOf(pkg: Package, { action }: Pick<ToiOrder, 'action'>, exists: boolean): Action {
  const options = toiOptions({})
  const notes = toiNotes(pkg)
  const word = (kind: 'provision' | 'update' | 'deprovision') => wordFor({ kind }, notes, options)
  if (action === word('provision')) return { kind: exists ? 'update' : 'provision' }
  if (action === word('deprovision')) return { kind: 'deprovision' }
  if (action === word('update')) return { kind: 'update' }
  return { kind: 'invoke', name: action }
}

/** Executors that take any action take this one. */
function withAction(pkg: Package, action: Action): Package {
  if (action.kind !== 'invoke' || pkg.actions.some(({ name }) => name === action.name)) return pkg
  return { ...pkg, actions: [...pkg.actions, { name: action.name, modifies: true, stateless: false }] }
}

function mountedFrom({ credentials, config }: Pick<ToiOrder, 'credentials' | 'config'>): LocalOrder['lent'] {
  if (credentials === undefined && config === undefined) return undefined
  return {
    ...(credentials === undefined ? {} : { [credentialsFile]: new Secret(credentials) }),
    ...(config === undefined ? {} : { [configFile]: new Secret(config) }),
  }
}

/** What an action would be given, with what is kept of its installation. Problems: those that it would be refused with. */
export async function rehearseToi(order: ToiOrder, listener: Listener): Promise<Rehearsal> {
  const house = await openLocalBroker({ dataDir: order.dataDir })
  try {
    const target = await targetOf(house, order, listener)
    const rehearsed = rehearse(...(await situationOf(house, target, await orderOf(house, target, order))))
    return rehearsed.kind === 'refused' ? failAll(rehearsed.problems) : rehearsed.rehearsal
  } finally {
    await house.close()
  }
}

async function situationOf(
  { store: { look } }: LocalBroker,
  { name, found }: Target,
  { action, package: pkg, parameters, options, lent }: LocalOrder,
): Promise<Parameters<typeof rehearse>> {
  const [{ service, plan }] = localOffers(pkg, options)
  const key = keyOf(name)
  const isFresh = found === undefined || action.kind === 'provision'
  const before = isFresh ? {} : (await orders.instance(look, key)).parameters
  return [
    action,
    {
      package: pkg,
      service,
      plan,
      instance: { id: name, context: {}, parameters: before },
      parameters: action.kind === 'update' ? mergeParameters(before, parameters) : parameters,
      infrastructure: lent ?? (await orders.lent(look, key)) ?? {},
      carryover: isFresh ? {} : await orders.carryover(look, ownerOfInstance(key)),
      operation: { id: 'rehearsal', stage: 0, attempt: 1 },
      platform: localPlatform,
      now: Date.now(),
      random: (count) => systemChance.bytes(count),
    },
  ]
}

export interface Installation {
  readonly name: string
  readonly component: string
  readonly version: string
  readonly state: string
  readonly changedAt: number
}

/** What is installed on this machine. */
export async function listToi(dataDir: string): Promise<readonly Installation[]> {
  const house = await openLocalBroker({ dataDir })
  try {
    const { items } = await house.store.look.instances({ platform: localPlatform, most: 1000 })
    const found: Installation[] = []
    for (const { instance, planId, digest, state, updatedAt } of items) {
      if (state === 'gone') continue
      const { package: pkg } = await offerOf(house.store.look, { planId, digest })
      if (pkg.contract === toi.name)
        found.push({ name: instance, component: pkg.name, version: pkg.version, state, changedAt: updatedAt })
    }
    return found
  } finally {
    await house.close()
  }
}

/** Forgets an installation without running anything. Problems: instance.unknown. */
export async function forgetToi(dataDir: string, name: string): Promise<void> {
  const house = await openLocalBroker({ dataDir })
  try {
    if ((await findInstance(house, keyOf(name))) === undefined)
      fail('instance.unknown', name, { hint: 'See "chandler toi list".' })
    await forgetInstance(house, name)
  } finally {
    await house.close()
  }
}
