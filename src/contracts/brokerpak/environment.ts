/** Moves the configuration of the original brokers, their environment variables, into our settings. */
import { parseJson } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { declaredNames } from './functions.ts'
import type { Manifest } from './manifest.ts'
import { tilePlans } from './plans.ts'

export interface Moved {
  /** Our settings, to be written as a file. */
  readonly settings: JsonObject
  /** What the settings name and must not stand in them, by the names of files beside them. */
  readonly secrets: Readonly<Record<string, string>>
  /** What could not be read. */
  readonly faults: readonly string[]
  /** What an operator must know or do. */
  readonly remarks: readonly string[]
}

/** A pak that is at hand. */
export interface PakAtHand {
  readonly reference: string
  readonly services: readonly string[]
  readonly manifest: Manifest
  /** Built for gcp-service-broker, which hands its templates the account of its own. */
  readonly isV1?: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

interface Move {
  readonly environment: Environment
  readonly secrets: Record<string, string>
  /** Variables that have become something here. */
  readonly taken: Set<string>
  /** Services of paks at hand, as variables have their names. */
  readonly atHand: ReadonlySet<string>
  readonly faults: string[]
  readonly remarks: string[]
}

/** Folder of the files that the settings name, beside them. */
const secretsFolder = 'secrets'

/**
 * Reads `GSB_*` and what else the originals know, for these paks. One with the file name of a source is that source,
 * the others are of the built-in folder. The password is for the operator, whom the originals do not know.
 */
export function moveEnvironment(
  environment: Environment,
  paks: readonly PakAtHand[],
  operatorPassword: string,
): Moved {
  const atHand = new Set<string>()
  const move: Move = { environment, secrets: {}, taken: new Set(), atHand, faults: [], remarks: [] }
  const sources = sourcesOf(move)
  for (const { reference, services } of paks) {
    const { source } = sources.find(({ uri }) => isSame(uri, reference)) ?? {}
    for (const name of services) atHand.add(variableName(`${prefixOf(source)}${name}`))
  }
  const builtin = paks.filter((pak) => sources.every(({ uri }) => !isSame(uri, pak.reference)))
  const wantsBuiltin = flag(read(move, 'GSB_COMPATIBILITY_ENABLE_BUILTIN_BROKERPAKS'), true)
  const catalog = [
    ...(wantsBuiltin ? builtin.map((pak) => entryOf(move, pak.reference, pak, {})) : []),
    ...sources.map(({ uri, source }) =>
      entryOf(
        move,
        uri,
        paks.find((pak) => isSame(uri, pak.reference)),
        source,
      ),
    ),
  ]
  const port = read(move, 'PORT')
  const host = read(move, 'CSB_LISTENER_HOST') ?? '0.0.0.0'
  const [certificateFile, keyFile] = [read(move, 'TLS_CERT'), read(move, 'TLS_PRIVATE_KEY')]
  const settings: JsonObject = {
    ...(port === undefined && certificateFile === undefined
      ? {}
      : {
          http: compact([
            ['listen', port === undefined ? undefined : `${host}:${port}`],
            [
              'tls',
              filled(
                compact([
                  ['certificateFile', certificateFile],
                  ['keyFile', keyFile],
                ]),
              ),
            ],
          ]),
        }),
    dataDir: './data',
    auth: { users: usersOf(move, operatorPassword) },
    catalog,
  }
  remark(move)
  return { settings, secrets: move.secrets, faults: move.faults, remarks: move.remarks }
}

/** The value of a variable that has a counterpart. */
function read(move: Move, name: string): string | undefined {
  move.taken.add(name)
  return move.environment[name]
}

/** A value that stands in a file of its own; paks may be given different ones under one name. */
function secretFile(move: Move, name: string, value: string): string {
  let file = name
  for (let other = 2; (move.secrets[file] ?? value) !== value; other++) file = `${name}-${other}`
  move.secrets[file] = value
  return `./${secretsFolder}/${file}`
}

function isSame(uri: string, reference: string): boolean {
  const name = (text: string) =>
    text
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1)
  return uri === reference || name(uri) === name(reference)
}

interface Source {
  readonly uri: string
  readonly source: JsonObject
}

