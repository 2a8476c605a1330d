/** Records moved between the store of this machine and stores of other tools, in the folders that all of them know. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ClaimFiles,
  dependencyInstallation,
  faultsOfRuns,
  type Ledger,
  logsOutput,
  noteIn,
  openLedger,
  type Result,
  readResult,
  recordedDependencies,
  runsOf,
} from '../../contracts/cnab/index.ts'
import { digestOf } from '../../kit/hash.ts'
import { fail, type Problem } from '../../model/problem.ts'
import type { LocalBroker } from '../local-broker.ts'
import { findInstance, keyOf } from '../order.ts'
import { asTheyAre, openClaimFiles } from './claim-files.ts'
import type { CnabContext } from './context.ts'
import { adoptInstallation, allInstallations, changeLedger } from './installations.ts'
import { logOfStage } from './run-log.ts'
import { copyClaims } from './take-over.ts'

export interface Exchanged {
  readonly installation: string
  readonly runs: number
}

export interface Imported {
  readonly moved: readonly Exchanged[]
  /** Records that no tool should have written; they are taken over as they are. */
  readonly warnings: readonly Problem[]
}

/** Takes over the records of a store; what is here already stays as it is. Problems: file.unreadable, cnab.claim.invalid, instance.busy. */
export async function importClaims({ house }: CnabContext, folder: string): Promise<Imported> {
  if (!existsSync(join(folder, 'claims'))) fail('file.unreadable', `${folder} has no folder of claims`)
  const from = openClaimFiles(folder, asTheyAre)
  // Everything is read before anything is written.
  const warnings = from.installations().flatMap((name) => faultsOfRuns(from, name))
  const moved: Exchanged[] = []
  const owners = ownersIn(from)
  for (const installation of from.installations()) {
    const isKnown = async (name: string) => (await findInstance(house, keyOf(name))) !== undefined
    const owner = (await isKnown(installation)) ? installation : (owners.get(installation) ?? installation)
    if (!(await isKnown(owner))) await adoptInstallation(house, owner)
    let runs = 0
    await changeLedger(house, owner, ({ claims }) => {
      runs = copyClaims(from, claims, installation)
    })
    moved.push({ installation, runs })
  }
  return { moved, warnings }
}

/** What an installation depends on is kept with it: by name, the installation that is above all others. */
function ownersIn(from: ClaimFiles): ReadonlyMap<string, string> {
  const below = new Map(
    from
      .installations()
      .flatMap((name) =>
        recordedDependencies(from, name).map((alias) => [dependencyInstallation(name, alias), name] as const),
      ),
  )
  const topOf = (name: string): string => {
    const above = below.get(name)
    return above === undefined ? name : topOf(above)
  }
  return new Map([...below.keys()].map((name) => [name, topOf(name)]))
}

/** Writes records for other tools; values that are secret stand in them in clear. Problems: cnab.installation.unknown. */
export async function exportClaims(
  { house }: CnabContext,
  folder: string,
  names: readonly string[],
): Promise<readonly Exchanged[]> {
  const ledgers = (await allInstallations(house)).map(({ ledger }) => ledger)
  const known = new Map(ledgers.flatMap((one) => one.claims.installations().map((name) => [name, one])))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) fail('cnab.installation.unknown', unknown)
  const to = openClaimFiles(folder, asTheyAre)
  const done: Exchanged[] = []
  for (const name of names.length === 0 ? [...known.keys()].sort() : names) {
    const ledger = known.get(name)
    if (ledger === undefined) continue
    const { claims } = await withLogs(house, ledger, name)
    done.push({ installation: name, runs: copyClaims(claims, to, name) })
  }
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(schema), { mode: 0o600 })
  return done
}

/** What tools look at to know how old a store is. */
const schema = {
  claims: 'cnab-claim-1.0.0-DRAFT+b5ed2f3',
  credentials: 'cnab-credentialsets-1.0.0-DRAFT+b6c701f',
}

/** Our logs are kept with their operations; other tools look for them among the outputs. */
async function withLogs(house: LocalBroker, ledger: Ledger, name: string): Promise<Ledger> {
  const copy = openLedger(ledger.carryover())
  for (const { claim, results } of runsOf(ledger.claims, name)) {
    for (const result of results) {
      const note = noteIn(result)
      if (note === undefined) continue
      const log = await logOfStage(house, note)
      copy.claims.writeOutput(result.id, logsOutput, log)
      const bytes = ledger.claims.result(claim.id, result.id)
      copy.claims.writeResult(claim.id, result.id, namingLog(bytes, log))
    }
  }
  return copy
}

function namingLog(bytes: Uint8Array, log: Uint8Array): Uint8Array {
  const reading = readResult(bytes)
  if (reading.kind === 'refused') return bytes
  const document = JSON.parse(Buffer.from(bytes).toString()) as { readonly outputs?: Result['outputs'] }
  const outputs = {
    ...document.outputs,
    [logsOutput]: { contentDigest: digestOf(log), generatedByBundle: 'false' },
  }
  return Buffer.from(JSON.stringify({ ...document, outputs }, null, 2))
}
