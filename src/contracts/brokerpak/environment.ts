/** Moves the configuration of the original brokers, their environment variables, into our settings. */
import { parseJson } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { tilePlans } from './plans.ts'

export interface Moved {
  /** Our settings, to be written as a file. */
  readonly settings: JsonObject
  /** What could not be read. */
  readonly faults: readonly string[]
  /** What an operator must know or do. */
  readonly remarks: readonly string[]
}

/** A pak that is at hand, with the names of its services. */
export interface PakAtHand {
  readonly reference: string
  readonly services: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>

interface Move {
  readonly environment: Environment
  readonly faults: string[]
  readonly remarks: string[]
}

/** Reads `GSB_*` and what else the originals know; paks of their built-in folder are named by the caller. */
export function moveEnvironment(environment: Environment, builtin: readonly PakAtHand[]): Moved {
  const move: Move = { environment, faults: [], remarks: [] }
  const sources = sourcesOf(move)
  const catalog = [
    ...(flag(environment['GSB_COMPATIBILITY_ENABLE_BUILTIN_BROKERPAKS'], true)
      ? builtin.map((pak) => entryOf(move, pak.reference, pak.services, {}))
      : []),
    ...sources.map(({ uri, source }) => entryOf(move, uri, servicesOf(move, uri, builtin), source)),
  ]
  remark(move)
  const users = usersOf(environment)
  const port = environment['PORT']
  const settings: JsonObject = {
    ...(port === undefined
      ? {}
      : { http: { listen: `${environment['CSB_LISTENER_HOST'] ?? '0.0.0.0'}:${port}` } }),
    ...(users === undefined ? {} : { auth: { users } }),
    catalog,
  }
  return { settings, faults: move.faults, remarks: move.remarks }
}

interface Source {
  readonly uri: string
  readonly source: JsonObject
}

function sourcesOf(move: Move): readonly Source[] {
  const given = jsonAt(move, 'GSB_BROKERPAK_SOURCES')
  return Object.entries(isObject(given) ? (given as JsonObject) : {}).flatMap(([key, value]) => {
    if (isObject(value) && typeof value['uri'] === 'string')
      return [{ uri: value['uri'], source: value as JsonObject }]
    move.faults.push(`GSB_BROKERPAK_SOURCES: ${key} has no uri`)
    return []
  })
}

/** What is known of a pak by its file name; services of others cannot be told before they are read. */
function servicesOf(move: Move, uri: string, builtin: readonly PakAtHand[]): readonly string[] {
  const known = builtin.find(({ reference }) => reference === uri)
  return known?.services ?? namesIn(move.environment)
}

/** Names of services that variables speak of, as near as upper case lets us see them. */
function namesIn(environment: Environment): readonly string[] {
  const names = Object.keys(environment).flatMap((name) => {
    const found = /^GSB_SERVICE_(.+)_(?:PLANS|PROVISION_DEFAULTS|BIND_DEFAULTS)$/.exec(name)?.[1]
    return found === undefined ? [] : [found.toLowerCase().replaceAll('_', '-')]
  })
  return [...new Set(names)]
}

function entryOf(move: Move, reference: string, services: readonly string[], source: JsonObject): JsonObject {
  const global = textJson(move, 'GSB_BROKERPAK_CONFIG', move.environment['GSB_BROKERPAK_CONFIG'])
  const own = textJson(move, `config of ${reference}`, source['config'])
  const { global_labels: labels, ...parameters } = { ...global, ...own }
  const plans = compact(services.map((name) => [name, plansOf(move, name)]))
  const defaults = compact(services.map((name) => [name, defaultsOf(move, name)]))
  const all = jsonAt(move, 'GSB_PROVISION_DEFAULTS')
  const excluded = String(source['excluded_services'] ?? '')
    .split('\n')
    .filter((id) => id.trim() !== '')
  const options = compact([
    ['service_prefix', source['service_prefix'] === '' ? undefined : source['service_prefix']],
    ['excluded_services', excluded.length > 0 ? excluded : undefined],
    ['global_defaults', all],
    ['global_labels', labels],
    ['environment', filled(texts(parameters))],
    ['services', filled(defaults)],
    ['plans', filled(plans)],
    [
      'unknown_parameters',
      flag(move.environment['CSB_DISABLE_REQUEST_PROPERTY_VALIDATION'], false) ? 'accept' : undefined,
    ],
  ])
  return { package: reference, ...(Object.keys(options).length > 0 ? { options } : {}) }
}

function plansOf(move: Move, service: string): Json | undefined {
  const upper = variableName(service)
  const listed = jsonAt(move, `GSB_SERVICE_${upper}_PLANS`)
  const tile =
    jsonAt(move, `${upper.replace(/^GOOGLE_/, '')}_CUSTOM_PLANS`) ?? jsonAt(move, `${upper}_CUSTOM_PLANS`)
  const all = [listed, tile === undefined ? undefined : tilePlans(tile)].flatMap((list) => list ?? [])
  return all.length > 0 ? all : undefined
}

function defaultsOf(move: Move, service: string): Json | undefined {
  const upper = variableName(service)
  const defaults = compact([
    ['provision_defaults', jsonAt(move, `GSB_SERVICE_${upper}_PROVISION_DEFAULTS`)],
    ['bind_defaults', jsonAt(move, `GSB_SERVICE_${upper}_BIND_DEFAULTS`)],
  ])
  return filled(defaults)
}

function usersOf({
  SECURITY_USER_NAME: name,
  SECURITY_USER_PASSWORD: password,
}: Environment): Json | undefined {
  return name === undefined || password === undefined ? undefined : [{ name, password, role: 'platform' }]
}

const sayings: Readonly<Record<string, string>> = {
  DB_HOST:
    'the database of the original is not read: export the state of each instance there and import it here',
  DB_PATH:
    'the database of the original is not read: export the state of each instance there and import it here',
  ENCRYPTION_PASSWORDS: 'secrets are sealed with keys of our own; the passwords are not needed here',
  CH_CRED_HUB_URL: 'credentials are not put into CredHub',
  TERRAFORM_UPGRADES_ENABLED: 'upgrades are offered by every pak that has an upgrade path',
  BROKERPAK_UPDATES_ENABLED: 'instances stay with the package they were made from until they are upgraded',
  GSB_BROKERPAK_BUILTIN_PATH: 'paks of that folder are taken over when they are named',
}

function remark(move: Move): void {
  const said = Object.entries(sayings).filter(([name]) => move.environment[name] !== undefined)
  move.remarks.push(...new Set(said.map(([name, text]) => `${name}: ${text}`)))
  const toggles = Object.keys(move.environment).filter(
    (name) => name.startsWith('GSB_COMPATIBILITY_ENABLE_') && !name.endsWith('BUILTIN_BROKERPAKS'),
  )
  for (const name of toggles.sort()) {
    move.remarks.push(`${name}: services are not hidden by their tags; leave them out with excluded_services`)
  }
}

function jsonAt(move: Move, name: string): Json | undefined {
  return parsed(move, name, move.environment[name])
}

function textJson(move: Move, name: string, value: Json | undefined): JsonObject {
  const read = typeof value === 'string' ? parsed(move, name, value) : value
  return isObject(read) ? (read as JsonObject) : {}
}

function parsed(move: Move, name: string, text: string | undefined): Json | undefined {
  if (text === undefined || text.trim() === '') return undefined
  try {
    return parseJson(text) as Json
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is no JSON'
    if (!move.faults.some((fault) => fault.startsWith(`${name}: `))) move.faults.push(`${name}: ${why}`)
    return undefined
  }
}

function texts(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}

function filled(map: JsonObject): JsonObject | undefined {
  return Object.keys(map).length > 0 ? map : undefined
}

function compact(entries: readonly (readonly [string, Json | undefined])[]): JsonObject {
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
}

function variableName(service: string): string {
  return service.toUpperCase().replace(/[.-]/g, '_')
}

function flag(text: string | undefined, fallback: boolean): boolean {
  return text === undefined ? fallback : ['1', 't', 'true'].includes(text.toLowerCase())
}
