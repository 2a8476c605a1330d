/** The artifact store of the settings: in the data folder, over the registries as the operator knows them. */
import { join } from 'node:path'
import { type ArtifactStore, openArtifactStore, type RegistrySettings } from '../artifacts/index.ts'
import { present } from '../kit/present.ts'
import type { Settings } from '../settings/settings.ts'
import { registriesOf } from './registries.ts'

interface Ports {
  /** Logins of sources, which are known later than the store is opened. */
  readonly loginFor?: RegistrySettings['loginFor']
  readonly arrived?: (bytes: number) => void
  readonly traced?: RegistrySettings['traced'] | undefined
}

/** The registries of the settings, with what the surroundings of this process say. Problems: file.unreadable. */
export function knownRegistries(settings: Settings): RegistrySettings {
  return registriesOf(settings, process.env)
}

/** Opens it. Problems: file.unreadable. */
export function openArtifacts(settings: Settings, { loginFor, arrived, traced }: Ports = {}): ArtifactStore {
  const registries = knownRegistries(settings)
  return openArtifactStore({
    folder: join(settings.dataDir, 'images'),
    registries: { ...registries, ...present({ loginFor, traced }) },
    ...present({ arrived }),
  })
}
