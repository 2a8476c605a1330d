/** One run of a bundle or of something it depends on, among those that an order comes to: its job and its record. */
import { parseJson } from '../../../kit/exact.ts'
import type { JsonObject } from '../../../kit/json.ts'
import { present } from '../../../kit/present.ts'
import type { Job } from '../../../model/job.ts'
import type { Problem } from '../../../model/problem.ts'
import { recordOf } from '../actions.ts'
import { ofDependency } from '../chain.ts'
import { type Claim, claimCustom, claimDocument, givenIn } from '../claims.ts'
import { dependencyInstallation } from '../dependencies.ts'
import { faultsOfExtensions } from '../extensions.ts'
import type { RecordedRun } from '../history.ts'
import { inject } from '../inject.ts'
import { bytesOf } from '../notes.ts'
import { optionsOf } from '../options.ts'
import { places } from '../places.ts'
import { file, jobOf } from '../run.ts'
import { runIds } from '../run-ids.ts'
import { sourcedValue, sourcesOf } from '../sources.ts'
import { resolveValues } from '../values.ts'
import type { Ledger } from './ledger.ts'
import type { InstallationOrder } from './order.ts'
import { type InstallationStage, type Refused, refused } from './plan.ts'
import { modifies, newestOutput, runsOf } from './records.ts'

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
  /** Whether an earlier stage is still to write what a parameter takes its value from. */
  readonly isToCome?: (parameter: string) => boolean
}

/** The run of a stage. Problems: cnab.parameter.*, cnab.credential.missing, cnab.image.unpinned, cnab.extension.*. */
export function stageRun(
  order: InstallationOrder,
  ledger: Ledger,
  stage: InstallationStage,
  place: StagePlace,
): StageRun | Refused {
  const run = runOf(order, ledger, stage, place)
  return run.kind === 'refused' ? refused(ofDependency(run.problems, stage.alias)) : run
}

function runOf(
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
  // What goes with its parent is told what it was told before.
  const isForgotten = order.anew && (action.name !== 'uninstall' || alias === undefined)
  const remembered = isForgotten ? {} : rememberedFor(ledger, stage, last?.claim)
  const resolved = resolveValues(bundle, action.name, {
    given,
    remembered,
    ...present({ isToCome: place.isToCome }),
    sourced: (parameter) => outputFor(ledger, stage, { installation, runs, parameter }),
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
    files: dependencyFiles(order, alias),
    options,
  })
  const warnings = ofDependency(resolved.warnings, alias)
  return { kind: 'run', job, claim, given: { ...remembered, ...given }, warnings }
}

/** The newest bytes of the output that a parameter takes its value from. */
function outputFor(
  { claims }: Ledger,
  { bundle }: InstallationStage,
  at: {
    readonly installation: string
    readonly runs: readonly RecordedRun[]
    readonly parameter: string
  },
): Uint8Array | undefined {
  return sourcedValue(bundle, at.parameter, ({ dependency, output }) => {
    const runs =
      dependency === undefined ? at.runs : runsOf(claims, dependencyInstallation(at.installation, dependency))
    return newestOutput(claims, runs, output)
  })
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

/** Run tools of Porter want the bundles of what their own bundle needs. */
function dependencyFiles({ bundle: { notes } }: InstallationOrder, alias: string | undefined) {
  return notes.dependencies.flatMap((one) => {
    const name = one.alias.split('/').at(-1) ?? ''
    const isOwn = one.alias === below(alias, name)
    return isOwn ? [file(`${places.dependencies}/${name}/bundle.json`, 0o644, bytesOf(one))] : []
  })
}

function below(alias: string | undefined, dependency: string): string {
  return alias === undefined ? dependency : `${alias}/${dependency}`
}

/** Everything that is wrong with any stage, before the first of them starts; what an earlier one will write is not known. */
export function faultsOfStages(
  order: InstallationOrder,
  ledger: Ledger,
  stages: readonly InstallationStage[],
): readonly Problem[] {
  return stages.flatMap((stage, i) => {
    const earlier = stages.slice(0, i).filter(({ action }) => action.name !== 'uninstall')
    const isToCome = (name: string): boolean =>
      sourcesOf(stage.bundle, name).some(
        ({ dependency }) =>
          dependency !== undefined && earlier.some(({ alias }) => alias === below(stage.alias, dependency)),
      )
    const run = stageRun(order, ledger, stage, { id: 'rehearsal', stage: i, isToCome })
    return run.kind === 'run' ? [] : run.problems
  })
}
