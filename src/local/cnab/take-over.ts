/** Installations whose records earlier versions kept in sealed files: taken into the store once. */
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type ClaimFiles, type Installation, openLedger } from '../../contracts/cnab/index.ts'
import type { LocalBroker } from '../local-broker.ts'
import { findInstance, keyOf } from '../order.ts'
import { openClaimFiles, type Wrapping } from './claim-files.ts'
import { openDocuments } from './documents.ts'
import { adoptInstallation } from './installations.ts'

const folders = ['claims', 'results', 'outputs', 'installations']

/** The files stay, under a name that is not read any more. */
export async function takeOverInstallations(
  house: LocalBroker,
  folder: string,
  wrapping: Wrapping,
): Promise<void> {
  if (!existsSync(join(folder, 'claims')) && !existsSync(join(folder, 'installations'))) return
  const claims = openClaimFiles(folder, wrapping)
  const documents = openDocuments<Installation>(folder, 'installations', wrapping)
  const roots = documents.names()
  for (const name of new Set([
    ...roots,
    ...claims.installations().filter((one) => !isDependency(one, roots)),
  ])) {
    if ((await findInstance(house, keyOf(name))) !== undefined) continue
    const ledger = openLedger({})
    const document = documents.find(name)
    if (document) ledger.keep(withoutApplied(document))
    const own = document?.bundle.notes.dependencies.map(({ alias }) => `${name}-${alias}`) ?? []
    for (const one of [name, ...own]) copyClaims(claims, ledger.claims, one)
    await adoptInstallation(house, name, ledger.carryover())
  }
  for (const one of folders) {
    if (existsSync(join(folder, one))) renameSync(join(folder, one), join(folder, `${one}.taken-over`))
  }
}

/** What a dependency did is kept with its parent. */
function isDependency(name: string, roots: readonly string[]): boolean {
  return roots.some((root) => name.startsWith(`${root}-`)) && !roots.includes(name)
}

/** It was compared in another form; the next apply says so and brings it up to date. */
function withoutApplied({ applied: _, ...document }: Installation): Installation {
  return document
}

/** Copies the records of an installation; those that are there already stay. Answers how many runs were copied. */
export function copyClaims(from: ClaimFiles, to: ClaimFiles, installation: string): number {
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
  return claims.length
}