function prefixOf(source: JsonObject = {}): string {
  return typeof source['service_prefix'] === 'string' ? source['service_prefix'] : ''
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

const serviceVariable = /^GSB_SERVICE_(.+)_(?:PLANS|PROVISION_DEFAULTS|BIND_DEFAULTS)$/

/** Names of services that variables speak of and no pak at hand has, as near as upper case lets us see them. */
function guessedServices(move: Move, reference: string, prefix: string): readonly string[] {
  const start = variableName(prefix)
  const names = Object.keys(move.environment).flatMap((name) => {
    const found = serviceVariable.exec(name)?.[1]
    const isIts = found?.startsWith(start) === true && !move.atHand.has(found)
    return isIts ? [found.slice(start.length).toLowerCase().replaceAll('_', '-')] : []
  })
  const services = [...new Set(names)]
  const guess = services.length === 0 ? '' : `; its services are taken to be called ${services.join(', ')}`
  move.remarks.push(
    `${reference} is not at hand, so what it needs of the environment cannot be told${guess}: name the file with --pak`,
  )
  return services
}

function entryOf(move: Move, reference: string, pak: PakAtHand | undefined, source: JsonObject): JsonObject {
  const prefix = prefixOf(source)
  const services = pak?.services ?? guessedServices(move, reference, prefix)
  const global = textJson(move, 'GSB_BROKERPAK_CONFIG', read(move, 'GSB_BROKERPAK_CONFIG'))
  const own = textJson(move, `config of ${reference}`, source['config'])
  const { global_labels: labels, ...parameters } = { ...global, ...own }
  const values = texts(parameters)
  const plans = compact(services.map((name) => [name, plansOf(move, `${prefix}${name}`)]))
  const defaults = compact(services.map((name) => [name, defaultsOf(move, `${prefix}${name}`)]))
  const all = jsonAt(move, 'GSB_PROVISION_DEFAULTS')
  const excluded = String(source['excluded_services'] ?? '')
    .split('\n')
    .filter((id) => id.trim() !== '')
  const accepts = flag(read(move, 'CSB_DISABLE_REQUEST_PROPERTY_VALIDATION'), false)
  const options = compact([
    ['service_prefix', prefix === '' ? undefined : prefix],
    ['excluded_services', excluded.length > 0 ? excluded : undefined],
    ['global_defaults', all],
    ['global_labels', labels],
    // What the manifest declares is lent from files; of a pak that is not at hand it is unknown what is secret.
    ['environment', pak === undefined ? filled(values) : undefined],
    ['services', filled(defaults)],
    ['plans', filled(plans)],
    ['unknown_parameters', accepts ? 'accept' : undefined],
  ])
  const account = pak?.isV1 === true ? accountLent(move) : []
  const infrastructure = pak === undefined ? [] : [...lentTo(move, pak, values), ...account]
  return {
    package: reference,
    ...(Object.keys(options).length > 0 ? { options } : {}),
    ...(infrastructure.length > 0 ? { infrastructure } : {}),
  }
}

/** What the manifest declares: of the configuration its parameters, of the environment the rest. */
function lentTo(move: Move, { reference, manifest }: PakAtHand, config: JsonObject): readonly Json[] {
  const parameters = manifest.parameters.map(({ name }) => name)
  const ignored = Object.keys(config).filter((name) => !parameters.includes(name))
  if (ignored.length > 0)
    move.remarks.push(
      `${reference} declares no parameter ${ignored.join(', ')}: the original ignored it, too`,
    )
  return [...new Set(declaredNames(manifest))].flatMap((name): readonly Json[] => {
    const value = parameters.includes(name) ? (config[name] ?? read(move, name)) : read(move, name)
    if (typeof value === 'string') return [{ name, value_file: secretFile(move, name, value) }]
    if (manifest.requiredEnvironment.includes(name))
      move.remarks.push(`${reference} requires ${name}, which is not set: lend it as infrastructure`)
    return []
  })
}

/** The account that gcp-service-broker hands to the templates of every pak. */
function accountLent(move: Move): readonly Json[] {
  const account = read(move, 'ROOT_SERVICE_ACCOUNT_JSON')
  if (account === undefined) return []
  const project = textJson(move, 'ROOT_SERVICE_ACCOUNT_JSON', account)['project_id']
  const values = compact([
    ['GOOGLE_CREDENTIALS', account],
    ['GOOGLE_PROJECT', project],
  ])
  return Object.entries(values).flatMap(([name, value]): readonly Json[] =>
    typeof value === 'string' ? [{ name, value_file: secretFile(move, name, value) }] : [],
  )
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

function usersOf(move: Move, operatorPassword: string): Json {
  const [name, password] = [read(move, 'SECURITY_USER_NAME'), read(move, 'SECURITY_USER_PASSWORD')]
  const isKnown = name !== undefined && password !== undefined
  if (!isKnown)
    move.remarks.push('SECURITY_USER_NAME and SECURITY_USER_PASSWORD are not set: add a platform account')
  return [
    ...(isKnown
      ? [{ name, password_file: secretFile(move, 'platform-password', password), role: 'platform' }]
      : []),
    {
      name: name === 'admin' ? 'operator' : 'admin',
      password_file: secretFile(move, 'operator-password', operatorPassword),
      role: 'operator',
    },
  ]
}

const sayings: Readonly<Record<string, string>> = {
  DB_HOST:
    'the database of the original is not read: export the state of each instance there and import it here',
  DB_PATH:
    'the database of the original is not read: export the state of each instance there and import it here',
  ENCRYPTION_PASSWORDS: 'secrets are sealed with keys of our own; the passwords are not needed here',
  CH_CRED_HUB_URL: 'credentials are not put into CredHub',
  TERRAFORM_UPGRADES_ENABLED:
    'every other build of a pak is offered as an upgrade; maintenance: engine among the options offers engines only',
  BROKERPAK_UPDATES_ENABLED: 'instances stay with the package they were made from until they are upgraded',
  GSB_BROKERPAK_BUILTIN_PATH: 'paks of that folder are taken over when they are named',
}

function remark(move: Move): void {
  const known = Object.entries(sayings).filter(([name]) => move.environment[name] !== undefined)
  move.remarks.push(...new Set(known.map(([name, text]) => `${name}: ${text}`)))
  const toggles = Object.keys(move.environment).filter(
    (name) => name.startsWith('GSB_COMPATIBILITY_ENABLE_') && !move.taken.has(name),
  )
  for (const name of toggles.sort()) {
    move.remarks.push(`${name}: services are not hidden by their tags; leave them out with excluded_services`)
  }
  const said = new Set([...Object.keys(sayings), ...toggles])
  const unread = Object.keys(move.environment).filter(
    (name) => ofOriginals.test(name) && !move.taken.has(name) && !said.has(name),
  )
  for (const name of unread.sort()) {
    const isOfService = serviceVariable.test(name)
    move.remarks.push(
      isOfService
        ? `${name}: no pak that is named has this service; name its pak with --pak`
        : `${name}: has no counterpart here and was left out`,
    )
  }
  const others = Object.keys(move.environment).filter(
    (name) => !ofOriginals.test(name) && !ofSystems.test(name) && !move.taken.has(name) && !said.has(name),
  )
  if (others.length > 0) move.remarks.push(`${others.sort().join(', ')}: ${ofOthers}`)
}

const ofOthers =
  'no pak at hand declares these, and the originals hand their whole environment to Terraform; what templates or providers need belongs under environment among the options'

/** What shells, systems and Cloud Foundry set for every program. */
const ofSystems =
  /^(?:_|PATH|HOME|PWD|OLDPWD|SHELL|SHLVL|USER|LOGNAME|MAIL|TERM|COLORTERM|LANG|LANGUAGE|HOSTNAME|DISPLAY|EDITOR|PAGER|TMPDIR|TZ|LS_COLORS|MEMORY_LIMIT)$|^(?:LC|XDG|SSH|DBUS|VCAP|CF|INSTANCE|npm|CHANDLER)_/

/** Whose names say that they are meant for an original. */
const ofOriginals =
  /^(?:GSB|CSB|CH|DB|ENCRYPTION|SECURITY_USER|TLS|TERRAFORM|BROKERPAK|PAK)_|_CUSTOM_PLANS$|^(?:CA_CERT|CLIENT_CERT|CLIENT_KEY)$/

function jsonAt(move: Move, name: string): Json | undefined {
  return parsed(move, name, read(move, name))
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
