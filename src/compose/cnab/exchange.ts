/** Records moved between this machine's sealed store and stores of other tools, in the folders that all of them know. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../../model/problem.ts'
import { asTheyAre, type ClaimFiles, openClaimFiles } from './claim-files.ts'
import { runsOf } from './records.ts'
import type { CnabRoom } from './room.ts'

export interface Exchanged {
  readonly installation: string
  readonly runs: number
}

/** Takes over the records of a store; what is here already stays as it is. Problems: file.unreadable, cnab.claim.invalid. */
export function importClaims(room: CnabRoom, folder: string): readonly Exchanged[] {
  if (!existsSync(join(folder, 'claims'))) fail('file.unreadable', `${folder} has no folder of claims`)
  const from = openClaimFiles(folder, asTheyAre)
  return from.installations().map((name) => {
    // Everything is read before anything is written.
    runsOf(from, name)
    return copy(from, room.claims, name)
  })
}

/** Writes records for other tools; values that are secret stand in them in clear. Problems: cnab.installation.unknown. */
export function exportClaims(room: CnabRoom, folder: string, names: readonly string[]): readonly Exchanged[] {
  const known = room.claims.installations()
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) fail('cnab.installation.unknown', unknown)
  const to = openClaimFiles(folder, asTheyAre)
  const done = (names.length === 0 ? known : names).map((name) => copy(room.claims, to, name))
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(schema), { mode: 0o600 })
  return done
}

/** What tools look at to know how old a store is. */
const schema = {
  claims: 'cnab-claim-1.0.0-DRAFT+b5ed2f3',
  credentials: 'cnab-credentialsets-1.0.0-DRAFT+b6c701f',
}

function copy(from: ClaimFiles, to: ClaimFiles, installation: string): Exchanged {
  const there = to.claims(installation)
  const claims = from.claims(installation).filter((id) => !there.includes(id))
  for (const claim of claims) {
    for (const result of from.results(claim)) {
      for (const name of from.outputs(result)) {
        const bytes = from.output(result, name)
        if (bytes) to.writeOutput(result, name, bytes)
      }
      to.writeResult(claim, result, from.result(claim, result))
    }
    to.writeClaim(installation, claim, from.claim(installation, claim))
  }
  return { installation, runs: claims.length }
}
