/** Brings settings together: flag over environment over file over conf.d over platform over default. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseNetwork } from '../kit/network.ts'
import { repeated } from '../kit/repeated.ts'
import { Secret } from '../kit/secret.ts'
import { nearest } from '../kit/text.ts'
import { isPermission, permissionNames, roles } from '../model/access.ts'
import { reservedAccounts } from '../model/account.ts'
import { operatorsPlatform } from '../model/instance.ts'
import type { Problem } from '../model/problem.ts'
import { faultsOfCatalog } from './catalog-settings.ts'
import { type Environment, readEnvironment, readFlags, readPlatform, strayVariables } from './environment.ts'
import { readFiles } from './files.ts'
import { group, type References, type ValueOf } from './kinds.ts'
import type { Layer } from './layer.ts'
import { namedSettings } from './names.ts'
import { type Entry, readTable } from './read.ts'
import { faultsOfRegistries } from './registry-settings.ts'
import { type Settings, settingsTable } from './settings.ts'
import { faultsOfTenants } from './tenant-settings.ts'

export interface Sources {
  /** `http.listen` → text, as on the command line. */
  readonly flags?: Readonly<Record<string, string>>
  readonly environment: Environment
  /** `--config`; else `CHANDLER_CONFIG`, else the first that exists of chandler.yml in the folder and in /etc/chandler. */
  readonly file?: string
  /** What relative paths of flags and variables are relative to. */
  readonly folder: string
  /** The grammar of package references, given the host that stands in for one that a reference does not name; absent: every text is one. */
  readonly references?: (defaultHost: string | undefined) => References
}

export type Loaded =
  | {
      readonly kind: 'settings'
      readonly settings: Settings
      readonly entries: readonly Entry[]
      /** Every secret that was read, for redaction. */
      readonly secrets: readonly Secret[]
      readonly warnings: readonly Problem[]
      /** Packages on this machine that are not where their entries say: a broker starts without them. */
      readonly absent: readonly Problem[]
      /** The file that was read, if any. */
      readonly file: string | undefined
      /** Files that hold a password or the like. */
      readonly secretFiles: readonly string[]
      /** The same configuration, whatever it says by now, with what these files hold now. */
      readonly withFreshSecrets: () => Loaded
    }
  | { readonly kind: 'faults'; readonly problems: readonly [Problem, ...Problem[]] }

const usualNames = ['chandler.yml', 'chandler.yaml']

function usualFile(folder: string): string | undefined {
  const places = [folder, '/etc/chandler'].flatMap((place) => usualNames.map((name) => join(place, name)))
  return places.find((path) => existsSync(path))
}

/** All settings with their origins, or everything that is wrong with them. */
export function loadSettings(sources: Sources): Loaded {
  const { environment, folder } = sources
  const named = namedSettings(settingsTable)
  const file = sources.file ?? environment['CHANDLER_CONFIG'] ?? usualFile(folder)
  const files = file === undefined ? { layers: [], problems: [] } : readFiles(file)
  const fromFlags = readFlags(named, sources.flags ?? {}, folder)
  const fromEnvironment = readEnvironment(named, environment, folder)
  const layers = [fromFlags.layer, fromEnvironment.layer, ...files.layers, readPlatform(environment, folder)]
  const found = [...files.problems, ...fromFlags.problems, ...fromEnvironment.problems]
  const read = (): Loaded => {
    const references = sources.references?.(defaultHostIn(layers))
    const { value, secretFiles, entries, problems, absent } = readTable(settingsTable, layers, { references })
    const all = [...found, ...problems]
    // The table's reader answers exactly the table's shape when it found no fault.
    const settings = value as Settings
    const faults = all.length > 0 ? all : contradictions(settings, entries)
    const [first, ...rest] = faults
    if (first) return { kind: 'faults', problems: [first, ...rest, ...absent] }
    return {
      kind: 'settings',
      settings,
      entries,
      secrets: secretsIn(settings),
      warnings: strayVariables(named, environment),
      absent,
      file,
      secretFiles,
      withFreshSecrets: read,
    }
  }
  return read()
}

const hostTable = group('', {
  registries: group('', { defaultHost: settingsTable.members.registries.members.defaultHost }),
})

/** Which references are well formed depends on that setting, which is therefore read first; its own faults are told later. */
function defaultHostIn(layers: readonly Layer[]): string | undefined {
  const { value } = readTable(hostTable, layers)
  return (value as ValueOf<typeof hostTable>).registries.defaultHost
}

