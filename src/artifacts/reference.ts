/** The grammar of references: where a package or an image is, told apart by its first word. */
import { present } from '../kit/present.ts'
import { shorten } from '../kit/text.ts'
import { fail } from '../model/problem.ts'
import { isDigest } from './digest.ts'

export type Reference = RegistryReference | StoredReference | PathReference | UrlReference | ComponentPlace

/** docker://host[:port]/path[:tag][@digest] */
export interface RegistryReference {
  readonly kind: 'registry'
  readonly host: string
  readonly repository: string
  readonly tag?: string
  readonly digest?: string
}

/** oci:folder[:name][@digest], oci-archive:file[:name][@digest], docker-archive:file[:name], kept:archive[:name][@digest] */
interface StoredReference {
  readonly kind: 'layout' | 'layout-archive' | 'docker-archive' | 'kept-archive'
  /** Of a kept archive its digest. */
  readonly path: string
  /** The name of one image among several. */
  readonly name?: string
  readonly digest?: string
}

/** A zip, a tar, a folder or a document on this machine. */
export interface PathReference {
  readonly kind: 'path'
  readonly path: string
}

/** ocm:repository//component[:version][?lookup=repository]…, a component version. */
export interface ComponentPlace {
  readonly kind: 'component'
  /** Without the transport and what follows it. */
  readonly place: string
  /** Repositories in which components that it references may be, too. */
  readonly lookup: readonly string[]
}

export interface UrlReference {
  readonly kind: 'url'
  readonly url: string
}

export interface ReferenceOptions {
  /** Host for names without one (`docker.io` for Docker's own habit); absent: such names are refused. */
  readonly defaultHost?: string
}

const transports = {
  oci: 'layout',
  'oci-archive': 'layout-archive',
  'docker-archive': 'docker-archive',
  kept: 'kept-archive',
} as const

