/** What all parts of the artifact store share: the content, the unpacked layers, the way to registries. */
import { join } from 'node:path'
import { type Clock, systemChance, systemClock } from '../kit/clock.ts'
import { present } from '../kit/present.ts'
import { type ContentStore, openContentStore } from './content/content-store.ts'
import { type LayerStore, openLayerStore, type Stacking } from './layers/layer-store.ts'
import { type ArchiveLimits, usualArchiveLimits, usualLayerLimits } from './limits.ts'
import type { RegistrySettings } from './registry/settings.ts'
import type { SourceOptions } from './sources.ts'

export interface ArtifactStoreOptions {
  /** Where blobs and unpacked layers are kept; may be shared by several processes. */
  readonly folder: string
  readonly registries?: RegistrySettings
  readonly layerLimits?: ArchiveLimits
  readonly archiveLimits?: ArchiveLimits
  readonly stacking?: Stacking
  readonly clock?: Clock
  /** Told how many bytes of an image have come. */
  arrived?(bytes: number): void
}

export interface ArtifactContext {
  readonly folder: string
  readonly content: ContentStore
  readonly layers: LayerStore
  readonly options: SourceOptions
  readonly archiveLimits: ArchiveLimits
  readonly clock: Clock
}

/** The rooms, opened when first used. Problems: artifact.unwritable. */
export function lazyContext(options: ArtifactStoreOptions): () => Promise<ArtifactContext> {
  let opened: Promise<ArtifactContext> | undefined
  return () => {
    // A full disk may have room later.
    opened ??= openContext(options).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
}

async function openContext({
  folder,
  registries = {},
  layerLimits,
  archiveLimits,
  stacking,
  clock,
  arrived,
}: ArtifactStoreOptions): Promise<ArtifactContext> {
  const limits = layerLimits ?? usualLayerLimits
  const content = await openContentStore(folder, clock, systemChance, arrived)
  return {
    folder,
    content,
    layers: await openLayerStore({ folder, limits, ...present({ stacking }) }),
    options: { registries, scratchFolder: join(folder, 'scratch'), keptAt: content.pathOf },
    archiveLimits: archiveLimits ?? usualArchiveLimits,
    clock: clock ?? systemClock,
  }
}
