/** One run of a bundle or of something it depends on, among those that an order comes to. */
import { parseJson } from '../../../kit/exact.ts'
import type { JsonObject } from '../../../kit/json.ts'
import type { Job } from '../../../model/job.ts'
import type { Problem } from '../../../model/problem.ts'
import { actionOf, type BundleAction, recordOf } from '../actions.ts'
import type { Bundle } from '../bundle.ts'
import { type Claim, claimCustom, claimDocument, givenIn } from '../claims.ts'
import { dependencyInstallation } from '../dependencies.ts'
import { faultsOfExtensions } from '../extensions.ts'
import { type InstallationState, type RecordedRun, stateOf } from '../history.ts'
import { inject } from '../inject.ts'
import { bundleIn, bytesOf, type KeptBundle } from '../notes.ts'
import { optionsOf } from '../options.ts'
import { places } from '../places.ts'
import { file, jobOf } from '../run.ts'
import { runIds } from '../run-ids.ts'
import { sourcedValue, sourcesOf } from '../sources.ts'
import { resolveValues } from '../values.ts'
import type { Ledger } from './ledger.ts'
import type { InstallationOrder } from './order.ts'
import { modifies, newestOutput, runsOf } from './records.ts'

export interface InstallationStage {
  /** Absent: the bundle itself. */
  readonly alias?: string
  readonly kept: KeptBundle
  readonly bundle: Bundle
  readonly action: BundleAction
}

