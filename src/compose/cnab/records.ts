/** The records of installations as one reads and writes them: runs with their results, outputs as bytes. */
import {
  type Claim,
  claimDocument,
  currentOutputs,
  isOver,
  type RecordedRun,
  type Reading as RecordReading,
  type Result,
  readClaim,
  readResult,
  resultDocument,
  statusOfResults,
} from '../../contracts/cnab/index.ts'
import { isObject } from '../../kit/json.ts'
import { failAll } from '../../model/problem.ts'
import type { ClaimFiles } from './claim-files.ts'
import type { CnabRoom } from './room.ts'

/** All runs of an installation, oldest first. Problems: cnab.claim.invalid. */
export function runsOf(files: ClaimFiles, installation: string): readonly RecordedRun[] {
  return files.claims(installation).map((id) => {
    const claim = recordIn(readClaim(files.claim(installation, id)))
    const results = files.results(id).map((result) => recordIn(readResult(files.result(id, result))))
    return { claim, results }
  })
}

function recordIn<T>(reading: RecordReading<T>): T {
  if (reading.kind === 'refused') failAll(reading.problems)
  return reading.value
}

/** Whether the action of a claim could change something. */
export function modifies({ action, bundle }: Claim): boolean {
  if (['install', 'upgrade', 'uninstall'].includes(action)) return true
  const declared = isObject(bundle['actions']) ? bundle['actions'][action] : undefined
  return isObject(declared) && declared['modifies'] === true
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

/** Writes the record of a run that is about to start: first the claim, then that it runs. */
export function beginRecord(room: CnabRoom, claim: Claim, custom: Result['custom']): void {
  const { claims } = room
  claims.writeClaim(claim.installation, claim.id, bytesOf(claimDocument(claim)))
  writeResult(room, {
    id: room.newId(),
    claimId: claim.id,
    created: claim.created,
    status: 'running',
    outputs: {},
    ...(custom === undefined ? {} : { custom }),
  })
}

export function writeResult({ claims }: CnabRoom, result: Result): void {
  claims.writeResult(result.claimId, result.id, bytesOf(resultDocument(result)))
}

/** Says of runs that nobody carries on any more that their end is unknown; the caller has the lock. */
export async function closeAbandoned(room: CnabRoom, installation: string): Promise<void> {
  for (const { claim, results } of runsOf(room.claims, installation)) {
    const last = results.at(-1)
    if (last === undefined || isOver(statusOfResults(results))) continue
    await discardRun(room, runNameIn(last))
    writeResult(room, {
      id: room.newId(),
      claimId: claim.id,
      created: new Date().toISOString(),
      status: 'unknown',
      message: 'the program that ran it ended before it did',
      outputs: {},
    })
  }
}

const ownKey = 'io.chandler'

/** For the record: the name under which engines know the run. */
export function runCustom(run: string): NonNullable<Result['custom']> {
  return { [ownKey]: { run } }
}

function runNameIn({ custom }: Result): string | undefined {
  const own = custom !== null && typeof custom === 'object' && ownKey in custom ? custom[ownKey] : undefined
  const name = own !== null && typeof own === 'object' && 'run' in own ? own['run'] : undefined
  return typeof name === 'string' ? name : undefined
}

/** What went on without us must not go on beside the next run. */
async function discardRun({ engines }: CnabRoom, run: string | undefined): Promise<void> {
  if (run === undefined) return
  for (const engine of await engines) await engine.discard(run)
}

function bytesOf(document: object): Uint8Array {
  return Buffer.from(JSON.stringify(document, null, 2))
}
