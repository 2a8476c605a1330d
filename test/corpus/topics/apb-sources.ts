/** Tables about registries, judged by a broker whose catalog lists a small server of ours as a source. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { moveBrokerSettings, readDump } from '../../../src/authoring/apb/moving.ts'
import { isObject, type Json, type JsonObject } from '../../../src/kit/json.ts'
import { writeYaml } from '../../../src/kit/yaml.ts'
import { offeringOn, Platform } from '../../cnab/platform.ts'
import { startTestBroker } from '../../support/broker.ts'
import { closeServer, listen } from '../../support/registry.ts'
import { rowsOf, same } from '../rows.ts'
import type { Verdict } from '../topic.ts'
import type { Judge } from './apb.ts'

export const sourceTables: Readonly<Record<string, Judge>> = {
  'cases/filter.json': judgeFilters,
  'cases/oauth.json': judgeTokens,
  'cases/registry-config.json': judgeConfigurations,
  'registry/images.json': judgeManifests,
}

type Serve = (request: IncomingMessage, response: ServerResponse, host: string) => void

interface Row {
  readonly name: string
  readonly state: string
  readonly source?: string
  readonly problems?: readonly { readonly code: string }[]
  readonly listing?: { readonly faults: readonly string[] }
}

/** What a broker makes of a registry that answers so: its packages and its services. */
async function listed(
  serve: Serve,
  source: JsonObject,
): Promise<{ readonly rows: readonly Row[]; readonly services: readonly string[] }> {
  const server = createServer((request, response) => serve(request, response, String(request.headers.host)))
  await listen(server)
  const url = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const entry = { source: { name: 'dh', url, whiteList: ['.'], ...source }, contract: 'apb' }
  const broker = await startTestBroker('', undefined, offeringOn([entry]))
  try {
    const platform = new Platform(broker)
    const { body } = await platform.ask('GET', '/api/v1/packages', undefined, 'admin')
    const { services } = (await platform.catalog()) as unknown as { readonly services: readonly { name: string }[] }
    return { rows: body['items'] as unknown as readonly Row[], services: services.map(({ name }) => name) }
  } finally {
    await broker.stop()
    await closeServer(server)
  }
}

function answer(response: ServerResponse, status: number, document: Json, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document))
}

async function* judgeFilters(document: JsonObject): AsyncGenerator<Verdict> {
  const repositories = document['names'] ?? []
  for (const row of rowsOf(document, 'cases')) {
    const serve: Serve = ({ url }, response) => {
      if (url?.startsWith('/v2/_catalog')) answer(response, 200, { repositories })
      else answer(response, url === '/v2/' ? 200 : 404, {})
    }
    const { rows } = await listed(serve, { whiteList: row['white'] ?? [], blackList: row['black'] ?? [] })
    // Those that pass are asked for, and are not there.
    const passed = rows.flatMap(({ name, source }) => (source === 'dh' ? [name.slice('dh/'.length)] : []))
    const failed = rows.find(({ name }) => name === 'dh')?.listing?.faults.length ?? 0
    const wanted = Array.isArray(row['pass']) ? row['pass'].map(String) : []
    const faults = Array.isArray(row['failed_regex']) ? row['failed_regex'].length : 0
    yield same(`filter ${row['name']}`, [passed.toSorted(), failed], [wanted.toSorted(), faults])
  }
}

/** Challenges lead to the token server they name; of two tokens the one is taken that the original takes. */
async function* judgeTokens(document: JsonObject): AsyncGenerator<Verdict> {
  for (const row of rowsOf(document, 'www_authenticate')) {
    const given = String(row['in'])
    const asked = await tokenAsked(given, '{"token":"abc123"}')
    if (row['out'] === undefined) {
      yield same(`oauth ${given}`, asked.code, 'registry.answer-invalid')
      continue
    }
    const wanted = new URL(String(row['out']))
    yield same(`oauth ${given}`, [asked.path, asked.service], [wanted.pathname, wanted.searchParams.get('service')])
  }
  for (const row of rowsOf(document, 'token_body')) {
    const { used, code } = await tokenAsked('Bearer realm="http://foo/token"', String(row['in']))
    const isRefused = row['error'] === true || row['out'] === ''
    yield same(`oauth token ${row['in']}`, isRefused ? code : used, isRefused ? 'registry.answer-invalid' : row['out'])
  }
}

async function tokenAsked(challenge: string, body: string) {
  const seen: { path?: string; service?: string | null; used?: string } = {}
  const serve: Serve = ({ url = '', headers }, response, host) => {
    const { pathname, searchParams } = new URL(url, `http://${host}`)
    if (!pathname.startsWith('/v2/')) {
      Object.assign(seen, { path: pathname, service: searchParams.get('service') })
      response.writeHead(200).end(body)
      return
    }
    const [, used] = /^Bearer (.*)$/.exec(headers.authorization ?? '') ?? []
    if (used !== undefined) seen.used = used
    const here = challenge.replace(/https?:\/\/foo/, `http://${host}`)
    if (used === undefined) answer(response, 401, {}, { 'www-authenticate': here })
    else answer(response, 200, { repositories: [] })
  }
  const { rows } = await listed(serve, {})
  return { ...seen, code: rows.find(({ name }) => name === 'dh')?.problems?.[0]?.code.replace('unauthorized', 'answer-invalid') }
}

