/** An action of the broker as runs of bundles, one after the other. */
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import type { Action, Situation } from '../../model/situation.ts'
import { actionOf } from './actions.ts'
import { bindingsOf } from './bindings.ts'
import type { Bundle } from './bundle.ts'
import { chainIn, type Link, planLinks } from './chain.ts'
import { faultsOfExtensions } from './extensions.ts'
import { aliasesIn, memoryOf } from './memory.ts'
import { bundleIn, type KeptBundle, type Notes, notesOf } from './notes.ts'
import { type Options, optionsOf } from './options.ts'
import { type ServiceHints, serviceHints } from './service-hints.ts'

/** One run among those of an action. */
export interface Stage extends Link {
  readonly kept: KeptBundle
  readonly bundle: Bundle
}

export interface Plot {
  readonly bundle: Bundle
  readonly hints: ServiceHints
  readonly options: Options
  /** Empty: nothing has to be run. */
  readonly stages: readonly Stage[]
  /** Why what was installed is being uninstalled again; empty while nothing has failed. */
  readonly because: readonly Problem[]
}

export type Plotted =
  | { readonly kind: 'plot'; readonly plot: Plot }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

const verbs = { provision: 'install', update: 'upgrade', deprovision: 'uninstall' } as const

/** What an action comes to. Problems: cnab.action.undefined, cnab.extension.*, cnab.docker.consent, cnab.image.unpinned. */
export function plotOf(action: Action, situation: Situation): Plotted {
  const notes = notesOf(situation.package)
  const options = optionsOf(situation.plan.operator.options)
  const bundle = bundleIn(notes)
  if (bundle === undefined) return refused([{ code: 'cnab.bundle.invalid', detail: situation.package.name }])
  const hints = serviceHints(bundle, options.service)
  const name = actionFor(action, bundle, hints)
  const plot = { bundle, hints, options, because: [] }
  if (name === undefined) return { kind: 'plot', plot: { ...plot, stages: [] } }
  if (actionOf(bundle, name) === undefined)
    return refused([{ code: 'cnab.action.undefined', detail: `action not defined ${JSON.stringify(name)}` }])
  const { links, because } = linksOf(action, situation, { name, notes })
  const stages = links.flatMap((link) => stageOf(link, { bundle, notes, situation }))
  const problems = stages.flatMap((stage) => [
    ...faultsOfExtensions(stage.bundle, options),
    ...(stage.kept.image.digest === undefined
      ? [{ code: 'cnab.image.unpinned', detail: stage.bundle.name } as const]
      : []),
  ])
  return problems.length > 0 ? refused(problems) : { kind: 'plot', plot: { ...plot, stages, because } }
}

/** The bundle's word for an action of the broker; undefined where nothing is run for it. */
function actionFor(action: Action, bundle: Bundle, hints: ServiceHints): string | undefined {
  switch (action.kind) {
    case 'invoke':
      return action.name
    case 'bind':
    case 'unbind': {
      const bindings = bindingsOf(bundle, hints)
      return bindings.kind === 'action' ? bindings[action.kind] : undefined
    }
    default:
      return verbs[action.kind]
  }
}

/** The chain of this operation as it was kept, else as it is planned. */
function linksOf(
  { kind }: Action,
  { carryover, operation }: Situation,
  { name, notes }: { readonly name: string; readonly notes: Notes },
): { readonly links: readonly Link[]; readonly because: readonly Problem[] } {
  if (kind === 'bind' || kind === 'unbind') return { links: [{ action: name }], because: [] }
  const kept = chainIn(carryover)
  if (kept !== undefined && kept.operation === operation.id) return kept
  const able = notes.dependencies.filter((one) => {
    const bundle = bundleIn(one)
    return bundle !== undefined && actionOf(bundle, name) !== undefined
  })
  const links = planLinks({
    action: name,
    able: able.map(({ alias }) => alias),
    there: aliasesIn(carryover).filter((alias) => memoryOf(carryover, alias).claim !== undefined),
    isThere: memoryOf(carryover).claim !== undefined,
    ...present({ cut: kept }),
  })
  return { links, because: [] }
}

/** A dependency that goes is uninstalled by the bundle that ran last, whatever this version of its parent names. */
function stageOf(
  link: Link,
  {
    bundle,
    notes,
    situation,
  }: { readonly bundle: Bundle; readonly notes: Notes; readonly situation: Situation },
): readonly Stage[] {
  const { alias, action } = link
  if (alias === undefined) return [{ ...link, kept: notes, bundle }]
  const named = notes.dependencies.find((one) => one.alias === alias)
  const last = memoryOf(situation.carryover, alias).bundle
  const kept = action === 'uninstall' ? (last ?? named) : (named ?? last)
  const own = kept && bundleIn(kept)
  return kept === undefined || own === undefined ? [] : [{ ...link, kept, bundle: own }]
}

export function refused(problems: readonly Problem[]): {
  readonly kind: 'refused'
  readonly problems: readonly [Problem, ...Problem[]]
} {
  const [first, ...rest] = problems
  return { kind: 'refused', problems: [first ?? { code: 'cnab.bundle.invalid' }, ...rest] }
}