/** Reads a reference. Problems: reference.invalid. */
export function parseReference(text: string, options: ReferenceOptions = {}): Reference {
  if (text === '' || text.includes('\0')) return refuse(text, 'it is empty or holds a zero byte')
  if (text.startsWith('docker://')) return parseRegistryName(text.slice('docker://'.length), options)
  if (/^https?:\/\//.test(text)) return parseUrl(text)
  const colon = text.indexOf(':')
  const word = colon < 0 ? '' : text.slice(0, colon)
  if (Object.hasOwn(transports, word)) {
    return parseStored(transports[word as keyof typeof transports], text.slice(colon + 1), text)
  }
  if (word === 'ocm') return parseComponent(text.slice(colon + 1), text)
  if (/^[a-z][a-z0-9+-]+:/.test(text) && !/^[a-z]:/.test(text)) {
    return refuse(text, `the transport "${word}" is not known`)
  }
  return { kind: 'path', path: text }
}

/** Reads `host[:port]/path[:tag][@digest]` without a transport. Problems: reference.invalid. */
function parseRegistryName(text: string, options: ReferenceOptions = {}): RegistryReference {
  if (/^[^/]*@[^/]*\//.test(text)) return refuse(text, 'it holds a user or password')
  const { rest, digest } = splitAtDigest(text, text)
  const slash = rest.lastIndexOf('/')
  const colon = rest.indexOf(':', slash + 1)
  // In "localhost:5000" alone the colon starts a port, but a host without a path is no reference anyway.
  const tag = colon < 0 ? undefined : rest.slice(colon + 1)
  const { host, repository } = splitHost(colon < 0 ? rest : rest.slice(0, colon), options, text)
  if (tag !== undefined && !/^[\w][\w.-]{0,127}$/.test(tag)) return refuse(text, `"${tag}" is not a tag`)
  const chosen = tag ?? (digest === undefined ? 'latest' : undefined)
  return {
    kind: 'registry',
    host,
    repository,
    ...present({ tag: chosen, digest }),
  }
}

/** The text of a reference; parsing it gives the same reference again. */
export function formatReference(reference: Reference): string {
  switch (reference.kind) {
    case 'registry': {
      const tag = reference.tag === undefined ? '' : `:${reference.tag}`
      return `docker://${reference.host}/${reference.repository}${tag}${atDigest(reference.digest)}`
    }
    case 'layout':
    case 'layout-archive':
    case 'docker-archive':
    case 'kept-archive': {
      const transport = Object.entries(transports).find(([, kind]) => kind === reference.kind)?.[0]
      const name = reference.name === undefined ? '' : `:${reference.name}`
      return `${transport}:${reference.path}${name}${atDigest(reference.digest)}`
    }
    case 'path':
      return reference.path
    case 'url':
      return reference.url
    case 'component': {
      const query = new URLSearchParams(
        reference.lookup.map((one): [string, string] => ['lookup', one]),
      ).toString()
      return `ocm:${reference.place}${query === '' ? '' : `?${query}`}`
    }
  }
}

/** Which manifest of its place a reference names. */
export function wantedOf(reference: Reference): { readonly name?: string; readonly digest?: string } {
  switch (reference.kind) {
    case 'path':
    case 'url':
    case 'component':
      return {}
    default: {
      const name = reference.kind === 'registry' ? reference.tag : reference.name
      const { digest } = reference
      return present({ name, digest })
    }
  }
}

function atDigest(digest: string | undefined): string {
  return digest === undefined ? '' : `@${digest}`
}

function parseUrl(text: string): UrlReference {
  const url = URL.parse(text)
  if (url === null || url.hostname === '') return refuse(text, 'it is not a URL')
  if (url.username !== '' || url.password !== '') return refuse(text, 'it holds a user or password')
  return { kind: 'url', url: text }
}

function parseComponent(rest: string, text: string): ComponentPlace {
  const mark = rest.lastIndexOf('?')
  const place = mark < 0 ? rest : rest.slice(0, mark)
  const query = [...new URLSearchParams(mark < 0 ? '' : rest.slice(mark + 1))]
  const [odd] = query.find(([key]) => key !== 'lookup') ?? []
  if (odd !== undefined) return refuse(text, `"${shorten(odd, 40)}" is not known after a component`)
  if (place === '') return refuse(text, 'it names no component version')
  return { kind: 'component', place, lookup: query.map(([, value]) => value) }
}

function parseStored(kind: StoredReference['kind'], rest: string, text: string): StoredReference {
  const { rest: place, digest } = splitAtDigest(rest, text)
  // The digest of a kept archive has a colon of its own.
  const colon = place.indexOf(':', kind === 'kept-archive' ? place.indexOf(':') + 1 : 0)
  const path = colon < 0 ? place : place.slice(0, colon)
  const name = colon < 0 ? '' : place.slice(colon + 1)
  if (path === '') return refuse(text, 'it names no path')
  if (kind === 'kept-archive' && !isDigest(path)) return refuse(text, 'it names no archive by its digest')
  return { kind, path, ...(name === '' ? {} : { name }), ...present({ digest }) }
}

function splitAtDigest(text: string, whole: string): { readonly rest: string; readonly digest?: string } {
  const sign = text.lastIndexOf('@')
  if (sign < 0) return { rest: text }
  const digest = text.slice(sign + 1)
  if (isDigest(digest)) return { rest: text.slice(0, sign), digest }
  // "@" may be part of a path; what looks like a digest must be one.
  if (/^sha\d+:|^[a-z0-9+._-]+:[0-9a-fA-F]{32,}$/.test(digest))
    return refuse(whole, `"${shorten(digest, 80)}" is not a digest`)
  return { rest: text }
}

function splitHost(
  name: string,
  options: ReferenceOptions,
  whole: string,
): { readonly host: string; readonly repository: string } {
  const slash = name.indexOf('/')
  const first = slash < 0 ? '' : name.slice(0, slash)
  const named = /[.:]/.test(first) || first === 'localhost'
  if (!named && options.defaultHost === undefined) {
    return refuse(
      whole,
      'it names no registry host',
      'Write the host, as in docker://docker.io/library/redis:7.',
    )
  }
  const host = named ? first : (options.defaultHost ?? '')
  const path = named ? name.slice(slash + 1) : name
  const repository = host === 'docker.io' && !path.includes('/') ? `library/${path}` : path
  if (!isHost(host)) return refuse(whole, `"${shorten(host, 80)}" is not a host`)
  if (!isRepository(repository)) return refuse(whole, `"${shorten(repository, 80)}" is not a repository name`)
  return { host, repository }
}

function isHost(host: string): boolean {
  const found = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)(?::(\d{1,5}))?$/.exec(host)
  return found !== null && !host.includes('..') && Number(found[3] ?? 1) > 0 && Number(found[3] ?? 1) < 65_536
}

function isRepository(path: string): boolean {
  return (
    path.length <= 255 &&
    path.split('/').every((part) => /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*$/.test(part))
  )
}

function refuse(text: string, why: string, hint?: string): never {
  // What stands before a host may be a password.
  const shown = text.replace(/^(.*:\/\/)?[^/]*@(?=[^/]*\/)/, '$1…@')
  return fail(
    'reference.invalid',
    `${JSON.stringify(shorten(shown, 200))}: ${why}`,
    hint === undefined ? {} : { hint },
  )
}
