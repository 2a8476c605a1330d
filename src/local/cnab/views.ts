/** Installations and their runs as people look at them. */

import { orders } from '../../broker/orders.ts'
import {
  bundleIn,
  currentOutputs,
  definitionOf,
  isInternal,
  isOver,
  isSensitive,
  logsOutput,
  modifies,
  noteIn,
  orderIn,
  type RecordedRun,
  type ResultStatus,
  readBundle,
  runsOf,
  stageInstallation,
  stageRun,
  stagesOf,
  startOf,
  stateOf,
  statusOfResults,
  typesOf,
} from '../../contracts/cnab/index.ts'
import type { Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import type { CnabContext } from './context.ts'
import { allInstallations, type Found, findInstallation } from './installations.ts'
import { endOf, type InstallationRan } from './orders.ts'
import { logOfStage } from './run-log.ts'

export interface RunView {
  readonly id: string
  readonly action: string
  readonly version: string
  readonly revision: string
  readonly started: string
  readonly stopped?: string
  readonly status: ResultStatus
  readonly message?: string
}

export interface InstallationView {
  readonly name: string
  readonly state: 'defined' | 'installed' | 'uninstalled'
  readonly status: ResultStatus
  readonly action: string
  readonly bundle: string
  readonly version: string
  readonly reference: string
  readonly digest: string
  readonly labels: Readonly<Record<string, string>>
  readonly parameterSets: readonly string[]
  readonly credentialSets: readonly string[]
  readonly created: string
  readonly modified: string
  readonly installed?: string
  readonly uninstalled?: string
  readonly parameters: readonly ParameterView[]
}

export interface ParameterView {
  readonly name: string
  readonly type: string
  readonly sensitive: boolean
  readonly value: Json
}

/** All names that are known, sorted: those of dependencies, too. */
export async function installationNames({ house }: CnabContext): Promise<readonly string[]> {
  const all = await allInstallations(house)
  const names = all.flatMap(({ instance, ledger }) => [instance.instance, ...ledger.claims.installations()])
  return [...new Set(names)].sort()
}

/** An installation as its records have it, and the run that is under way. Problems: cnab.installation.unknown. */
interface Known {
  readonly found: Found
  readonly runs: readonly ShownRun[]
  readonly active: ShownRun | undefined
}

/** A run, and where its log is kept when it was ours. */
interface ShownRun extends RecordedRun {
  readonly log?: { readonly operation: string; readonly stage: number }
}

async function known({ house }: CnabContext, name: string): Promise<Known> {
  const found = (await findInstallation(house, name)) ?? fail('cnab.installation.unknown', name)
  const recorded = runsOf(found.ledger.claims, name).map((run): ShownRun => {
    const log = run.results.flatMap((result) => noteIn(result) ?? []).at(-1)
    return { ...run, ...present({ log }) }
  })
  const active = await runUnderWay(house, found, name)
  return { found, active, runs: active === undefined ? recorded : [...recorded, active] }
}

/** What an operation runs on the installation now: nothing is recorded of it before it ends. */
async function runUnderWay(
  { store }: CnabContext['house'],
  { instance, ledger }: Found,
  name: string,
): Promise<ShownRun | undefined> {
  const id = instance.currentOperation
  const [operation, kept] =
    id === undefined ? [] : await Promise.all([store.look.operation(id), orders.operation(store.look, id)])
  if (id === undefined || operation === undefined || kept === undefined) return undefined
  const order = orderIn(kept.parameters)
  const planned = stagesOf(order, ledger, id)
  const stage = planned.kind === 'stages' ? planned.stages[operation.stage] : undefined
  if (stage === undefined || stageInstallation(order, stage.alias) !== name) return undefined
  const run = stageRun(order, ledger, stage, { id, stage: operation.stage })
  if (run.kind === 'refused') return undefined
  const { claim } = run
  const status = operation.state === 'queued' ? 'pending' : 'running'
  const result = { id: claim.id, claimId: claim.id, created: claim.created, status, outputs: {} } as const
  return { claim, results: [result], log: { operation: id, stage: operation.stage } }
}

/** Problems: cnab.installation.unknown. */
export async function viewInstallation(room: CnabContext, name: string): Promise<InstallationView> {
  const { found, runs, active } = await known(room, name)
  const kept = found.alias === undefined ? found.ledger.installation() : undefined
  const { state, installed, uninstalled, last } = stateOf(runs, modifies)
  const shown = active ?? last ?? runs.at(-1)
  const bundle = shown?.claim.bundle
  return {
    name,
    state,
    status: shown === undefined ? 'pending' : statusOfResults(shown.results),
    action: shown?.claim.action ?? '',
    bundle: String(bundle?.['name'] ?? (kept && bundleIn(kept.bundle.notes)?.name) ?? ''),
    version: String(bundle?.['version'] ?? (kept && bundleIn(kept.bundle.notes)?.version) ?? ''),
    reference: kept?.bundle.reference ?? shown?.claim.bundleReference ?? '',
    digest: kept?.bundle.digest ?? '',
    labels: kept?.labels ?? {},
    parameterSets: kept?.parameterSets ?? [],
    credentialSets: kept?.credentialSets ?? [],
    created: kept?.created ?? runs[0]?.claim.created ?? '',
    modified: shown?.claim.created ?? kept?.created ?? '',
    ...present({ installed, uninstalled }),
    parameters: shown === undefined ? [] : parametersOf(shown),
  }
}

function parametersOf({ claim }: RecordedRun): readonly ParameterView[] {
  const read = readBundle(Buffer.from(JSON.stringify(claim.bundle)))
  const bundle = read.kind === 'bundle' ? read.bundle : undefined
  return Object.entries(claim.parameters).flatMap(([name, value]): readonly ParameterView[] => {
    const declared = bundle?.parameters[name]
    if (bundle === undefined || declared === undefined)
      return [{ name, type: 'unknown', sensitive: false, value }]
    const definition = definitionOf(bundle, declared)
    if (isInternal(definition)) return []
    const sensitive = isSensitive(definition)
    return [{ name, type: typesOf(definition).join(', ') || 'any', sensitive, value }]
  })
}

/** Newest first. Problems: cnab.installation.unknown. */
export async function viewRuns(room: CnabContext, name: string): Promise<readonly RunView[]> {
  const { runs } = await known(room, name)
  return runs
    .map(({ claim, results }): RunView => {
      const last = results.at(-1)
      const stopped = last !== undefined && isOver(last.status) ? last.created : undefined
      return {
        id: claim.id,
        action: claim.action,
        version: String(claim.bundle['version'] ?? ''),
        revision: claim.revision,
        started: startOf({ claim, results }),
        status: statusOfResults(results),
        ...present({ stopped, message: last?.message }),
      }
    })
    .toReversed()
}

/** The log of the newest run, or of one. Problems: cnab.installation.unknown, cnab.run.unknown. */
export async function logOf(room: CnabContext, name: string, id?: string): Promise<Uint8Array> {
  const { found, runs } = await known(room, name)
  const run = id === undefined ? runs.at(-1) : runs.find(({ claim }) => claim.id === id)
  if (run === undefined)
    return fail('cnab.run.unknown', id === undefined ? `${name} has no run` : `${name} has no run ${id}`)
  if (run.log) return logOfStage(room.house, run.log)
  const logs = run.results.toReversed().map((result) => found.ledger.claims.output(result.id, logsOutput))
  return logs.find((log) => log !== undefined) ?? new Uint8Array()
}

export interface OutputView {
  readonly name: string
  readonly type: string
  readonly sensitive: boolean
  readonly bytes: Uint8Array
}

/** The newest of each output. Problems: cnab.installation.unknown. */
export async function viewOutputs(room: CnabContext, name: string): Promise<readonly OutputView[]> {
  const { found, runs } = await known(room, name)
  const { claims } = found.ledger
  return [...currentOutputs(runs)].flatMap(([output, result]): readonly OutputView[] => {
    const bytes = claims.output(result.id, output)
    if (bytes === undefined || output === logsOutput) return []
    const claim = runs.find((run) => run.claim.id === result.claimId)?.claim
    const read = claim && readBundle(Buffer.from(JSON.stringify(claim.bundle)))
    const bundle = read?.kind === 'bundle' ? read.bundle : undefined
    const declared = bundle?.outputs[output]
    if (bundle === undefined || declared === undefined)
      return [{ name: output, type: 'unknown', sensitive: false, bytes }]
    const definition = definitionOf(bundle, declared)
    if (isInternal(definition)) return []
    const sensitive = isSensitive(definition)
    return [{ name: output, type: typesOf(definition).join(', ') || 'any', sensitive, bytes }]
  })
}

export interface RanView {
  readonly run?: string
  readonly revision?: string
  readonly status: string
  readonly message: string
  readonly outputs: readonly {
    readonly name: string
    readonly contentDigest: string
    readonly generatedByBundle: boolean
    readonly sensitive: boolean
  }[]
}

/** What a command tells of the run that it has carried out. */
export function viewRan(ran: InstallationRan): RanView {
  const { run } = ran
  const read = run && readBundle(Buffer.from(JSON.stringify(run.claim.bundle)))
  const bundle = read?.kind === 'bundle' ? read.bundle : undefined
  const outputs = Object.entries(run?.results.at(-1)?.outputs ?? {}).flatMap(([name, facts]) => {
    const declared = bundle?.outputs[name]
    const definition = bundle && declared ? definitionOf(bundle, declared) : undefined
    if (definition === undefined || isInternal(definition)) return []
    const { contentDigest, generatedByBundle } = facts
    return [
      {
        name,
        contentDigest: String(contentDigest),
        generatedByBundle: generatedByBundle === 'true',
        sensitive: isSensitive(definition),
      },
    ]
  })
  return { ...present({ run: run?.claim.id, revision: run?.claim.revision }), ...endOf(ran), outputs }
}
