/** The runs that an order of a command comes to: what a bundle depends on before it, and after it when it goes. */
import { present } from '../../../kit/present.ts'
import type { Problem } from '../../../model/problem.ts'
import { actionOf, type BundleAction } from '../actions.ts'
import type { Bundle } from '../bundle.ts'
import { type Chain, type Link, planLinks } from '../chain.ts'
import { dependencyInstallation } from '../dependencies.ts'
import { bundleIn, type KeptBundle } from '../notes.ts'
import type { Ledger } from './ledger.ts'
import type { InstallationOrder } from './order.ts'
import { mayBeThere, recordedDependencies, runsOf } from './records.ts'

export interface InstallationStage {
  /** Absent: the bundle itself. */
  readonly alias?: string
  readonly kept: KeptBundle
  readonly bundle: Bundle
  readonly action: BundleAction
}

export interface InstallationPlan {
  readonly kind: 'stages'
  readonly stages: readonly InstallationStage[]
  /** Why what was installed is being uninstalled again; empty while nothing has failed. */
  readonly because: readonly Problem[]
}

export type Refused = { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/**
 * The stages of an operation: as its chain has been kept, else as they are planned.
 * Problems: cnab.bundle.invalid, cnab.action.undefined.
 */
export function stagesOf(
  order: InstallationOrder,
  ledger: Ledger,
  operation: string,
): InstallationPlan | Refused {
  const bundle = bundleIn(order.bundle.notes)
  if (bundle === undefined) return refused([{ code: 'cnab.bundle.invalid', detail: order.bundle.reference }])
  const own = actionOf(bundle, order.action)
  if (order.alias === undefined && own === undefined) return undefinedAction(order.action)
  const cut = ledger.chain()
  const { links, because } =
    cut?.operation === operation ? cut : { links: plannedLinks(order, own, ledger), because: [] }
  const stages = links.flatMap((link) => stageOf(order, ledger, link))
  return stages.length === 0 ? undefinedAction(order.action) : { kind: 'stages', stages, because }
}

function plannedLinks(
  { action, alias, bundle, installation }: InstallationOrder,
  own: BundleAction | undefined,
  ledger: Ledger,
): readonly Link[] {
  const isThere = (name: string): boolean => mayBeThere(runsOf(ledger.claims, name))
  if (alias !== undefined) {
    const isNew = action === 'upgrade' && !isThere(dependencyInstallation(installation, alias))
    return [{ alias, action: isNew ? 'install' : action }]
  }
  // What runs without an installation needs no others.
  if (own?.stateless) return [{ action }]
  const known = new Set([
    ...bundle.notes.dependencies.map((one) => one.alias),
    ...ledger.dependencies(),
    ...recordedDependencies(ledger.claims, installation),
  ])
  const able = bundle.notes.dependencies.filter((one) => {
    const read = bundleIn(one)
    return read !== undefined && actionOf(read, action) !== undefined
  })
  return planLinks({
    action,
    able: able.map((one) => one.alias),
    there: [...known].filter((one) => isThere(dependencyInstallation(installation, one))),
    isThere: isThere(installation),
    ...present({ cut: ledger.chain() }),
  })
}

/** A dependency that goes is uninstalled by the bundle that ran last, whatever this version of its parent names. */
export function stageOf(
  { bundle: { notes } }: InstallationOrder,
  ledger: Ledger,
  { alias, action: name }: Link,
): readonly InstallationStage[] {
  const named = alias === undefined ? notes : notes.dependencies.find((one) => one.alias === alias)
  const last = alias === undefined ? undefined : ledger.dependency(alias)
  const kept = name === 'uninstall' ? (last ?? named) : (named ?? last)
  const bundle = kept && bundleIn(kept)
  const action = bundle && actionOf(bundle, name)
  if (kept === undefined || bundle === undefined || action === undefined) return []
  return [{ kept, bundle, action, ...present({ alias }) }]
}

/** The chain as it is kept for the stages to come. */
export function chainOf(
  { stages, because }: InstallationPlan,
  { operation, next }: Pick<Chain, 'operation' | 'next'>,
): Chain {
  const links = stages.map(({ alias, action }) => ({ ...present({ alias }), action: action.name }))
  return { operation, links, next, because }
}

function undefinedAction(name: string): Refused {
  return refused([{ code: 'cnab.action.undefined', detail: `action not defined ${JSON.stringify(name)}` }])
}

export function refused(problems: readonly Problem[]): Refused {
  const [first, ...rest] = problems
  return { kind: 'refused', problems: [first ?? { code: 'cnab.bundle.invalid' }, ...rest] }
}
