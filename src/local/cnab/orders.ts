/** What people order of installations on this machine, as one operation each: the bundle with what it depends on. */
import { invoke } from '../../broker/invoke.ts'
import { orders } from '../../broker/orders.ts'
import {
  actionOf,
  appliedStateOf,
  bundleIn,
  type InstallationOrder,
  type InstalledBundle,
  installationAction,
  installationParameters,
  type Ledger,
  modifies,
  noteIn,
  openLedger,
  orderIn,
  type RecordedRun,
  runsOf,
  stageRun,
  stagesOf,
  stateOf,
  statusOfResults,
} from '../../contracts/cnab/index.ts'
import type { Listener } from '../../host/workshop.ts'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { describeProblem, fail, failAll, type Problem, ProblemError } from '../../model/problem.ts'
import { ownerOfInstance } from '../../model/sealed.ts'
import { carryOut as stayWith } from '../carry-out.ts'
import { processOf } from '../owner.ts'
import { ranOf } from '../ran.ts'
import { refuseUnhandled } from './command-driver.ts'
import type { CnabContext } from './context.ts'
import { type GivenValue, givenValues } from './given.ts'
import {
  adoptInstallation,
  bundleUnderWay,
  type Found,
  findInstallation,
  forgetInstallation,
  offerInstallations,
  refuseShared,
} from './installations.ts'
import { installedBundle, type Relocations } from './installed-bundle.ts'
import { findSet, resolveSets, surroundingsOf } from './sets.ts'

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

