/** Opens the place a reference names, whatever its kind, for reading. */
import { never } from '../kit/assert.ts'
import { fail } from '../model/problem.ts'
import { openDockerArchive } from './oci/docker-archive.ts'
import { openLayout } from './oci/layout.ts'
import { layoutArchive } from './oci/layout-archive.ts'
import { layoutFolder } from './oci/layout-folder.ts'
import type { Source } from './oci/place.ts'
import { formatReference, type Reference } from './reference.ts'
import { openRegistry, type RegistryAccess } from './registry/open-registry.ts'

export interface SourceOptions extends RegistryAccess {
  /** For what must be unpacked to be read at all: compressed archives. */
  readonly scratchFolder: string
  /** Where the archive of that digest is kept; absent where nothing is. */
  readonly keptAt?: (digest: string) => string
}

/** Opens a source. Problems: artifact.not-found, artifact.kind, registry.blocked, registry.configuration-invalid, image.layout-invalid, archive.*. */
export async function openSource(reference: Reference, options: SourceOptions): Promise<Source> {
  switch (reference.kind) {
    case 'registry':
      return openRegistry(reference, options)
    case 'layout':
      return await openLayout(layoutFolder(reference.path))
    case 'layout-archive':
      return await openLayout(await layoutArchive(reference.path, options.scratchFolder))
    case 'docker-archive':
      return await openDockerArchive(reference.path, options.scratchFolder)
    case 'kept-archive': {
      const path = options.keptAt?.(reference.path)
      if (path === undefined) return fail('artifact.not-found', `the archive ${reference.path}`)
      return await openLayout(await layoutArchive(path, options.scratchFolder))
    }
    case 'path':
    case 'url':
    case 'component':
      return fail('artifact.kind', `${formatReference(reference)} is no image reference`)
    default:
      return never(reference)
  }
}