type Refused = { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/**
 * What a bundle depends on comes before it, and goes after it; the same all through an operation.
 * Problems: cnab.bundle.invalid, cnab.action.undefined.
 */
export function stagesOf(
  order: InstallationOrder,
  ledger: Ledger,
  operation: string,
): { readonly kind: 'stages'; readonly stages: readonly InstallationStage[] } | Refused {
  const { notes } = order.bundle
  const bundle = bundleIn(notes)
  if (bundle === undefined) return refused([{ code: 'cnab.bundle.invalid', detail: order.bundle.reference }])
  const others = notes.dependencies.flatMap((kept) => {
    const before = runsBefore(ledger, dependencyInstallation(order.installation, kept.alias), operation)
    return dependencyStage(order, kept, stateOf(before, modifies).state) ?? []
  })
  if (order.alias !== undefined) {
    const stages = others.filter(({ alias }) => alias === order.alias)
    return stages.length > 0 ? { kind: 'stages', stages } : undefinedAction(order.action)
  }
  const action = actionOf(bundle, order.action)
  if (action === undefined) return undefinedAction(order.action)
  const own: InstallationStage = { kept: notes, bundle, action }
  // What runs without an installation needs no others.
  if (action.stateless) return { kind: 'stages', stages: [own] }
  const stages = order.action === 'uninstall' ? [own, ...others.toReversed()] : [...others, own]
  return { kind: 'stages', stages }
}

function dependencyStage(
  { action: name }: InstallationOrder,
  kept: KeptBundle & { readonly alias: string },
  state: InstallationState['state'],
): InstallationStage | undefined {
  const { alias } = kept
  const bundle = bundleIn(kept)
  // What is new in this version of the parent has never been installed.
  const verb = name === 'upgrade' && state !== 'installed' ? 'install' : name
  const action = bundle && actionOf(bundle, verb)
  // What was never installed has nothing to uninstall.
  if (bundle === undefined || action === undefined || (name === 'uninstall' && state === 'uninstalled'))
    return undefined
  return { alias, kept, bundle, action }
}

/** The runs of an installation without those of this very operation. */
function runsBefore({ claims }: Ledger, installation: string, operation: string): readonly RecordedRun[] {
  const own = new Set(stageNumbers.map((stage) => runIds({ id: operation, stage }).claim))
  return runsOf(claims, installation).filter(({ claim }) => !own.has(claim.id))
}

/** More than a chain can have: a bundle depends on sixteen others at most. */
const stageNumbers = Array.from({ length: 20 }, (_, i) => i)

function undefinedAction(name: string): Refused {
  return refused([{ code: 'cnab.action.undefined', detail: `action not defined ${JSON.stringify(name)}` }])
}

export interface StageRun {
  readonly kind: 'run'
  readonly job: Job
  readonly claim: Claim
  /** Of this and of earlier calls: what later runs start from. */
  readonly given: JsonObject
  readonly warnings: readonly Problem[]
}

export interface StagePlace {
  /** The operation, and which of its stages this is. */
  readonly id: string
  readonly stage: number
}

/** The run of a stage. Problems: cnab.parameter.*, cnab.credential.missing, cnab.image.unpinned, cnab.extension.*. */
export function stageRun(
  order: InstallationOrder,
  ledger: Ledger,
  stage: InstallationStage,
  place: StagePlace,
): StageRun | Refused {
  const { bundle, kept, alias, action } = stage
  const installation = nameOf(order, alias)
  const options = optionsOf(order.options)
  const runs = action.stateless ? [] : runsOf(ledger.claims, installation)
  const last = runs.findLast(({ claim }) => modifies(claim)) ?? runs.at(-1)
  const given = order.given[alias ?? ''] ?? {}
  const remembered = order.anew ? {} : rememberedFor(ledger, stage, last?.claim)
  const resolved = resolveValues(bundle, action.name, {
    given,
    remembered,
    sourced: (parameter) =>
      sourcedValue(bundle, parameter, ({ dependency, output }) =>
        dependency === undefined
          ? newestOutput(ledger.claims, runs, output)
          : newestOutput(
              ledger.claims,
              runsOf(ledger.claims, dependencyInstallation(installation, dependency)),
              output,
            ),
      ),
    ...(last === undefined ? {} : { fixed: last.claim.parameters }),
  })
  if (resolved.kind === 'refused') return resolved
  const { values } = resolved
  const injected = inject({ bundle, action: action.name, values, credentials: order.credentials })
  const { reference, digest } = kept.image
  const faults = [
    ...(injected.kind === 'refused' ? injected.problems : []),
    ...faultsOfExtensions(bundle, options),
    ...(digest === undefined ? [{ code: 'cnab.image.unpinned', detail: reference } as const] : []),
  ]
  if (injected.kind === 'refused' || digest === undefined || faults.length > 0) return refused(faults)
  const ids = runIds(place)
  const { newRevision, kept: keeping } = recordOf(action)
  const revision = newRevision || last === undefined ? ids.revision : last.claim.revision
  const claim: Claim = {
    id: ids.claim,
    installation,
    revision,
    action: action.name,
    bundle: parseJson(kept.text.replace(/^\ufeff/, '')) as JsonObject,
    created: ids.created,
    bundleReference: kept.reference,
    parameters: values,
    custom: claimCustom(Object.keys({ ...remembered, ...given })),
  }
  const job = jobOf({
    bundle,
    bytes: bytesOf(kept),
    image: { reference, digest },
    relocation: kept.relocation,
    action: action.name,
    installation,
    revision,
    ...(keeping === 'never' ? {} : { claim: claimDocument(claim) }),
    injected,
    files: alias === undefined ? dependencyFiles(order) : [],
    options,
  })
  return { kind: 'run', job, claim, given: { ...remembered, ...given }, warnings: resolved.warnings }
}

/** What was given for earlier runs, whichever parameters the last of them took; of other tools' runs what their claims say. */
function rememberedFor(
  ledger: Ledger,
  { alias, bundle }: InstallationStage,
  last: Claim | undefined,
): JsonObject {
  const kept = ledger.installation()?.given?.[alias ?? '']
  if (kept === undefined) return last === undefined ? {} : givenIn(last, bundle)
  return Object.fromEntries(Object.entries(kept).filter(([name]) => Object.hasOwn(bundle.parameters, name)))
}

export function nameOf({ installation }: InstallationOrder, alias: string | undefined): string {
  return alias === undefined ? installation : dependencyInstallation(installation, alias)
}

function dependencyFiles({ bundle }: InstallationOrder) {
  return bundle.notes.dependencies.map((one) =>
    file(`${places.dependencies}/${one.alias}/bundle.json`, 0o644, bytesOf(one)),
  )
}

/** Everything that is wrong with any stage, before the first of them starts; what an earlier one will supply is not missing. */
export function faultsOfStages(
  order: InstallationOrder,
  ledger: Ledger,
  stages: readonly InstallationStage[],
): readonly Problem[] {
  return stages.flatMap((stage, i) => {
    const run = stageRun(order, ledger, stage, { id: 'rehearsal', stage: i })
    if (run.kind === 'run') return []
    return run.problems.filter(({ code, where }) => {
      const name = where?.pointer?.slice(1) ?? ''
      return code !== 'cnab.parameter.missing' || i === 0 || sourcesOf(stage.bundle, name).length === 0
    })
  })
}

export function refused(problems: readonly Problem[]): Refused {
  const [first, ...rest] = problems
  return { kind: 'refused', problems: [first ?? { code: 'cnab.bundle.invalid' }, ...rest] }
}
