/** Opens the repository that a specification names for writing. */
import type { RepositorySpec } from '../../languages/ocm/index.ts'
import type { Target } from '../oci/place.ts'
import { registryTarget } from '../registry/registry-target.ts'
import { openSession } from '../registry/session.ts'
import type { SourceOptions } from '../sources.ts'
import { openCtfTarget, type Writing } from './ctf-target.ts'
import { pathOf, settingsFor } from './registry-repository.ts'

export interface RepositoryTarget {
  /** Where the versions of a component go. */
  component(name: string): Target
  finish(): Promise<void>
  close(): Promise<void>
}

/** Opens it. Problems: ocm.repository.invalid, artifact.unwritable. */
export async function openRepositoryTarget(
  spec: RepositorySpec,
  options: SourceOptions & Writing,
): Promise<RepositoryTarget> {
  if (spec.kind === 'file') return await openCtfTarget(spec, options)
  const ways = settingsFor(spec, options.registries)
  const open = new Map<string, Target>()
  return {
    component: (name) => {
      const repository = pathOf(spec, name)
      const known = open.get(repository)
      if (known !== undefined) return known
      const target = registryTarget({ host: spec.host, repository }, openSession(spec.host, repository, ways))
      open.set(repository, target)
      return target
    },
    finish: () => Promise.resolve(),
    close: async () => {
      for (const target of open.values()) await target.close()
    },
  }
}
