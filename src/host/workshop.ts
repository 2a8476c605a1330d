/** Images and engines without a broker: for authors who try their packages, and for one-off actions. */
import { join, resolve } from 'node:path'
import { type ArtifactStore, openArtifactStore } from '../artifacts/index.ts'
import type { LogPiece } from '../engines/engine.ts'
import { systemClock } from '../kit/clock.ts'
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { loadRegistries } from '../settings/load-registries.ts'
import type { Settings } from '../settings/settings.ts'
import { openEngines } from './engines.ts'
import { type PackageWish, type ReadingContext, type ReadPackage, readPackage } from './read-package.ts'
import { registriesOf } from './registries.ts'
import { signingOf } from './signing.ts'

export interface Workshop {
  readonly room: ReadingContext
  readonly artifacts: ArtifactStore
  close(): Promise<void>
}

/** What is told while a package runs. */
export interface Listener {
  /** Fires when what runs is to be stopped. */
  readonly signal: AbortSignal
  /** Fires when the listener has gone; what runs goes on. */
  readonly leave?: AbortSignal
  log(piece: Pick<LogPiece, 'stream' | 'bytes'>): Promise<void>
  progress(text: string): void
}

/**
 * Opens a workshop in a folder; it is made when it is not there. Without engines it is for looking, not for running.
 * What is said of registries holds here, too, and with it the signing policy unless another is given. Problems: file.unreadable,
 * settings.invalid, signature.policy-invalid.
 */
export async function openWorkshop(
  place: string,
  choice: Settings['engine'] | 'none' = 'auto',
  policy?: string,
): Promise<Workshop> {
  const settings = loadRegistries(process.env, process.cwd())
  const signing = signingOf({ registries: { ...settings.registries, ...present({ signingPolicy: policy }) } })
  // Shims run in folders of their own, where a relative path leads nowhere.
  const dataDir = resolve(place)
  const artifacts = openArtifactStore({
    folder: join(dataDir, 'images'),
    registries: registriesOf(settings, process.env),
  })
  const places = { folder: dataDir, clock: systemClock, artifacts }
  const engines = choice === 'none' ? [] : await openEngines({ ...places, choice })
  return {
    room: { artifacts, engines, signing },
    artifacts,
    async close() {
      for (const engine of engines) await engine.close()
      await artifacts.close()
    },
  }
}

/** Reads a package, running it if it must describe itself. */
export function inspect(
  { room }: Workshop,
  wish: Pick<PackageWish, 'reference' | 'contract' | 'tellSignatures' | 'described' | 'doubted'> & {
    readonly options?: JsonObject
  },
  listener: Listener,
): Promise<ReadPackage> {
  return readPackage(room, { options: {}, ...wish, ...listener })
}
