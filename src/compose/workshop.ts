/** Images and engines without a broker: for authors who try their packages, and for one-off actions. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ArtifactStore, openArtifactStore } from '../artifacts/index.ts'
import type { LogPiece } from '../engines/engine.ts'
import { systemChance, systemClock } from '../kit/clock.ts'
import type { JsonObject } from '../kit/json.ts'
import type { Settings } from '../settings/settings.ts'
import { openKeyRing } from '../store/keys.ts'
import { makeSealer, type Sealer } from '../store/sealer.ts'
import { openEngines } from './engines.ts'
import { type ReadingRoom, type ReadPackage, readPackage } from './read-package.ts'
import { usualRegistries } from './registries.ts'

export interface Workshop {
  readonly room: ReadingRoom
  readonly artifacts: ArtifactStore
  /** Where instances that live on this machine are kept. */
  readonly folder: string
  readonly sealer: Sealer
  close(): Promise<void>
}

/** Who listens while a package runs. */
export interface Listener {
  readonly signal: AbortSignal
  log(piece: LogPiece): Promise<void>
  progress(text: string): void
}

/** Opens a workshop in a folder; it is made when it is not there. Without engines it is for looking, not for running. */
export async function openWorkshop(
  place: string,
  choice: Settings['engine'] | 'none' = 'auto',
): Promise<Workshop> {
  // Shims run in folders of their own, where a relative path leads nowhere.
  const dataDir = resolve(place)
  const folder = join(dataDir, 'local')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const artifacts = openArtifactStore({
    folder: join(dataDir, 'images'),
    registries: usualRegistries(process.env),
  })
  const places = { folder: dataDir, clock: systemClock, artifacts }
  const engines = choice === 'none' ? [] : await openEngines({ ...places, choice })
  const ring = openKeyRing(join(folder, 'keys.json'), systemChance)
  if (ring.ids().length === 0) ring.make()
  return {
    room: { artifacts, engines },
    artifacts,
    folder,
    sealer: makeSealer(ring, systemChance, 'local'),
    async close() {
      for (const engine of engines) await engine.close()
      await artifacts.close()
    },
  }
}

/** Reads a package, running it if it must describe itself. */
export function inspect(
  { room }: Workshop,
  wish: { readonly reference: string; readonly contract?: string; readonly options?: JsonObject },
  listener: Listener,
): Promise<ReadPackage> {
  return readPackage(room, { options: {}, ...wish, ...listener })
}
