/** Installations and their runs as people look at them. */
import { join } from 'node:path'
import {
  bundleIn,
  currentOutputs,
  definitionOf,
  isInternal,
  isOver,
  isSensitive,
  logsOutput,
  type RecordedRun,
  type ResultStatus,
  readBundle,
  startOf,
  stateOf,
  statusOfResults,
  typesOf,
} from '../../contracts/cnab/index.ts'
import type { Json } from '../../kit/json.ts'
import { fail } from '../../model/problem.ts'
import { isLocked } from './installation-lock.ts'
import { modifies, runsOf } from './records.ts'
import type { CnabRoom } from './room.ts'

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

/** All names that are known, sorted. */
export function installationNames(room: CnabRoom): readonly string[] {
  return [...new Set([...room.claims.installations(), ...room.installations.names()])].sort()
}

/** Problems: cnab.installation.unknown. */
export async function viewInstallation(room: CnabRoom, name: string): Promise<InstallationView> {
  const runs = runsOf(room.claims, name)
  const kept = room.installations.find(name)
  if (runs.length === 0 && kept === undefined) return fail('cnab.installation.unknown', name)
  const { state, installed, uninstalled, last } = stateOf(runs, modifies)
  const shown = last ?? runs.at(-1)
  const bundle = shown?.claim.bundle
  return {
    name,
    state,
    status: shown === undefined ? 'pending' : await statusOf(room, name, shown),
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
    ...(installed === undefined ? {} : { installed }),
    ...(uninstalled === undefined ? {} : { uninstalled }),
    parameters: shown === undefined ? [] : parametersOf(shown),
  }
}

/** What the records say runs does so only while somebody holds the lock. */
async function statusOf(room: CnabRoom, name: string, { results }: RecordedRun): Promise<ResultStatus> {
  const status = statusOfResults(results)
  if (isOver(status)) return status
  return (await isLocked(lockFile(room, name))) ? status : 'unknown'
}

/** The file whose lock an installation has. */
export function lockFile({ folder }: CnabRoom, installation: string): string {
  return join(folder, 'locks', encodeURIComponent(installation))
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
export async function viewRuns(room: CnabRoom, name: string): Promise<readonly RunView[]> {
  const runs = runsOf(room.claims, name)
  if (runs.length === 0 && room.installations.find(name) === undefined)
    fail('cnab.installation.unknown', name)
  const views = runs.map(async ({ claim, results }): Promise<RunView> => {
    const last = results.at(-1)
    const status = await statusOf(room, name, { claim, results })
    return {
      id: claim.id,
      action: claim.action,
      version: String(claim.bundle['version'] ?? ''),
      revision: claim.revision,
      started: startOf({ claim, results }),
      ...(last !== undefined && isOver(last.status) ? { stopped: last.created } : {}),
      status,
      ...(last?.message === undefined ? {} : { message: last.message }),
    }
  })
  return (await Promise.all(views)).toReversed()
}

/** The log of the newest run, or of one. Problems: cnab.installation.unknown, cnab.run.unknown. */
export function logOf(room: CnabRoom, name: string, run?: string): Uint8Array {
  const runs = runsOf(room.claims, name)
  if (runs.length === 0) fail('cnab.installation.unknown', name)
  const found = run === undefined ? runs.at(-1) : runs.find(({ claim }) => claim.id === run)
  if (found === undefined) return fail('cnab.run.unknown', run)
  for (const { id } of found.results.toReversed()) {
    const log = room.claims.output(id, logsOutput)
    if (log) return log
  }
  return new Uint8Array()
}

export interface OutputView {
  readonly name: string
  readonly type: string
  readonly sensitive: boolean
  readonly bytes: Uint8Array
}

/** The newest of each output. Problems: cnab.installation.unknown. */
export function viewOutputs(room: CnabRoom, name: string): readonly OutputView[] {
  const runs = runsOf(room.claims, name)
  if (runs.length === 0) return fail('cnab.installation.unknown', name)
  return [...currentOutputs(runs)].flatMap(([output, result]): readonly OutputView[] => {
    const bytes = room.claims.output(result.id, output)
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