/** Registries of the original's configuration, as the import of settings takes or refuses them. */
async function* judgeConfigurations(document: JsonObject): AsyncGenerator<Verdict> {
  for (const row of rowsOf(document, 'validate')) {
    const config = { type: 'apiv2', url: 'registry.example', ...(row['config'] as JsonObject) }
    const moved = movedWith(config, filled(config))
    yield same(`registry ${JSON.stringify(row['config'])}`, moved.faults.length === 0, row['ok'])
  }
  for (const row of rowsOf(document, 'create')) {
    const { faults } = movedWith(row['config'] as JsonObject, {})
    const refused = row['error'] !== undefined
    const name = `registry created ${JSON.stringify(row['config'])}`
    yield same(name, faults.length > 0, refused)
  }
  for (const type of Array.isArray(document['types']) ? document['types'] : []) {
    const { faults } = movedWith({ name: 'a', type, url: 'registry.example' }, {})
    yield same(`registry type ${type}`, faults, [])
  }
  for (const row of rowsOf(document, 'auth')) {
    const config = { name: 'a', type: 'apiv2', url: 'registry.example', ...(row['config'] as JsonObject) }
    // A name without a type of login is refused by the same original elsewhere in this table.
    const { auth_name, ...plain } = config as JsonObject
    const given = (config as JsonObject)['auth_type'] === '' ? plain : { ...plain, ...(auth_name === undefined ? {} : { auth_name }) }
    const { faults, user, password } = movedWith(given as JsonObject, row)
    const wanted = row['error']
    const name = `registry login ${JSON.stringify(row['config'])}`
    if (wanted === undefined) yield same(name, [faults, user, password], [[], row['user'], row['pass']])
    else yield same(name, faults.some((fault) => fault.includes(String(wanted).replace(/: \.\.\.$/, ''))), true)
  }
}

/** A login that is there, whatever kind of it is asked for. */
function filled(config: JsonObject): JsonObject {
  const isLent = ['file', 'secret'].includes(String(config['auth_type']))
  return isLent ? { secret: { username: 'u', password: 'p' }, user: 'u', pass: 'p' } : {}
}

function movedWith(config: JsonObject, around: JsonObject) {
  const { secret } = around
  const named = String(config['auth_name'] ?? '')
  const items = isObject(secret)
    ? [
        {
          kind: 'Secret',
          metadata: { name: named },
          data: Object.fromEntries(
            Object.entries(secret).map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')]),
          ),
        },
      ]
    : []
  const file = () => {
    if (around['user'] !== undefined) return writeYaml({ username: around['user'], password: around['pass'] ?? '' })
    return named.includes('not YAML') ? '- [' : undefined
  }
  const text = writeYaml({ registry: [config] })
  const { settings, secrets, faults } = moveBrokerSettings({
    text,
    dump: readDump([{ name: 'dump', text: JSON.stringify({ items }) }]),
    read: file,
  })
  const [entry] = rowsOf(settings, 'catalog')
  const source = entry?.['source'] as JsonObject | undefined
  return { faults, user: source?.['user'], password: Object.values(secrets)[0] }
}

/** Manifests of three ages lead to the same service. */
async function* judgeManifests(document: JsonObject): AsyncGenerator<Verdict> {
  const blob = document['config_blob'] as JsonObject
  const expected = document['expect'] as JsonObject
  const pages = rowsOf(document, 'catalog_pages')
  for (const kind of ['schema1', 'schema2', 'oci_manifest']) {
    const manifest = document[kind] as JsonObject
    const serve: Serve = ({ url = '' }, response) => {
      const page = pages.find(({ request }) => String(request).replace(/^GET /, '') === url.replace('?n=1000', ''))
      const link = page === undefined || page['link'] === '' ? {} : { link: String(page['link']) }
      if (page !== undefined) answer(response, 200, page['body'] ?? {}, link)
      else if (url.includes('/manifests/'))
        answer(response, 200, manifest['body'] ?? {}, { 'content-type': String(manifest['content_type']) })
      else if (url.endsWith(String(blob['digest']))) response.writeHead(200).end(String(blob['body_text']))
      else answer(response, url === '/v2/' ? 200 : 404, {})
    }
    const { rows, services } = await listed(serve, {})
    const names = rows.flatMap(({ name, source }) => (source === 'dh' ? [name] : []))
    yield same(`registry pages (${kind})`, names, ['dh/org/a-apb', 'dh/org/tiny-apb', 'dh/org/z-apb'])
    yield same(`registry ${kind}`, services, [expected['service_name_under_dh']])
  }
  yield { name: 'registry helm index', outcome: 'skipped', why: 'charts are no images: import-settings names them as gone' }
}

