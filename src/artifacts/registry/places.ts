/** Where a repository is read from: its mirrors, then itself, each as settings and `registries.conf` have it reached. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../../model/problem.ts'
import {
  type ConfiguredMirror,
  type ConfiguredRegistry,
  movedTo,
  readRegistriesConf,
  registryFor,
} from './registries-conf.ts'
import type { HostSettings, RegistrySettings } from './settings.ts'

export interface RegistryPlace {
  readonly host: string
  readonly repository: string
  /** Which references are asked for there. */
  readonly pulls: ConfiguredMirror['pulls']
  readonly settings: RegistrySettings
}

interface Repository {
  readonly host: string
  readonly repository: string
}

/** The places to read from, the registry itself last. Problems: registry.blocked, registry.configuration-invalid. */
export function placesOf(
  { host, repository }: Repository,
  settings: RegistrySettings,
): readonly [...RegistryPlace[], RegistryPlace] {
  const name = `${host}/${repository}`
  const said = configuredFor(name, settings)
  const own = (settings.hosts?.[host]?.mirrors ?? []).map((mirror) =>
    mirrorAt(`${mirror}/${repository}`, { pulls: 'all', insecure: false }, settings),
  )
  if (said === undefined) return [...own, { host, repository, pulls: 'all', settings }]
  const others = said.mirrors.map((mirror) =>
    mirrorAt(movedTo(mirror.location, name, said), mirror, settings),
  )
  const itself = splitName(movedTo(said.location, name, said))
  const reached = said.insecure ? withHost(itself.host, insecure, settings) : settings
  return [...own, ...others, { ...itself, pulls: 'all', settings: reached }]
}

/** Settings as they are for one repository, with what `registries.conf` says of it. Problems: registry.blocked, registry.configuration-invalid. */
export function settingsAt({ host, repository }: Repository, settings: RegistrySettings): RegistrySettings {
  const said = configuredFor(`${host}/${repository}`, settings)
  return said?.insecure ? withHost(host, insecure, settings) : settings
}

const insecure: HostSettings = { plainHttp: true, unverified: true }

/** Whatever a mirror lacks is had elsewhere, so it is asked once. */
function mirrorAt(
  name: string,
  mirror: Pick<ConfiguredMirror, 'pulls' | 'insecure'>,
  settings: RegistrySettings,
): RegistryPlace {
  const place = splitName(name)
  const reached = { ...(mirror.insecure ? insecure : {}), attemptsMax: 1 }
  return { ...place, pulls: mirror.pulls, settings: withHost(place.host, reached, settings) }
}

function withHost(host: string, more: HostSettings, settings: RegistrySettings): RegistrySettings {
  return { ...settings, hosts: { ...settings.hosts, [host]: { ...settings.hosts?.[host], ...more } } }
}

function splitName(name: string): Repository {
  const slash = name.indexOf('/')
  return { host: name.slice(0, slash), repository: name.slice(slash + 1) }
}

function configuredFor(
  name: string,
  { configurationFiles = [] }: RegistrySettings,
): ConfiguredRegistry | undefined {
  const files = configurationFiles.flatMap(filesAt)
  const found = registryFor(
    name,
    files.flatMap(({ path, content }) => readRegistriesConf(content, path)),
  )
  if (found?.blocked)
    return fail('registry.blocked', `${found.prefix} is blocked`, { where: { source: name } })
  return found
}

/** The file, or those of the folder that end as such files do. */
function filesAt(path: string): readonly { readonly path: string; readonly content: string }[] {
  try {
    return [{ path, content: readFileSync(path, 'utf8') }]
  } catch (error) {
    // What the caller may not read it cannot use, as with certificates.
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') return []
  }
  return readdirSync(path)
    .filter((name) => name.endsWith('.conf'))
    .sort()
    .map((name) => join(path, name))
    .flatMap(filesAt)
}
