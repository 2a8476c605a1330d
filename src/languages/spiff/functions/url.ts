/** Functions on paths and addresses of the web. */
import { fromHex } from '../../../kit/bytes.ts'
import type { Call, SpiffFunction } from '../env.ts'
import { textOf } from '../go-text.ts'
import { failure } from '../issue.ts'
import { dictOf, listOf, type Value } from '../value.ts'
import { count, text } from './arguments.ts'

export const urlFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['basename', (call) => baseName(pathOf(call))],
  ['dirname', (call) => folderName(pathOf(call))],
  ['parseurl', parseurl],
]

interface Url {
  readonly scheme: string
  readonly userinfo: string | undefined
  readonly host: string
  readonly port: string
  readonly path: string
  readonly query: string
  readonly fragment: string
}

/** The path part of an address that parses, otherwise the text itself. */
function pathOf(call: Call): string {
  count(call, 1, 1, `${call.name} requires one argument`)
  const given = text(call.args[0], `string argument expected for function ${call.name}`)
  const parsed = parse(given)
  const path = 'fault' in parsed ? given : parsed.path
  return path === '' ? '/' : path
}

function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1)
}

function folderName(path: string): string {
  const cut = path.lastIndexOf('/')
  return cut < 0 ? '.' : clean(path.slice(0, cut + 1))
}

/** Go's path.Clean. */
function clean(path: string): string {
  const rooted = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '..' || !rooted) parts.push(part)
  }
  const joined = parts.join('/')
  if (rooted) return `/${joined}`
  return joined === '' ? '.' : joined
}

function parse(given: string): Url | { readonly fault: string } {
  const [beforeFragment = '', ...fragments] = given.split('#')
  const [main = '', ...queries] = beforeFragment.split('?')
  if (main.startsWith(':')) return { fault: 'missing protocol scheme' }
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(main)?.[1] ?? ''
  if (scheme === '' && /^[^/]*:/.test(main))
    return { fault: 'first path segment in URL cannot contain colon' }
  const rest = scheme === '' ? main : main.slice(scheme.length + 1)
  const opaque = scheme !== '' && !rest.startsWith('/')
  const authority = rest.startsWith('//') ? (/^\/\/([^/]*)/.exec(rest)?.[1] ?? '') : undefined
  const rawPath = opaque ? '' : rest.slice(authority === undefined ? 0 : 2 + authority.length)
  const path = unquote(rawPath)
  if (path === undefined) return { fault: `invalid URL escape "${/%.{0,2}/.exec(rawPath)?.[0] ?? ''}"` }
  const at = authority?.lastIndexOf('@') ?? -1
  const place = authority?.slice(at + 1) ?? ''
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(place) ?? []
  if (!/^[0-9]*$/.test(port)) return { fault: `invalid port ":${port}" after host` }
  return {
    scheme: scheme.toLowerCase(),
    userinfo: authority !== undefined && at >= 0 ? authority.slice(0, at) : undefined,
    host: host.replace(/^\[|\]$/g, ''),
    port,
    path,
    query: queries.join('?'),
    fragment: unquote(fragments.join('#')) ?? '',
  }
}

/** Undoes percent escapes; undefined where one is broken. */
function unquote(text: string): string | undefined {
  if (!text.includes('%')) return text
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined
  const bytes = text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => textOf(fromHex(run.replaceAll('%', ''))))
  return bytes
}

function parseurl(call: Call): Value {
  count(call, 1, 1, 'parseurl requires one argument')
  const given = text(call.args[0], 'argument for parseurl must be a string')
  const url = parse(given)
  if ('fault' in url) return failure(`invalid argument for parseurl: parse "${given}": ${url.fault}`)
  const { made } = call.env.stand
  const entries: (readonly [string, Value])[] = [
    ['scheme', url.scheme],
    ['host', url.host],
    ['path', url.path],
    ['fragment', url.fragment],
    ['query', url.query],
    ['values', valuesOf(url.query, made)],
  ]
  if (url.port !== '') entries.push(['port', BigInt(url.port)])
  if (url.userinfo !== undefined) entries.push(['userinfo', userOf(url.userinfo, made)])
  return dictOf(entries, made)
}

function valuesOf(query: string, made: string): Value {
  const values = new Map<string, string[]>()
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name = '', ...rest] = pair.split('=')
    const key = unquote(name.replaceAll('+', ' '))
    const value = unquote(rest.join('=').replaceAll('+', ' '))
    if (key === undefined || value === undefined) continue
    values.set(key, [...(values.get(key) ?? []), value])
  }
  return dictOf(
    [...values].map(([key, list]) => [key, listOf(list, made)] as const),
    made,
  )
}

function userOf(userinfo: string, made: string): Value {
  const cut = userinfo.indexOf(':')
  const username = unquote(cut < 0 ? userinfo : userinfo.slice(0, cut)) ?? ''
  if (cut < 0) return dictOf([['username', username]], made)
  return dictOf(
    [
      ['username', username],
      ['password', unquote(userinfo.slice(cut + 1)) ?? ''],
    ],
    made,
  )
}
