/** What people order of installations on this machine: checked, locked, carried out with their dependencies, written down. */
import {
  actionOf,
  bundleBytes,
  bundleIn,
  type CnabNotes,
  type CnabOptions,
  dependencyInstallation,
  type KeptBundle,
  optionsOf,
  stateOf,
} from '../../contracts/cnab/index.ts'
import type { Listener } from '../../host/workshop.ts'
import type { JsonObject } from '../../kit/json.ts'
import { fail } from '../../model/problem.ts'
import { appliedStateOf } from './applied.ts'
import { type GivenValue, givenValues } from './given.ts'
import { lockInstallation } from './installation-lock.ts'
import { installedBundle, type Relocations } from './installed-bundle.ts'
import {
  type ActionOrder,
  type ActionRan,
  performAction,
  prepareAction,
  type Runner,
  secretsOf,
} from './perform.ts'
import { closeAbandoned, modifies, runsOf } from './records.ts'
import type { AppliedState, CnabRoom, Installation, InstalledBundle } from './room.ts'
import { findSet, resolveSets, surroundingsOf } from './sets.ts'
import { lockFile } from './views.ts'

export interface Order {
  /** With its namespace before a slash, where it has one. */
  readonly installation: string
  readonly namespace: string
  readonly action: string
  /** Absent: the bundle that the installation has. */
  readonly reference?: string
  readonly relocation?: Relocations
  /** As typed or written by people; `alias#name` is a parameter of a dependency. */
  readonly given: Readonly<Record<string, GivenValue>>
  /** Absent: those that the installation has. */
  readonly parameterSets?: readonly string[]
  readonly credentialSets?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly options: JsonObject
  /** Do it in whatever state the installation is. */
  readonly force: boolean
  /** Take nothing over from earlier runs. */
  readonly anew?: boolean
}

/** Everything that an action of a bundle and its dependencies needs; nothing has been done yet. */
interface Plan {
  readonly order: Order
  readonly bundle: InstalledBundle
  readonly sets: { readonly parameters: readonly string[]; readonly credentials: readonly string[] }
  readonly given: Readonly<Record<string, JsonObject>>
  readonly credentials: Readonly<Record<string, string>>
  readonly options: CnabOptions
}

/** Carries an order out. Problems: cnab.installation.*, cnab.set.*, cnab.source.unresolved, those of the bundle and its runs. */
export async function carryOut(
  room: CnabRoom,
  order: Order,
  run: Runner,
  listener: Listener,
): Promise<ActionRan> {
  const known = room.installations.find(order.installation)
  const bundle = await bundleFor(room, order, known, listener)
  if (isStateless(bundle.notes, order.action)) {
    const plan = await planOf(room, order, { bundle, known })
    return await performAction(room, orderOf(plan, bundle.notes), run, listener)
  }
  const { installation, action } = order
  const lock = await lockInstallation(lockFile(room, installation), installation, action)
  try {
    await closeAbandoned(room, order.installation)
    checkState(room, order)
    const plan = await planOf(room, order, { bundle, known })
    keepInstallation(room, plan, known)
    return await performAll(room, plan, run, listener)
  } finally {
    // What was refused before anything ran has not become an installation.
    if (known === undefined && room.claims.claims(installation).length === 0)
      room.installations.remove(installation)
    await lock.release()
  }
}

/** What would be run, without running it, and what must not be seen of it. Problems: as for carrying it out. */
export async function rehearse(room: CnabRoom, order: Order, listener: Listener) {
  const known = room.installations.find(order.installation)
  const bundle = await bundleFor(room, order, known, listener)
  if (!isStateless(bundle.notes, order.action)) checkState(room, order)
  const plan = await planOf(room, order, { bundle, known })
  const action = orderOf(plan, bundle.notes)
  const prepared = prepareAction(room, action)
  return {
    ...prepared,
    secrets: [...secretsOf(action, prepared.bundle, prepared.claim)],
    applied: appliedStateFor(room, plan),
  }
}

function appliedStateFor(room: CnabRoom, plan: Plan): AppliedState {
  const { bundle, claim } = prepareAction(room, orderOf(plan, plan.bundle.notes))
  return appliedStateOf({ digest: plan.bundle.digest, bundle, claim, credentials: plan.credentials })
}

async function bundleFor(
  room: CnabRoom,
  { reference, relocation, options }: Order,
  known: Installation | undefined,
  listener: Listener,
): Promise<InstalledBundle> {
  if (reference !== undefined)
    return await installedBundle(
      room,
      { reference, options, ...(relocation === undefined ? {} : { relocation }) },
      listener,
    )
  return (
    known?.bundle ??
    fail('usage.invalid', 'name the bundle: an archive, a bundle.json, or docker:// and where it is')
  )
}

function isStateless(notes: KeptBundle, action: string): boolean {
  const bundle = bundleIn(notes)
  return bundle !== undefined && actionOf(bundle, action)?.stateless === true
}

