/** Opens a repository of a registry for reading, with the mirrors that it has. */
import type { Source } from '../oci/place.ts'
import type { RegistryReference } from '../reference.ts'
import { mirroredSource } from './mirrored-source.ts'
import { placesOf, type RegistryPlace } from './places.ts'
import { registrySource } from './registry-source.ts'
import { openSession } from './session.ts'
import type { RegistrySettings } from './settings.ts'
import type { VisitSessions } from './visit-sessions.ts'

export interface RegistryAccess {
  readonly registries: RegistrySettings
  /** Sessions that outlive one source; absent: each source has its own. */
  readonly sessions?: VisitSessions
}

/** Nothing is sent yet. Problems: registry.blocked, registry.configuration-invalid. */
export function openRegistry(
  { host, repository }: Pick<RegistryReference, 'host' | 'repository'>,
  { registries, sessions }: RegistryAccess,
): Source {
  const places = placesOf({ host, repository }, registries)
  const open = (place: RegistryPlace): Source =>
    registrySource(place, sessions?.of(place) ?? openSession(place.host, place.repository, place.settings))
  const [first, second] = places
  if (second === undefined && first.host === host && first.repository === repository) return open(first)
  return mirroredSource({
    repository: { host, repository },
    places: places.map((place) => ({ ...place, open: () => open(place) })),
    settings: registries,
  })
}