/** What no single setting can know: values that do not go together. */
export function contradictions(settings: Settings, entries: readonly Entry[]): readonly Problem[] {
  const { operations, store, secrets, http, auth } = settings
  const at = (path: string, detail: string): Problem => {
    // A group has no place of its own, but what stands in it has.
    const given = entries.filter((entry) => entry.path === path || entry.path.startsWith(`${path}.`))
    const where = given.find(({ place }) => place !== undefined)?.place
    return { code: 'settings.invalid', detail, ...(where ? { where } : {}) }
  }
  const problems: Problem[] = []
  if (operations.heartbeat * 3 > operations.lease) {
    problems.push(
      at('operations.heartbeat', 'operations.heartbeat must be at most a third of operations.lease'),
    )
  }
  if (store.url.startsWith('postgres') && secrets.keyring === undefined) {
    problems.push(
      at('store.url', 'secrets.keyring is required with PostgreSQL, for all brokers must have the same keys'),
    )
  }
  if ((http.tls.certificateFile === undefined) !== (http.tls.keyFile === undefined)) {
    problems.push(at('http.tls.certificateFile', 'http.tls needs both certificateFile and keyFile'))
  }
  return [
    ...problems,
    ...faultsOfProxies(http.trustedProxies).map((fault) => at('http.trustedProxies', fault)),
    ...faultsOfRegistries(settings.registries).map((fault) => at('registries.hosts', fault)),
    ...faultsOfCertificates(settings).map((fault) => at('auth.users', fault)),
    ...faultsOfAccounts(auth).map((fault) => at('auth.users', fault)),
    ...faultsOfProvider(auth).map((fault) => at('auth.oidc', fault)),
    ...faultsOfServiceAccounts(auth).map((fault) => at('auth.serviceAccounts', fault)),
    ...faultsOfRoles(auth.roles).map((fault) => at('auth.roles', fault)),
    ...faultsOfCatalog(settings.catalog).map((fault) => at('catalog', fault)),
    ...faultsOfTenants(settings.tenants).map((fault) => at('tenants', fault)),
  ]
}

function faultsOfProxies(trustedProxies: readonly string[]): readonly string[] {
  return trustedProxies
    .filter((one) => parseNetwork(one) === undefined)
    .map((one) => `http.trustedProxies has ${JSON.stringify(one)}, which is no address or network`)
}

function faultsOfAccounts({ users, roles: own }: Settings['auth']): readonly string[] {
  const known = [...Object.keys(roles), ...own.map(({ name }) => name)]
  const tokens = users.flatMap(({ token, previousToken }) =>
    [token, previousToken].flatMap((one) => one?.reveal() ?? []),
  )
  return [
    ...repeated(users.map(({ name }) => name)).map((name) => `auth.users has ${JSON.stringify(name)} twice`),
    ...(repeated(tokens).length > 0
      ? ['auth.users has the same token twice: it could mean two accounts']
      : []),
    ...users.flatMap(({ name, role, password, token, certificate }) => [
      ...(password === undefined && token === undefined && certificate === undefined
        ? [`the account ${name} has neither password nor token nor certificate`]
        : []),
      ...(known.includes(role)
        ? []
        : [`the account ${name} has the role ${role}, and there is none; known: ${known.join(', ')}`]),
      ...(reservedAccounts.includes(name)
        ? [`no account can be named ${name}: tokens of that name bring rights of their own`]
        : []),
      ...(role === 'platform' && name === operatorsPlatform
        ? [
            `a platform account cannot be named ${name}: the instances that operators order belong to that name`,
          ]
        : []),
    ]),
  ]
}

function faultsOfCertificates({ auth, http }: Settings): readonly string[] {
  const names = auth.users.flatMap(({ certificate }) => certificate ?? [])
  return [
    ...repeated(names).map(
      (name) => `auth.users has the certificate ${name} twice: it could mean two accounts`,
    ),
    ...(names.length > 0 && http.tls.clientCaFile === undefined
      ? ['auth.users has certificates, and http.tls.clientCaFile says no authority of them']
      : []),
  ]
}

function faultsOfServiceAccounts({ serviceAccounts, roles: own }: Settings['auth']): readonly string[] {
  const { audiences, grants } = serviceAccounts
  return [
    ...(grants.length > 0 && audiences.length === 0
      ? ['auth.serviceAccounts has grants and no audiences: no token would be taken']
      : []),
    ...unknownRoles('auth.serviceAccounts.grants', grants, own),
  ]
}

function unknownRoles(
  where: string,
  grants: readonly { readonly role: string }[],
  own: Settings['auth']['roles'],
): readonly string[] {
  const known = [...Object.keys(roles), ...own.map(({ name }) => name)]
  return grants
    .filter(({ role }) => !known.includes(role))
    .map(({ role }) => `${where} has the role ${role}, and there is none; known: ${known.join(', ')}`)
}

function faultsOfProvider({ oidc, roles: own }: Settings['auth']): readonly string[] {
  return [
    ...(oidc.issuer !== undefined && oidc.clientId === undefined
      ? ['auth.oidc has an issuer and no clientId']
      : []),
    ...(oidc.scopes.includes('openid') ? [] : ['auth.oidc.scopes lacks openid']),
    ...unknownRoles('auth.oidc.grants', oidc.grants, own),
  ]
}

function faultsOfRoles(own: Settings['auth']['roles']): readonly string[] {
  const names = own.map(({ name }) => name)
  return [
    ...repeated(names).map((name) => `auth.roles has ${name} twice`),
    ...names
      .filter((name) => Object.hasOwn(roles, name))
      .map((name) => `the role ${name} is always there and stays as it is`),
    ...own.flatMap(({ name, permissions }) =>
      permissions
        .filter((one) => !isPermission(one))
        .map((one) => {
          const near = nearest(one, permissionNames)
          return `the role ${name} has ${JSON.stringify(one)}, which is no permission${near ? `; did you mean ${near}?` : ''}`
        }),
    ),
  ]
}

/** Every secret in a value of settings. */
export function secretsIn(value: unknown): readonly Secret[] {
  if (value instanceof Secret) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : []
}