/** Which actions an installation is in a state for. */
function checkState(room: CnabRoom, { installation, action, force }: Order): void {
  const runs = runsOf(room.claims, installation)
  const { state } = stateOf(runs, modifies)
  if (action === 'install') {
    if (state === 'installed' && !force)
      fail('cnab.installation.state', `${installation} is installed already`)
    return
  }
  if (runs.length === 0 && room.installations.find(installation) === undefined)
    fail('cnab.installation.unknown', installation)
  if (action === 'upgrade' && state !== 'installed' && !force)
    fail('cnab.installation.state', 'The installation cannot be upgraded, because it is not installed.')
}

async function planOf(
  room: CnabRoom,
  order: Order,
  { bundle, known }: { readonly bundle: InstalledBundle; readonly known: Installation | undefined },
): Promise<Plan> {
  const sets = {
    parameters: order.parameterSets ?? known?.parameterSets ?? [],
    credentials: order.credentialSets ?? known?.credentialSets ?? [],
  }
  const { namespace } = order
  const at = surroundingsOf(room)
  const parameters = await resolveSets(
    sets.parameters.map((name) => findSet(room, 'parameters', { name, namespace })),
    at,
  )
  const credentials = await resolveSets(
    sets.credentials.map((name) => findSet(room, 'credentials', { name, namespace })),
    at,
  )
  return {
    order,
    bundle,
    sets,
    given: givenValues(bundle.notes, { sets: parameters.values, given: order.given }),
    credentials: Object.fromEntries(
      Object.entries(credentials.values).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
    options: optionsOf(order.options),
  }
}

/** Before anything runs: an install that fails leaves something to be uninstalled. */
function keepInstallation(room: CnabRoom, plan: Plan, known: Installation | undefined): Installation {
  const { order, bundle, sets } = plan
  const installation: Installation = {
    ...known,
    name: order.installation,
    labels: order.labels ?? known?.labels ?? {},
    created: known?.created ?? new Date().toISOString(),
    bundle,
    parameterSets: sets.parameters,
    credentialSets: sets.credentials,
  }
  room.installations.keep(order.installation, installation)
  return installation
}

function orderOf(plan: Plan, bundle: KeptBundle, alias?: string): ActionOrder {
  const { order, given, credentials, options } = plan
  return {
    installation:
      alias === undefined ? order.installation : dependencyInstallation(order.installation, alias),
    action: order.action,
    bundle,
    given: given[alias ?? ''] ?? {},
    credentials,
    options,
    anew: order.anew === true,
    dependencies: alias === undefined ? dependenciesOf(plan.bundle.notes) : {},
  }
}

function dependenciesOf({ dependencies }: CnabNotes): Readonly<Record<string, Uint8Array>> {
  return Object.fromEntries(dependencies.map((one) => [one.alias, bundleBytes(one)]))
}

/** What a bundle depends on comes before it, and goes after it. */
async function performAll(room: CnabRoom, plan: Plan, run: Runner, listener: Listener): Promise<ActionRan> {
  const { order, bundle } = plan
  const { dependencies } = bundle.notes
  const able = dependencies.filter((one) => hasAction(one, order.action))
  if (order.action !== 'uninstall') {
    for (const one of able) {
      const ran = await performDependency(room, { plan, dependency: one }, run, listener)
      if (ran.verdict.problems.length > 0) return ran
    }
  }
  const ran = await performAction(room, orderOf(plan, bundle.notes), run, listener)
  if (ran.verdict.problems.length > 0) return ran
  if (order.action === 'install' || order.action === 'upgrade') keepApplied(room, plan)
  if (order.action === 'uninstall') {
    for (const one of able.toReversed()) {
      const gone = await performDependency(room, { plan, dependency: one }, run, listener)
      if (gone.verdict.problems.length > 0) return gone
    }
  }
  return ran
}

function hasAction(bundle: KeptBundle, action: string): boolean {
  const read = bundleIn(bundle)
  return read !== undefined && actionOf(read, action) !== undefined
}

async function performDependency(
  room: CnabRoom,
  { plan, dependency }: { readonly plan: Plan; readonly dependency: CnabNotes['dependencies'][number] },
  run: Runner,
  listener: Listener,
): Promise<ActionRan> {
  const order = orderOf(plan, dependency, dependency.alias)
  listener.progress(`${order.action} of ${order.installation}`)
  await closeAbandoned(room, order.installation)
  const { state } = stateOf(runsOf(room.claims, order.installation), modifies)
  // What is new in this version of the parent has never been installed.
  const action = order.action === 'upgrade' && state !== 'installed' ? 'install' : order.action
  return await performAction(room, { ...order, action }, run, listener)
}

function keepApplied(room: CnabRoom, plan: Plan): void {
  const { installation } = plan.order
  const kept = room.installations.find(installation)
  if (kept === undefined) return
  room.installations.keep(installation, { ...kept, applied: appliedStateFor(room, plan) })
}
