/** Content behind addresses of the web: files, archives of commits, packages of npm and Maven, charts of Helm. */
import { createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { shorten } from '../../kit/text.ts'
import { readYaml } from '../../kit/yaml.ts'
import { fail } from '../../model/problem.ts'
import { collect } from '../archive/collect.ts'
import { parseReference } from '../reference.ts'
import { webFile } from '../registry/web-file.ts'
import {
  artifact,
  type Content,
  type ContentOptions,
  describeAccess,
  mediaTypeOf,
  type Reader,
  text,
} from './access.ts'

/** Indexes of large repositories of charts have tens of megabytes. */
const indexBytesMax = 64 * 1024 * 1024

function fileAt(url: string, mediaType: string, { registries, signal }: ContentOptions): Content {
  return { kind: 'blob', mediaType, open: () => webFile(url, registries, signal) }
}

/** Charts in registries are artifacts; those of repositories with an index are archives. */
export async function helmChart(reader: Reader): Promise<Content> {
  const { access, options } = reader
  const repository = text(reader, 'helmRepository').replace(/\/+$/, '')
  const [chart = '', inline] = text(reader, 'helmChart').split(':')
  const { version = inline } = access
  if (typeof version !== 'string')
    return fail('ocm.access.invalid', `${describeAccess(access)}, chart ${chart}: it names no version`)
  if (repository.startsWith('oci://'))
    return artifact(`${repository.slice('oci://'.length)}/${chart}:${version.replace('+', '_')}`, reader)
  const more = ['caCert', 'keyring'].filter((key) => isSaid(access[key]))
  if (more.length > 0)
    return fail('ocm.access.unsupported', `${describeAccess(access)} with ${more.join(', ')}`)
  const base = baseOf(reader, repository)
  const index = await yamlAt(new URL('index.yaml', base).href, options)
  const { entries } = index
  const listed = isObject(entries) && Object.hasOwn(entries, chart) ? entries[chart] : undefined
  const entry = (Array.isArray(listed) ? listed : []).find(
    (one) => isObject(one) && one['version'] === version,
  )
  const urls: unknown = isObject(entry) ? entry['urls'] : undefined
  const [address]: readonly unknown[] = Array.isArray(urls) ? urls : []
  if (typeof address !== 'string')
    return fail('artifact.not-found', `the chart ${chart}:${version}`, { where: { source: repository } })
  const url = addressOf(reader, address, base)
  return fileAt(url, 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', options)
}

/** The tarball that a registry of npm names, which must be what its digest there says. */
export async function npmPackage(reader: Reader): Promise<Content> {
  const { options } = reader
  const registry = text(reader, 'registry').replace(/\/+$/, '')
  const name = text(reader, 'package')
  const version = text(reader, 'version')
  const base = baseOf(reader, registry)
  const url = new URL(`${encodeURIComponent(name).replace('%40', '@')}/${encodeURIComponent(version)}`, base)
  const { dist } = await yamlAt(url.href, options)
  const { tarball, integrity } = isObject(dist) ? dist : {}
  if (typeof tarball !== 'string')
    return fail('artifact.not-found', `the package ${name}@${version}`, { where: { source: registry } })
  const address = addressOf(reader, tarball, base)
  const open = (): AsyncIterable<Uint8Array> => webFile(address, options.registries, options.signal)
  return {
    kind: 'blob',
    mediaType: 'application/x-tgz',
    open: typeof integrity === 'string' ? () => whole(open(), integrity, `${name}@${version}`) : open,
  }
}

/** Passes bytes on and fails at their end if they are not those of a subresource integrity. Problems: artifact.altered. */
async function* whole(
  bytes: AsyncIterable<Uint8Array>,
  integrity: string,
  name: string,
): AsyncIterable<Uint8Array> {
  const [, algorithm = '', wanted = ''] = /\b(sha(?:256|384|512))-([A-Za-z0-9+/=]+)/.exec(integrity) ?? []
  if (algorithm === '') return yield* bytes
  const hash = createHash(algorithm)
  for await (const piece of bytes) {
    hash.update(piece)
    yield piece
  }
  const found = hash.digest('base64')
  if (found !== wanted)
    fail('artifact.altered', `${name} should have ${algorithm}-${wanted}, found ${algorithm}-${found}`)
}

const mavenTypes: Readonly<Record<string, string>> = {
  jar: 'application/java-archive',
  pom: 'application/xml',
  xml: 'application/xml',
  zip: 'application/zip',
  'tar.gz': 'application/gzip',
}

/** One file of a Maven repository; which ones there are, a repository does not say. */
export function mavenFile(reader: Reader): Content {
  const { access, options } = reader
  const { classifier, extension } = access
  if (typeof extension !== 'string' || extension === '')
    return fail(
      'ocm.access.unsupported',
      `${describeAccess(access)}: all files of a version at once; one is fetched, by its "extension"`,
    )
  const [group, name, version] = [
    text(reader, 'groupId'),
    text(reader, 'artifactId'),
    text(reader, 'version'),
  ]
  const tail = typeof classifier === 'string' && classifier !== '' ? `-${classifier}` : ''
  const steps = [...group.split('.'), name, version, `${name}-${version}${tail}.${extension}`]
  if (steps.some((step) => step === '' || step === '..' || /[/\\]/.test(step)))
    return fail(
      'ocm.access.invalid',
      `${describeAccess(access)}: ${shorten(steps.join('/'), 200)} is no path`,
    )
  const url = new URL(steps.map(encodeURIComponent).join('/'), baseOf(reader, text(reader, 'repoUrl')))
  return fileAt(url.href, mavenTypes[extension] ?? 'application/octet-stream', options)
}

function baseOf({ access }: Reader, address: string): URL {
  const url = URL.parse(`${address.replace(/\/+$/, '')}/`)
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  return fail('ocm.access.unsupported', `${describeAccess(access)}: only addresses with https:// are fetched`)
}

/** What a document names may lie elsewhere, but in the web. */
function addressOf({ access }: Reader, address: string, base: URL): string {
  const url = URL.parse(address, base.href)
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href
  return fail('ocm.access.unsupported', `${describeAccess(access)}: it leads to ${shorten(address, 200)}`)
}

async function yamlAt(url: string, { registries, signal }: ContentOptions): Promise<JsonObject> {
  const bytes = await collect(webFile(url, registries, signal), indexBytesMax)
  const { value, faults } = readYaml(Buffer.from(bytes).toString(), { merge: false, aliasesMax: 0 })
  if (isObject(value)) return value as JsonObject
  return fail('registry.answer-invalid', faults[0]?.message ?? 'it is no map', {
    where: { source: new URL(url).host },
  })
}

/** The tree of a commit, as GitHub packs it. */
export function gitArchive(reader: Reader): Content {
  const { access, options } = reader
  const [, host = '', owner = '', name = ''] =
    /^(?:https?:\/\/)?([A-Za-z0-9.:-]+)\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(text(reader, 'repoUrl')) ??
    []
  const commit = text(reader, 'commit')
  const said = access['apiHostname']
  const api = host === 'github.com' ? 'api.github.com' : `${host}/api/v3`
  if (name === '' || !/^[0-9a-f]{40}$/.test(commit))
    return fail(
      'ocm.access.invalid',
      `${describeAccess(access)}: a repository of a host and a whole commit are needed`,
    )
  const url = `https://${typeof said === 'string' && said !== '' ? said : api}/repos/${owner}/${name}/tarball/${commit}`
  return fileAt(url, 'application/x-tgz', options)
}

/** A file of the web, fetched plainly. */
export function webContent(reader: Reader): Content {
  const { access, options } = reader
  const url = text(reader, 'url', 'URL')
  const more = ['header', 'body', 'noredirect'].filter((key) => isSaid(access[key]))
  const { verb = 'GET' } = access
  if (verb !== '' && verb !== 'GET') more.push('verb')
  if (more.length > 0)
    return fail('ocm.access.unsupported', `${describeAccess(access)} with ${more.join(', ')}`)
  const reference = parseReference(url)
  if (reference.kind !== 'url')
    return fail('ocm.access.invalid', `${access.type}: ${shorten(url, 200)} is no URL`)
  return fileAt(url, mediaTypeOf(access), options)
}

function isSaid(value: Json | undefined): boolean {
  return (
    value !== undefined &&
    value !== null &&
    value !== '' &&
    value !== false &&
    !(isObject(value) && Object.keys(value).length === 0)
  )
}
