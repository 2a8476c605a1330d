/** What bundles on this machine share without a server: the house of their data folder, and sets of values. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { InstalledBundle } from '../../contracts/cnab/index.ts'
import { systemChance } from '../../kit/clock.ts'
import type { Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Settings } from '../../settings/settings.ts'
import { openKeyRing } from '../../store/keys.ts'
import { makeSealer } from '../../store/sealer.ts'
import { type LocalBroker, openLocalBroker } from '../local-broker.ts'
import { type Documents, openDocuments, sealedWrapping } from './documents.ts'
import { takeOverInstallations } from './take-over.ts'

/** A credential or parameter set as it was written. */
export interface StoredSet {
  readonly name: string
  readonly modified: string
  readonly document: Json
}

export interface CnabContext {
  readonly house: LocalBroker
  /** The program of the driver that runs everything. */
  readonly program?: string
  readonly credentialSets: Documents<StoredSet>
  readonly parameterSets: Documents<StoredSet>
  readonly secrets: Documents<string>
  /** Archives that were read before, by digest and options. */
  readonly bundles: Documents<InstalledBundle>
  close(): Promise<void>
}

export interface CnabContextOptions {
  readonly dataDir: string
  /** Absent: nothing is to be run. */
  readonly engine?: Settings['engine']
  /** The program of a driver that runs everything instead. */
  readonly program?: string
}

/** Opens the room of a data folder; records that earlier versions kept in files are taken into its store. */
export async function openCnabContext({
  dataDir,
  engine,
  program,
}: CnabContextOptions): Promise<CnabContext> {
  const house = await openLocalBroker({
    dataDir,
    ...present({ engine, driver: program }),
  })
  const home = join(house.dataDir, 'local')
  const folder = join(home, 'cnab')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // The store has made the ring where there was none.
  const ring = openKeyRing(join(home, 'keys.json'), systemChance)
  const wrapping = sealedWrapping(makeSealer(ring, systemChance, 'local'))
  await takeOverInstallations(house, folder, wrapping)
  return {
    house,
    ...present({ program }),
    credentialSets: openDocuments(folder, 'credentials', wrapping),
    parameterSets: openDocuments(folder, 'parameters', wrapping),
    secrets: openDocuments(folder, 'secrets', wrapping),
    bundles: openDocuments(folder, 'bundles', wrapping),
    close: () => house.close(),
  }
}
