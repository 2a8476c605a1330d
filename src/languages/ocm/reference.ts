/** References to component versions and the repositories they lie in, as people write them. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'

export interface ComponentReference {
  /** The word before `::` without its format; empty where there is none. */
  readonly type: string
  /** The whole word before `::`. */
  readonly typeHint: string
  readonly scheme: string
  readonly host: string
  readonly subPath: string
  /** A path or a repository as JSON. */
  readonly info: string
  /** `+`: make the repository where it is missing. */
  readonly createIfMissing: boolean
  readonly component: string
  readonly version: string | undefined
}

const fileTypes = [
  'ctf',
  'CTF',
  'CommonTransportFormat',
  'directory',
  'tar',
  'tgz',
  'ca',
  'comparch',
  'ComponentArchive',
]

/** Takes a reference apart; undefined where it is none. */
export function parseComponentReference(text: string): ComponentReference | undefined {
  const createIfMissing = text.startsWith('+')
  const [, typeHint = '', rest = ''] =
    /^(?:([A-Za-z][A-Za-z0-9+./_-]*)::)?(.*)$/s.exec(text.slice(createIfMissing ? 1 : 0)) ?? []
  const type = typeHint.split('+')[0] ?? ''
  const usual = { type, typeHint, scheme: '', host: '', subPath: '', info: '', createIfMissing }
  const { place, component, version } = splitComponent(rest)
  if (place === '') return undefined
  if (place.startsWith('{')) return { ...usual, info: place, component, version }
  const [, scheme = '', name = ''] = /^(?:([a-z][a-z0-9]*):\/\/)?(.*)$/s.exec(place) ?? []
  const slash = name.indexOf('/')
  const host = slash < 0 ? name : name.slice(0, slash)
  const isFile = fileTypes.includes(type) || (scheme === '' && !looksLikeHost(host))
  if (isFile) return { ...usual, info: place, component, version }
  if (!/^[A-Za-z0-9[\]:.-]+$/.test(host)) return undefined
  return {
    ...usual,
    scheme,
    host,
    subPath: slash < 0 ? '' : name.slice(slash + 1).replace(/\/+$/, ''),
    component,
    version,
  }
}

/** What stands after the last `//` that begins no host. */
function splitComponent(text: string): {
  readonly place: string
  readonly component: string
  readonly version: string | undefined
} {
  const end = text.startsWith('{') ? text.lastIndexOf('}') + 1 : 0
  const scheme = end === 0 ? (/^[a-z][a-z0-9]*:\/\//.exec(text)?.[0].length ?? 0) : end
  const at = text.indexOf('//', scheme)
  if (at < 0) return { place: text, component: '', version: undefined }
  const named = text.slice(at + 2)
  const colon = named.indexOf(':')
  const version = colon < 0 ? undefined : named.slice(colon + 1)
  return { place: text.slice(0, at), component: colon < 0 ? named : named.slice(0, colon), version }
}

/** A dot, a port, or this machine; a path begins with a dot or a slash. */
function looksLikeHost(word: string): boolean {
  if (word === '' || word.startsWith('.')) return false
  return (
    /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::\d+)?$/.test(word) ||
    /^(?:[A-Za-z0-9-]+|\[[0-9a-f:]+\]):\d+$/i.test(word) ||
    word === 'localhost'
  )
}

/** Where component versions lie. */
export type RepositorySpec =
  | {
      readonly kind: 'registry'
      /** host[:port] */
      readonly host: string
      readonly scheme?: 'http' | 'https'
      readonly subPath: string
      readonly mapping: 'urlPath' | 'sha256-digest'
    }
  | {
      readonly kind: 'file'
      readonly path: string
      readonly format: FileFormat | undefined
      readonly archive: boolean
    }

export type FileFormat = 'directory' | 'tar' | 'tgz'

/** The repository of a reference; a text says what is wrong with it. */
export function repositoryOf(reference: ComponentReference): RepositorySpec | string {
  const { typeHint, type, info, host, scheme, subPath } = reference
  if (info.startsWith('{')) {
    let value: unknown
    try {
      value = JSON.parse(info)
    } catch {
      return 'the repository is no JSON'
    }
    return isObject(value) ? repositoryOfSpec(value as JsonObject, type) : 'the repository is no JSON object'
  }
  if (host !== '') {
    if (!(type === '' || isRegistryType(type))) return `a repository of type ${type} is not known`
    if (scheme !== '' && scheme !== 'http' && scheme !== 'https' && scheme !== 'oci')
      return `the scheme ${scheme} is not known`
    return {
      kind: 'registry',
      host,
      subPath,
      mapping: 'urlPath',
      ...(scheme === 'http' || scheme === 'https' ? { scheme } : {}),
    }
  }
  if (type !== '' && !fileTypes.includes(type)) return `a repository of type ${type} is not known`
  const word = typeHint.split('+').at(-1)
  return { kind: 'file', path: info, format: formatNamed(word), archive: isArchiveType(type) }
}

/** The repository that a typed document names; a text says what is wrong with it. */
export function repositoryOfSpec(spec: JsonObject, hint = ''): RepositorySpec | string {
  const said = spec['type']
  const type = (typeof said === 'string' ? said : hint).replace(/\/v1$/, '')
  const text = (key: string): string => (typeof spec[key] === 'string' ? spec[key] : '')
  if (isRegistryType(type)) {
    const [, scheme, name = ''] = /^(?:([a-z]+):\/\/)?(.*?)\/*$/.exec(text('baseUrl')) ?? []
    const slash = name.indexOf('/')
    const host = slash < 0 ? name : name.slice(0, slash)
    if (host === '') return 'the repository names no baseUrl'
    const subPath = [slash < 0 ? '' : name.slice(slash + 1), text('subPath').replace(/^\/+|\/+$/g, '')]
      .filter(Boolean)
      .join('/')
    const mapping = text('componentNameMapping')
    if (!['', 'urlPath', 'sha256-digest'].includes(mapping))
      return `the mapping of names ${mapping} is not known`
    return {
      kind: 'registry',
      host,
      subPath,
      mapping: mapping === 'sha256-digest' ? mapping : 'urlPath',
      ...(scheme === 'http' || scheme === 'https' ? { scheme } : {}),
    }
  }
  if (!fileTypes.includes(type)) return `a repository of type ${JSON.stringify(type)} is not known`
  const path = text('filePath')
  return path === ''
    ? 'the repository names no filePath'
    : { kind: 'file', path, format: formatNamed(text('fileFormat')), archive: isArchiveType(type) }
}

/** The repository as a typed document, for `repositoryContexts` and `ocmRepository`. */
export function repositoryDocument(spec: RepositorySpec): JsonObject {
  if (spec.kind === 'file')
    return {
      type: spec.archive ? 'ComponentArchive' : 'CommonTransportFormat',
      filePath: spec.path,
      ...present({ fileFormat: spec.format }),
    }
  const { host, scheme, subPath, mapping } = spec
  return {
    type: 'OCIRegistry',
    baseUrl: scheme === undefined ? host : `${scheme}://${host}`,
    componentNameMapping: mapping,
    ...(subPath === '' ? {} : { subPath }),
  }
}

function isRegistryType(type: string): boolean {
  return ['OCIRegistry', 'ociRegistry', 'oci', 'OCI', 'OCIRepository'].includes(type)
}

function isArchiveType(type: string): boolean {
  return ['ca', 'comparch', 'ComponentArchive'].includes(type)
}

function formatNamed(word: string | undefined): FileFormat | undefined {
  return word === 'directory' || word === 'tar' || word === 'tgz' ? word : undefined
}
