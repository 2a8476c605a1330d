/** What bundles on this machine share without a broker: engines, images, records of runs, sets of values. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CnabNotes } from '../../contracts/cnab/index.ts'
import type { Engine } from '../../engines/engine.ts'
import { openEngines } from '../../host/engines.ts'
import { openWorkshop, type Workshop } from '../../host/workshop.ts'
import { systemChance, systemClock } from '../../kit/clock.ts'
import { ulidSource } from '../../kit/id.ts'
import type { Json } from '../../kit/json.ts'
import { openKeyRing } from '../../store/keys.ts'
import { makeSealer } from '../../store/sealer.ts'
import { type ClaimFiles, openClaimFiles } from './claim-files.ts'
import { type Documents, openDocuments, sealedWrapping } from './documents.ts'

/** A bundle as an installation keeps it: everything that is needed to run it again when its source is gone. */
export interface InstalledBundle {
  /** As it was asked for. */
  readonly reference: string
  /** Of what the reference named. */
  readonly digest: string
  readonly notes: CnabNotes
}

/** What an installation was like when it last changed, for whoever wants to know whether it is still so. */
export interface AppliedState {
  readonly digest: string
  /** Texts of all parameters but those that the authoring tool keeps for itself. */
  readonly parameters: Readonly<Record<string, string>>
  /** A hash over the sorted credentials. */
  readonly credentials: string
}

/** What belongs to an installation and is in no record of a run. */
export interface Installation {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly created: string
  readonly bundle: InstalledBundle
  readonly parameterSets: readonly string[]
  readonly credentialSets: readonly string[]
  readonly applied?: AppliedState
}

/** A credential or parameter set as it was written. */
export interface StoredSet {
  readonly name: string
  readonly modified: string
  readonly document: Json
}

export interface CnabRoom {
  readonly workshop: Workshop
  /** They get ready while bundles are read; none where nothing is to be run. */
  readonly engines: Promise<readonly Engine[]>
  readonly folder: string
  readonly claims: ClaimFiles
  readonly installations: Documents<Installation>
  readonly credentialSets: Documents<StoredSet>
  readonly parameterSets: Documents<StoredSet>
  readonly secrets: Documents<string>
  /** Archives that were read before, by digest and options. */
  readonly bundles: Documents<InstalledBundle>
  /** ULIDs as records write them, each greater than the one before. */
  newId(): string
  close(): Promise<void>
}

/** Opens the room of a data folder. */
export async function openCnabRoom(
  dataDir: string,
  engine: 'auto' | 'embedded' | 'docker' | 'none',
): Promise<CnabRoom> {
  const workshop = await openWorkshop(dataDir, 'none')
  const { artifacts } = workshop
  const places = { folder: resolve(dataDir), clock: systemClock, artifacts }
  const engines = engine === 'none' ? Promise.resolve([]) : openEngines({ ...places, choice: engine })
  // Whoever runs something is told.
  engines.catch(() => undefined)
  const home = join(resolve(dataDir), 'local')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const ring = openKeyRing(join(home, 'keys.json'), systemChance)
  if (ring.ids().length === 0) ring.make()
  const folder = join(home, 'cnab')
  const wrapping = sealedWrapping(makeSealer(ring, systemChance, 'local'))
  const grow = ulidSource(systemChance)
  return {
    workshop,
    engines,
    folder,
    claims: openClaimFiles(folder, wrapping),
    installations: openDocuments(folder, 'installations', wrapping),
    credentialSets: openDocuments(folder, 'credentials', wrapping),
    parameterSets: openDocuments(folder, 'parameters', wrapping),
    secrets: openDocuments(folder, 'secrets', wrapping),
    bundles: openDocuments(folder, 'bundles', wrapping),
    newId: () => grow(systemClock.now()).toUpperCase(),
    close: async () => {
      for (const one of await engines.catch(() => [])) await one.close()
      await workshop.close()
    },
  }
}
