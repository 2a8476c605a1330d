/** Reads `.ocmconfig` and its kin: consumers and their credentials, resolvers, keys and roots. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { readYaml } from '../../kit/yaml.ts'
import type { Consumer, Credentials } from './consumers.ts'
import { type OcmFault, type OcmReading, readingOf } from './fault.ts'
import { Fields } from './fields.ts'
import { type RepositorySpec, repositoryOfSpec } from './reference.ts'
import { hashNamed } from './signature.ts'

export interface OcmConfig {
  readonly consumers: readonly ConfiguredConsumer[]
  /** Credentials by the name of their memory and their own. */
  readonly memory: Readonly<Record<string, Readonly<Record<string, Remembered>>>>
  /** Repositories of credentials that serve every consumer they know, as a Docker configuration does. */
  readonly repositories: readonly CredentialSpec[]
  readonly resolvers: readonly Resolver[]
  /** What signatures are made over; absent: SHA-256. */
  readonly hashAlgorithm?: string
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

/** What a memory holds under a name: credentials, or the way to them. */
export type Remembered =
  | { readonly kind: 'here'; readonly credentials: Credentials }
  | { readonly kind: 'elsewhere'; readonly spec: CredentialSpec }

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
  const syntax = faults.map((fault): OcmFault => ({ ...fault, kind: 'syntax', path: '' }))
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
    case 'rootcerts.config.ocm.software':
      return { ...emptyConfig, keys: { ...emptyConfig.keys, roots: rootsOf(place) } }
    case 'hasher.config.ocm.software':
      return { ...emptyConfig, ...hasherOf(place, 'hashAlgorithm') }
    case 'attributes.config.ocm.software':
      return readAttributes(place.map('attributes', 'optional'))
    case 'logging.config.ocm.software':
      return emptyConfig
    default:
      return { ...emptyConfig, ignored: [`${place.path === '' ? 'configuration' : place.path}: ${type}`] }
  }
}

/** Attributes are known by a short name, by one of the project, and by one of years before. */
function readAttributes(attributes: Fields): OcmConfig {
  const ignored: string[] = []
  const parts = Object.keys(attributes.value).map((name): OcmConfig => {
    switch (name.replace(/^(?:github\.com\/mandelsoft\/ocm|ocm\.software(?:\/signing)?)\//, '')) {
      case 'hasher':
        return {
          ...emptyConfig,
          ...(typeof attributes.value[name] === 'string'
            ? hasherOf(attributes, name)
            : hasherOf(attributes.map(name, 'optional'), 'defaultHasher')),
        }
      case 'rootcerts': {
        const place = attributes.map(name, 'optional')
        return { ...emptyConfig, keys: { ...emptyConfig.keys, roots: rootsOf(place) } }
      }
      default:
        ignored.push(attributes.at(name))
        return emptyConfig
    }
  })
  return joined([...parts, { ...emptyConfig, ignored }])
}

function hasherOf(place: Fields, key: string): Pick<OcmConfig, 'hashAlgorithm'> {
  const name = place.optionalText(key)
  if (name === undefined) return {}
  if (hashNamed(name) === undefined) {
    place.fault(
      'invalid',
      place.at(key),
      `${JSON.stringify(name)} is no hash that is known: SHA-256, SHA-512`,
    )
    return {}
  }
  return { hashAlgorithm: name }
}

function joined(parts: readonly OcmConfig[]): OcmConfig {
  const memory: Record<string, Record<string, Remembered>> = {}
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
    ...Object.assign({}, ...parts.map(({ hashAlgorithm }) => (hashAlgorithm ? { hashAlgorithm } : {}))),
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
  const sets = place.list('credentials', 'optional', (one): readonly [string, Remembered] => {
    const reference = one.optionalMap('reference')
    const kept: Remembered = reference
      ? { kind: 'elsewhere', spec: specOf(reference) }
      : { kind: 'here', credentials: one.texts('credentials') }
    return [one.text('credentialsName'), kept]
  })
  return { ...emptyConfig, memory: { [repoName]: Object.fromEntries(sets) } }
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
  const issuers = place.map('issuers', 'optional').value
  return {
    publicKeys: texts('publicKeys'),
    privateKeys: texts('privateKeys'),
    roots: rootsOf(place),
    issuers: Object.fromEntries(
      Object.entries(issuers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
  }
}

function rootsOf(place: Fields): readonly ConfiguredText[] {
  const roots = place.list('rootCertificates', 'optional', ({ value, path, faults }) => {
    const text = textOf(value)
    if (text === undefined)
      faults.push({ kind: 'invalid', path, message: 'must hold one of path, data and stringdata' })
    return text === undefined ? [] : [text]
  })
  return roots.flat()
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
