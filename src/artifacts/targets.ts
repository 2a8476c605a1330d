/** Opens the place a reference names, whatever its kind, for writing. */
import { never } from '../kit/assert.ts'
import { fail } from '../model/problem.ts'
import { openDockerArchiveTarget, openLayoutArchiveTarget } from './oci/archive-targets.ts'
import { openLayoutTarget } from './oci/layout-writer.ts'
import type { Target } from './oci/place.ts'
import { formatReference, type Reference } from './reference.ts'
import { registryTarget } from './registry/registry-target.ts'
import { openSession } from './registry/session.ts'
import type { RegistrySettings } from './registry/settings.ts'

/** Opens a target. Problems: artifact.kind, artifact.unwritable. */
export async function openTarget(reference: Reference, registries: RegistrySettings): Promise<Target> {
  switch (reference.kind) {
    case 'registry':
      return registryTarget(reference, openSession(reference.host, reference.repository, registries))
    case 'layout':
      return await openLayoutTarget(reference.path)
    case 'layout-archive':
      return await openLayoutArchiveTarget(reference.path)
    case 'docker-archive':
      return await openDockerArchiveTarget(reference.path)
    case 'kept-archive':
    case 'path':
    case 'url':
    case 'component':
      return fail('artifact.kind', `an image cannot be written to ${formatReference(reference)}`)
    default:
      return never(reference)
  }
}
