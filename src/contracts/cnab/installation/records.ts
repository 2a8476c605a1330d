/** The records of installations as one reads and writes them: runs with their results. */
import { isObject } from '../../../kit/json.ts'
import { failAll, type Problem } from '../../../model/problem.ts'
import {
  type Claim,
  claimDocument,
  faultsOfClaim,
  type Reading,
  type Result,
  readClaim,
  readResult,
  resultDocument,
} from '../claims.ts'
import { dependencyInstallation, requirementsOf } from '../dependencies.ts'
import { readBundle } from '../format.ts'
import { currentOutputs, type RecordedRun, statusOfResults } from '../history.ts'
import type { ClaimFiles } from './ledger.ts'

/** All runs of an installation, oldest first. Problems: cnab.claim.invalid. */
export function runsOf(files: ClaimFiles, installation: string): readonly RecordedRun[] {
  return files.claims(installation).map((id) => {
    const claim = recordIn(readClaim(files.claim(installation, id)), `claims/${installation}/${id}`)
    const results = files
      .results(id)
      .map((result) => recordIn(readResult(files.result(id, result)), `results/${id}/${result}`))
    return { claim, results }
  })
}

/** What was read of the record of that name. */
function recordIn<T>(reading: Reading<T>, source: string): T {
  if (reading.kind === 'refused')
    return failAll(reading.problems.map((problem) => named(problem, source)) as [Problem, ...Problem[]])
  return reading.value
}

function named(problem: Problem, source: string): Problem {
  return { ...problem, where: { ...problem.where, source } }
}

/** What is wrong with the claims of an installation beyond their form. */
export function faultsOfRuns(files: ClaimFiles, installation: string): readonly Problem[] {
  return runsOf(files, installation).flatMap(({ claim }) =>
    faultsOfClaim(claim).map((problem) => named(problem, `claims/${installation}/${claim.id}`)),
  )
}

/** Whether the action of a claim could change something. */
export function modifies({ action, bundle }: Claim): boolean {
  if (['install', 'upgrade', 'uninstall'].includes(action)) return true
  const declared = isObject(bundle['actions']) ? bundle['actions'][action] : undefined
  return isObject(declared) && declared['modifies'] === true
}

/** Whether something of an installation may be there: runs that never started and those that took it down have left nothing. */
export function mayBeThere(runs: readonly RecordedRun[]): boolean {
  const last = runs.findLast(
    ({ claim, results }) => modifies(claim) && !results.some((result) => noteIn(result)?.unstarted),
  )
  if (last === undefined) return false
  return last.claim.action !== 'uninstall' || statusOfResults(last.results) !== 'succeeded'
}

/** What an installation depends on and has records of, as the bundles of those records name it: aliases. */
export function recordedDependencies(files: ClaimFiles, installation: string): readonly string[] {
  const last = runsOf(files, installation).at(-1)?.claim
  const reading = last && readBundle(bytesOf(last.bundle))
  if (reading?.kind !== 'bundle') return []
  return requirementsOf(reading.bundle).list.flatMap(({ alias }) => {
    const own = dependencyInstallation(installation, alias)
    if (files.claims(own).length === 0) return []
    return [alias, ...recordedDependencies(files, own).map((deeper) => `${alias}/${deeper}`)]
  })
}

/** The newest bytes of an output, whichever run wrote it. */
export function newestOutput(
  files: ClaimFiles,
  runs: readonly RecordedRun[],
  name: string,
): Uint8Array | undefined {
  const result = currentOutputs(runs).get(name)
  return result && files.output(result.id, name)
}

export function writeClaim(files: ClaimFiles, claim: Claim): void {
  files.writeClaim(claim.installation, claim.id, bytesOf(claimDocument(claim)))
}

export function writeResult(files: ClaimFiles, result: Result): void {
  files.writeResult(result.claimId, result.id, bytesOf(resultDocument(result)))
}

function bytesOf(document: object): Uint8Array {
  return Buffer.from(JSON.stringify(document, null, 2))
}

const ownKey = 'io.chandler'

/** For the record: the operation that a run was part of, and what people should hear though nothing was wrong. */
export interface RunNote {
  readonly operation: string
  readonly stage: number
  readonly warnings: readonly string[]
  /** Nothing of it has run. */
  readonly unstarted?: true
}

export function customOf(note: RunNote): NonNullable<Result['custom']> {
  return { [ownKey]: { ...note, warnings: [...note.warnings] } }
}

/** What we noted of a run; nothing for those of other tools. */
export function noteIn({ custom }: Pick<Result, 'custom'>): RunNote | undefined {
  const own = isObject(custom) ? custom[ownKey] : undefined
  if (!isObject(own) || typeof own['operation'] !== 'string') return undefined
  const { operation, stage, warnings, unstarted } = own
  return {
    operation,
    stage: Number(stage),
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
    ...(unstarted === true ? { unstarted } : {}),
  }
}
