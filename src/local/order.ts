/** What commands order of instances on this machine, through the verbs of the broker. */
import { adoptInstance } from '../broker/adopt.ts'
import { bind } from '../broker/bind.ts'
import type { Offer } from '../broker/catalog.ts'
import { deprovision } from '../broker/deprovision.ts'
import { purgeInstance, repinInstance } from '../broker/govern.ts'
import { invoke } from '../broker/invoke.ts'
import { offerOf } from '../broker/offering.ts'
import { orders } from '../broker/orders.ts'
import type { MountedPrograms } from '../broker/ports.ts'
import { provision } from '../broker/provision.ts'
import { unbind } from '../broker/unbind.ts'
import { update } from '../broker/update.ts'
import type { JsonObject } from '../kit/json.ts'
import type { Instance, InstanceKey } from '../model/instance.ts'
import type { Package } from '../model/package.ts'
import { fail } from '../model/problem.ts'
import { ownerOfInstance } from '../model/sealed.ts'
import type { Action } from '../model/situation.ts'
import { type LocalBroker, localPlatform } from './local-broker.ts'
import { localOffers, planNamed } from './offers.ts'

export interface LocalOrder {
  readonly action: Action
  readonly instance: string
  readonly package: Package
  /** Only provision chooses; absent: the first. */
  readonly plan?: string
  readonly service?: string
  readonly binding?: string
  readonly parameters: JsonObject
  /** Settings of the contract, as a catalog would have them. */
  readonly options?: JsonObject
  readonly lent?: MountedPrograms
  /** An update moves the instance to the package only when it has succeeded; without this every action moves it before. */
  readonly upgrades?: boolean
}

/** Orders it and answers the operation. Problems: as the verbs of the broker. */
export async function order(house: LocalBroker, wish: LocalOrder): Promise<string> {
  const { action, package: pkg, instance, plan } = wish
  const { kind } = action
  if (plan !== undefined && kind !== 'provision') fail('usage.invalid', 'only provision chooses a plan')
  const key = keyOf(instance)
  const found = await findInstance(house, key)
  const offers = localOffers(pkg, wish.options ?? (await optionsOf(house, found)))
  await house.offer(offers)
  if (kind === 'provision') return provisionOne(house, wish, planNamed(offers, wish))
  if (found === undefined) return withoutInstance(house, wish, offers[0])
  // An author runs what was built last, not what the instance was made from.
  const offer = offers.find((one) => one.plan.id === found.planId)
  const isMoved = wish.upgrades !== true || kind !== 'update'
  if (isMoved && offer && offer.package.digest !== found.digest && found.currentOperation === undefined)
    await repinInstance(house.ports, house.asker(), key)
  if (wish.lent) await lend(house, key, wish.lent)
  return actOn(house, wish, { found, offer })
}

/** The settings that an instance was made with hold for what follows: the engine that wrote its state is still the one. */
async function optionsOf(
  { store }: LocalBroker,
  found: Instance | undefined,
): Promise<JsonObject | undefined> {
  return found && (await offerOf(store.look, found)).plan.operator.options
}

/** The instance of that name, unless it is gone. */
export async function findInstance(house: LocalBroker, key: InstanceKey): Promise<Instance | undefined> {
  const found = await house.store.look.instance(key)
  return found?.state === 'gone' ? undefined : found
}

export function keyOf(instance: string): InstanceKey {
  return { platform: localPlatform, instance }
}

/** Forgets an instance without running anything. */
export async function forgetInstance(house: LocalBroker, instance: string): Promise<void> {
  await purgeInstance(house.ports, house.asker(), keyOf(instance))
}

async function provisionOne(house: LocalBroker, wish: LocalOrder, offer: Offer): Promise<string> {
  const { instance, parameters, lent } = wish
  const key = keyOf(instance)
  const found = await findInstance(house, key)
  if (lent) await lend(house, key, lent)
  try {
    const answer = await provision(house.ports, house.asker(), {
      instance,
      serviceId: offer.service.id,
      planId: offer.plan.id,
      organization: '',
      space: '',
      parameters,
      context: contextOf(instance),
      acceptsIncomplete: true,
    })
    if (answer.kind === 'started') return answer.operation
    return fail('instance.exists', instance, { hint: 'Use another --name, or run update or deprovision.' })
  } catch (error) {
    // What is lent to what has never become an instance is not kept.
    if (lent && found === undefined) await house.store.write((tx) => tx.erase(ownerOfInstance(key)))
    throw error
  }
}

function contextOf(instance: string): JsonObject {
  return { platform: localPlatform, instance_name: instance }
}

async function lend(house: LocalBroker, key: InstanceKey, lent: MountedPrograms): Promise<void> {
  await house.store.write((tx) => orders.putLent(tx, key, lent))
}

/** Actions without state need no instance: they are run on a record that goes with them. */
async function withoutInstance(house: LocalBroker, wish: LocalOrder, offer: Offer): Promise<string> {
  const { action, instance, package: pkg, parameters, lent } = wish
  const own = action.kind === 'invoke' ? pkg.actions.find(({ name }) => name === action.name) : undefined
  if (action.kind !== 'invoke' || own?.stateless !== true)
    return fail('instance.unknown', instance, { hint: 'Run provision first, with the same --name.' })
  const asker = house.asker()
  const guest = `${instance}-${asker.requestId}`
  if (lent) await lend(house, keyOf(guest), lent)
  await adoptInstance(house.ports, asker, {
    instance: guest,
    offer,
    state: 'ready',
    parameters: {},
    context: contextOf(instance),
    carryover: {},
    outputs: [],
    bindings: [],
  })
  try {
    return await invoke(house.ports, asker, { instance: guest, action: action.name, parameters })
  } catch (error) {
    await forgetInstance(house, guest)
    throw error
  }
}

interface Standing {
  readonly found: Instance
  /** What the package offers under the instance's plan. */
  readonly offer: Offer | undefined
}

async function actOn(house: LocalBroker, wish: LocalOrder, { found, offer }: Standing): Promise<string> {
  const { ports } = house
  const { action, instance, parameters } = wish
  const { serviceId, planId } = found
  const asker = house.asker()
  const named = { instance, serviceId, acceptsIncomplete: true }
  const binding = wish.binding ?? ''
  if (found.state === 'failed' && (action.kind === 'update' || action.kind === 'invoke'))
    fail('instance.failed', instance)
  switch (action.kind) {
    case 'provision':
      return fail('instance.exists', instance)
    case 'update': {
      // Naming the version is what moves an instance to the package that is offered, though it be of the same version.
      const maintenance = wish.upgrades ? offer?.plan.maintenance?.version : undefined
      const moving = maintenance === undefined ? {} : { maintenance }
      const answer = await update(ports, asker, { ...named, ...moving, parameters, again: true })
      return answer.kind === 'started' ? answer.operation : fail('instance.busy')
    }
    case 'bind': {
      const answer = await bind(ports, asker, { ...named, planId, binding, parameters })
      if (answer.kind === 'started') return answer.operation
      return fail('binding.exists', binding, { hint: 'Use another --binding, or run unbind first.' })
    }
    case 'unbind':
      return (await unbind(ports, asker, { ...named, planId, binding })).operation
    case 'deprovision':
      return (await deprovision(ports, asker, { ...named, planId })).operation
    case 'invoke':
      return invoke(ports, asker, { instance, action: action.name, parameters })
  }
}
