/** Reads `.ocmconfig` and its kin: consumers and their credentials, resolvers, keys and roots. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { readYaml } from '../../kit/yaml.ts'
import type { Consumer, Credentials } from './consumers.ts'
import { type OcmFault, type OcmReading, readingOf } from './fault.ts'
import { Fields } from './fields.ts'
import { type RepositorySpec, repositoryOfSpec } from './reference.ts'

export interface OcmConfig {
  readonly consumers: readonly ConfiguredConsumer[]
  /** Credentials by the name of their memory and their own. */
  readonly memory: Readonly<Record<string, Readonly<Record<string, Credentials>>>>
  /** Repositories of credentials that serve every consumer they know, as a Docker configuration does. */
  readonly repositories: readonly CredentialSpec[]
  readonly resolvers: readonly Resolver[]
  readonly keys: {
    readonly publicKeys: Readonly<Record<string, ConfiguredText>>
    readonly privateKeys: Readonly<Record<string, ConfiguredText>>
    readonly roots: readonly ConfiguredText[]
    readonly issuers: Readonly<Record<string, string>>
  }
  /** What is there and not used here, by its place and type. */
  readonly ignored: readonly string[]
}

export interface ConfiguredConsumer {
  readonly identity: Consumer['identity']
  /** Merged in order. */
  readonly credentials: readonly CredentialSpec[]
}

/** A typed way to credentials, as written. */
export type CredentialSpec = JsonObject & { readonly type: string }

export interface Resolver {
  readonly repository: RepositorySpec
  /** Of component names, in whole segments; empty: all. */
  readonly prefix: string
  readonly priority: number
}

/** A key as text, or the file that holds it. */
export type ConfiguredText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string }

export const emptyConfig: OcmConfig = {
  consumers: [],
  memory: {},
  repositories: [],
  resolvers: [],
  keys: { publicKeys: {}, privateKeys: {}, roots: [], issuers: {} },
  ignored: [],
}

/** Reads a configuration from YAML. */
export function readConfig(text: string): OcmReading<OcmConfig> {
  const { value, faults } = readYaml(text, { merge: true, aliasesMax: 100 })
  const syntax = faults.map(
    ({ message, line, column }): OcmFault => ({ kind: 'syntax', path: '', message, line, column }),
  )
  if (syntax.length > 0) return readingOf(emptyConfig, syntax)
  if (value === null || value === undefined) return readingOf(emptyConfig, [])
  if (!isObject(value))
    return readingOf(emptyConfig, [{ kind: 'syntax', path: '', message: 'it is not a map' }])
  const collected: OcmFault[] = []
  const config = readPart(new Fields(value as JsonObject, '', collected), 0)
  return readingOf(config, collected)
}

const depthMax = 20

function readPart(place: Fields, depth: number): OcmConfig {
  const type = place.text('type').replace(/\/v1$/, '')
  switch (type) {
    case 'generic.config.ocm.software':
      if (depth > depthMax) {
        place.fault('invalid', place.path, 'configurations are nested too deep')
        return emptyConfig
      }
      return joined(place.list('configurations', 'optional', (part) => readPart(part, depth + 1)))
    case 'credentials.config.ocm.software':
      return readCredentials(place)
    case 'memory.credentials.config.ocm.software':
      return readMemory(place)
    case 'ocm.config.ocm.software':
      return { ...emptyConfig, resolvers: place.list('resolvers', 'optional', resolverOf).flat() }
    case 'keys.config.ocm.software':
      return { ...emptyConfig, keys: keysOf(place) }
    case 'logging.config.ocm.software':
      return emptyConfig
    default:
      return { ...emptyConfig, ignored: [`${place.path === '' ? 'configuration' : place.path}: ${type}`] }
  }
}