/** How an order ended. */
export interface InstallationRan {
  /** The last run of the operation; absent where none has started. */
  readonly run?: RecordedRun
  readonly ledger: Ledger
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

/** Carries an order out. Problems: cnab.installation.*, cnab.set.*, cnab.source.unresolved, those of the bundle. */
export async function carryOut(
  room: CnabContext,
  order: Order,
  listener: Listener,
): Promise<InstallationRan> {
  const { operation, guest } = await begin(room, order, listener)
  try {
    return await finish(room, operation, listener)
  } finally {
    if (guest !== undefined) await forgetInstallation(room.house, guest)
  }
}

export interface Begun {
  readonly operation: string
  /** The record that goes with the operation: the action has no state. */
  readonly guest?: string
}

/** Orders it. Everything that can be refused is refused here, and then nothing is left of it. */
export async function begin(room: CnabContext, order: Order, listener: Listener): Promise<Begun> {
  const { house } = room
  await offerInstallations(house)
  const found = await findInstallation(house, order.installation)
  const planned = await planOf(room, order, found, listener)
  if (room.program) await refuseUnhandled(room.program, bundlesOf(planned.order))
  const asker = house.asker()
  const guest = planned.isStateless ? `${order.installation}-${asker.requestId}` : undefined
  const instance = guest ?? found?.instance.instance ?? order.installation
  if (!planned.isStateless) {
    checkState(order, found)
    await refuseShared(house, planned.order)
  }
  const isNew = guest !== undefined || found === undefined
  if (isNew) await adoptInstallation(house, instance)
  try {
    const parameters = installationParameters(planned.order)
    const operation = await invoke(house.ports, asker, { instance, action: installationAction, parameters })
    return { operation, ...present({ guest }) }
  } catch (error) {
    // What was refused before anything ran has not become an installation.
    if (isNew) await forgetInstallation(house, instance)
    if (error instanceof ProblemError && error.problem.code === 'instance.busy')
      await failBusy(room, order, found)
    throw error
  }
}

function bundlesOf({ bundle: { notes } }: InstallationOrder) {
  return [notes, ...notes.dependencies].flatMap((kept) => bundleIn(kept) ?? [])
}

/** Stays with an operation to its end. */
async function finish({ house }: CnabContext, id: string, listener: Listener): Promise<InstallationRan> {
  const operation = await stayWith(house, id, listener)
  const key = { platform: operation.target.platform, instance: operation.target.instance }
  // It holds credentials, and is not carried out again by itself.
  await house.store.write((tx) => tx.erase(`operation/${id}`))
  const ledger = openLedger(await orders.carryover(house.store.look, ownerOfInstance(key)))
  const { problems } = await ranOf(house, operation)
  const runs = runsOfOperation(ledger, id)
  // What was undone ended with runs that went well.
  const failed = problems.length === 0 ? undefined : runs.find((one) => !isGood(one))
  const run = failed ?? runs.at(-1)
  const warnings = run?.results.flatMap((result) => noteIn(result)?.warnings ?? []) ?? []
  return { ledger, problems, warnings, ...present({ run }) }
}

function runsOfOperation({ claims }: Ledger, operation: string): readonly RecordedRun[] {
  return claims
    .installations()
    .flatMap((name) => runsOf(claims, name))
    .filter(({ results }) => results.some((result) => noteIn(result)?.operation === operation))
    .sort((a, b) => stageOf(a) - stageOf(b))
}

function isGood({ results }: RecordedRun): boolean {
  return statusOfResults(results) === 'succeeded'
}

function stageOf({ results }: RecordedRun): number {
  return results.map((result) => noteIn(result)?.stage ?? 0).at(-1) ?? 0
}

async function failBusy(
  { house }: CnabContext,
  { installation }: Order,
  found: Found | undefined,
): Promise<void> {
  const id = found?.instance.currentOperation
  const operation = id === undefined ? undefined : await house.store.look.operation(id)
  if (operation === undefined) return
  const order = await orders.operation(house.store.look, operation.id)
  const action = order === undefined ? 'an action' : orderIn(order.parameters).action
  const pid = operation.lease && processOf(operation.lease.owner)
  const worker = pid === undefined ? '' : `, process ${pid}`
  const since = new Date(operation.createdAt).toISOString()
  fail('cnab.installation.busy', `${installation}: ${action}${worker}, since ${since}`, {
    hint: `Stay with it or cancel it: chandler attach ${found?.instance.instance ?? operation.id}`,
  })
}

/** What would be run, without running it. Problems: as for carrying it out. */
export async function rehearse(room: CnabContext, order: Order, listener: Listener) {
  const found = await findInstallation(room.house, order.installation)
  const planned = await planOf(room, order, found, listener)
  if (!planned.isStateless) checkState(order, found)
  const ledger = found?.ledger ?? openLedger({})
  const stages = stagesOf(planned.order, ledger, 'rehearsal')
  if (stages.kind === 'refused') return failAll(stages.problems)
  // The bundle itself is what is shown, wherever it comes among its dependencies.
  const own = stages.stages.find(({ alias }) => alias === planned.order.alias) ?? fail('cnab.bundle.invalid')
  const run = stageRun(planned.order, ledger, own, { id: noOperation, stage: 0 })
  if (run.kind === 'refused') return failAll(run.problems)
  const { digest } = planned.order.bundle
  const { credentials } = planned.order
  return {
    job: run.job,
    claim: run.claim,
    bundle: own.bundle,
    applied: appliedStateOf({ digest, bundle: own.bundle, given: run.given, credentials }),
  }
}

/** A run that is only looked at has the id of no operation. */
const noOperation = '00000000000000000000000000'

/** Which actions an installation is in a state for. */
function checkState({ installation, action, force }: Order, found: Found | undefined): void {
  const runs = found === undefined ? [] : runsOf(found.ledger.claims, installation)
  const { state } = stateOf(runs, modifies)
  if (action === 'install') {
    if (state === 'installed' && !force)
      fail('cnab.installation.state', `${installation} is installed already`)
    return
  }
  if (runs.length === 0 && found?.ledger.installation() === undefined && !isUnderWay(found))
    fail('cnab.installation.unknown', installation)
  if (action === 'upgrade' && state !== 'installed' && !force && !isUnderWay(found))
    fail('cnab.installation.state', 'The installation cannot be upgraded, because it is not installed.')
}

/** What it is in a state for shows when that has ended; until then it is busy. */
function isUnderWay(found: Found | undefined): boolean {
  return found?.instance.currentOperation !== undefined
}

interface Planned {
  readonly order: InstallationOrder
  readonly isStateless: boolean
}

async function planOf(
  room: CnabContext,
  order: Order,
  found: Found | undefined,
  listener: Listener,
): Promise<Planned> {
  const known = found?.ledger.installation()
  const { namespace, action } = order
  if (found?.alias !== undefined && order.reference !== undefined)
    fail('cnab.installation.state', `${order.installation} is what ${found.instance.instance} depends on`, {
      hint: 'The bundle that depends on it says which bundle it is. Name none here, or take another name.',
    })
  const bundle = await bundleFor(room, order, found, listener)
  const parameterSets = order.parameterSets ?? known?.parameterSets ?? []
  const credentialSets = order.credentialSets ?? known?.credentialSets ?? []
  const at = surroundingsOf(room)
  const parameters = await resolveSets(
    parameterSets.map((name) => findSet(room, 'parameters', { name, namespace })),
    at,
  )
  const credentials = await resolveSets(
    credentialSets.map((name) => findSet(room, 'credentials', { name, namespace })),
    at,
  )
  const read = bundleIn(bundle.notes)
  return {
    isStateless: read !== undefined && actionOf(read, action)?.stateless === true,
    order: {
      installation: found?.alias === undefined ? order.installation : found.instance.instance,
      action,
      bundle,
      given: addressed(found?.alias, givenValues(bundle.notes, { sets: parameters, given: order.given })),
      credentials: textsOf(credentials.values),
      options: order.options,
      parameterSets,
      credentialSets,
      anew: order.anew === true,
      ...present({ alias: found?.alias, labels: order.labels }),
    },
  }
}

/** What is typed for a dependency that is ordered by its own name is that dependency's. */
function addressed(
  alias: string | undefined,
  given: Readonly<Record<string, JsonObject>>,
): Readonly<Record<string, JsonObject>> {
  return alias === undefined ? given : { [alias]: { ...given[alias], ...given[''] } }
}

function textsOf(values: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}

async function bundleFor(
  room: CnabContext,
  order: Order,
  found: Found | undefined,
  listener: Listener,
): Promise<InstalledBundle> {
  const { reference, relocation, options } = order
  if (reference !== undefined)
    return installedBundle(room, { reference, options, ...present({ relocation }) }, listener)
  const known = found?.ledger.installation()?.bundle ?? (found && (await bundleUnderWay(room.house, found)))
  return (
    known ?? fail('usage.invalid', 'name the bundle: an archive, a bundle.json, or docker:// and where it is')
  )
}

/** The status and message of a run, as its records have it. */
export function endOf({ run, problems }: InstallationRan): {
  readonly status: string
  readonly message: string
} {
  const last = run?.results.at(-1)
  const [first] = problems
  const why = first === undefined ? '' : describeProblem(first)
  // Each run may go well, and the operation be stopped between two, or what one of them wrote not fit the next.
  if (run === undefined || (first !== undefined && isGood(run)))
    return { status: first?.code === 'operation.cancelled' ? 'canceled' : 'failed', message: why }
  return { status: statusOfResults(run.results), message: last?.message ?? why }
}
