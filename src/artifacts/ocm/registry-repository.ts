/** Component versions in a registry: each component a repository, each version a tag. */
import {
  compareVersions,
  type RepositorySpec,
  tagOfVersion,
  versionOfTag,
} from '../../languages/ocm/index.ts'
import { digestOf, splitDigest } from '../digest.ts'
import type { Source } from '../oci/place.ts'
import { openRegistry } from '../registry/open-registry.ts'
import { listTags } from '../registry/registry-source.ts'
import { openSession } from '../registry/session.ts'
import type { RegistrySettings } from '../registry/settings.ts'
import { descriptorFolder } from './ctf.ts'
import { readVersion } from './read-version.ts'
import type { ComponentRepository } from './repository.ts'

export type RegistrySpec = Extract<RepositorySpec, { kind: 'registry' }>

/** The repository in a registry; nothing is sent yet. */
export function registryRepository(spec: RegistrySpec, settings: RegistrySettings): ComponentRepository {
  const ways = settingsFor(spec, settings)
  const { host } = spec
  const open: { close(): Promise<void> }[] = []
  const sourceOf = (path: string): Source => {
    const source = openRegistry({ host, repository: path }, { registries: ways })
    open.push(source)
    return source
  }
  const repository: ComponentRepository = {
    name: [host, spec.subPath].filter(Boolean).join('/'),
    spec,
    find: async (component, version, signal) => {
      const tag = tagOfVersion(version)
      if (tag === undefined) return undefined
      // What one tool mapped one way another may have mapped the other.
      for (const path of pathsOf(spec, component)) {
        const source = sourceOf(path)
        const read = await readVersion({ source, tag, component, version, signal })
        if (read !== undefined) return { ...read, source, repository }
      }
      return undefined
    },
    versions: async (component, signal) => {
      for (const path of pathsOf(spec, component)) {
        const session = openSession(host, path, ways)
        const tags = await listTags({ host, repository: path }, session, signal).finally(() =>
          session.close(),
        )
        const versions = tags.flatMap((tag) => versionOfTag(tag) ?? [])
        if (versions.length > 0) return versions.toSorted((a, b) => compareVersions(b, a))
      }
      return []
    },
    components: () => undefined,
    close: async () => {
      for (const session of open) await session.close()
    },
  }
  return repository
}

/** The path of a component's repository as the specification of the repository wants it. */
export function pathOf(spec: RegistrySpec, component: string): string {
  const own =
    spec.mapping === 'sha256-digest'
      ? splitDigest(digestOf(component)).hex
      : `${descriptorFolder}/${component}`
  return [spec.subPath, own].filter(Boolean).join('/')
}

function pathsOf(spec: RegistrySpec, component: string): readonly string[] {
  const other = spec.mapping === 'urlPath' ? 'sha256-digest' : 'urlPath'
  return [pathOf(spec, component), pathOf({ ...spec, mapping: other }, component)]
}

/** An address that begins with http:// permits plain HTTP. */
export function settingsFor({ host, scheme }: RegistrySpec, settings: RegistrySettings): RegistrySettings {
  if (scheme !== 'http') return settings
  return { ...settings, hosts: { ...settings.hosts, [host]: { ...settings.hosts?.[host], plainHttp: true } } }
}