function joined(parts: readonly OcmConfig[]): OcmConfig {
  const memory: Record<string, Record<string, Credentials>> = {}
  for (const part of parts)
    for (const [name, sets] of Object.entries(part.memory)) memory[name] = { ...memory[name], ...sets }
  return {
    consumers: parts.flatMap(({ consumers }) => consumers),
    memory,
    repositories: parts.flatMap(({ repositories }) => repositories),
    resolvers: parts.flatMap(({ resolvers }) => resolvers),
    keys: {
      publicKeys: Object.assign(
        {},
        ...parts.map(({ keys }) => keys.publicKeys),
      ) as OcmConfig['keys']['publicKeys'],
      privateKeys: Object.assign(
        {},
        ...parts.map(({ keys }) => keys.privateKeys),
      ) as OcmConfig['keys']['privateKeys'],
      roots: parts.flatMap(({ keys }) => keys.roots),
      issuers: Object.assign({}, ...parts.map(({ keys }) => keys.issuers)) as OcmConfig['keys']['issuers'],
    },
    ignored: parts.flatMap(({ ignored }) => ignored),
  }
}

function readCredentials(place: Fields): OcmConfig {
  return {
    ...emptyConfig,
    consumers: place.list('consumers', 'optional', (one) => ({
      identity: one.texts('identity'),
      credentials: one.list('credentials', 'optional', specOf),
    })),
    repositories: place.list('repositories', 'optional', (one) => specOf(one.map('repository', 'required'))),
    ignored: place.optionalMap('aliases') === undefined ? [] : [`${place.path}: aliases`],
  }
}

function specOf(place: Fields): CredentialSpec {
  return { ...place.value, type: place.text('type').replace(/\/v1$/, '') }
}

function readMemory(place: Fields): OcmConfig {
  const repoName = place.text('repoName')
  const sets = place.list('credentials', 'optional', (one): readonly [string, Credentials] => [
    one.text('credentialsName'),
    one.texts('credentials'),
  ])
  const ignored = place.list('credentials', 'optional', (one) =>
    'reference' in one.value ? [`${one.path}: reference`] : [],
  )
  return { ...emptyConfig, memory: { [repoName]: Object.fromEntries(sets) }, ignored: ignored.flat() }
}

function resolverOf(place: Fields): readonly Resolver[] {
  const { repository } = place.value
  const spec = isObject(repository)
    ? repositoryOfSpec(repository as JsonObject)
    : 'the resolver names no repository'
  if (typeof spec === 'string') {
    place.fault('invalid', place.at('repository'), spec)
    return []
  }
  const priority = place.value['priority']
  return [
    {
      repository: spec,
      prefix: place.optionalText('prefix') ?? '',
      priority: typeof priority === 'number' ? priority : 10,
    },
  ]
}

function keysOf(place: Fields): OcmConfig['keys'] {
  const texts = (key: string): Readonly<Record<string, ConfiguredText>> => {
    const map = place.map(key, 'optional')
    return Object.fromEntries(
      Object.keys(map.value).flatMap((name) => {
        const text = textOf(map.value[name] ?? null)
        if (text === undefined)
          map.fault('invalid', map.at(name), 'must hold one of path, data and stringdata')
        return text === undefined ? [] : [[name, text]]
      }),
    )
  }
  const roots = place.list('rootCertificates', 'optional', ({ value, path, faults }) => {
    const text = textOf(value)
    if (text === undefined)
      faults.push({ kind: 'invalid', path, message: 'must hold one of path, data and stringdata' })
    return text === undefined ? [] : [text]
  })
  const issuers = place.map('issuers', 'optional').value
  return {
    publicKeys: texts('publicKeys'),
    privateKeys: texts('privateKeys'),
    roots: roots.flat(),
    issuers: Object.fromEntries(
      Object.entries(issuers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
  }
}

function textOf(value: Json): ConfiguredText | undefined {
  if (!isObject(value)) return undefined
  const { path, data, stringdata } = value
  if (typeof stringdata === 'string') return { kind: 'text', text: stringdata }
  if (typeof data === 'string') return { kind: 'text', text: Buffer.from(data, 'base64').toString() }
  return typeof path === 'string' ? { kind: 'file', path } : undefined
}

/** The repositories in which a component may be looked for, best first. */
export function resolversFor(resolvers: readonly Resolver[], component: string): readonly RepositorySpec[] {
  const segments = (text: string): readonly string[] => text.split('/').filter(Boolean)
  const name = segments(component)
  return resolvers
    .filter(({ prefix }) => segments(prefix).every((segment, i) => name[i] === segment))
    .toSorted((a, b) => b.priority - a.priority || segments(b.prefix).length - segments(a.prefix).length)
    .map(({ repository }) => repository)
}
