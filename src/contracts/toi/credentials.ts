/** What the operator gives, turned into what the executor finds: credentials by name, and consumers that are passed on. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import {
  type ConsumerIdentity,
  type CredentialSpec,
  consumersOf,
  credentialsOf,
  emptyConfig,
  findConsumer,
  matcherFor,
  type OcmConfig,
  readConfig,
} from '../../languages/ocm/index.ts'
import type { Problem } from '../../model/problem.ts'
import type { Wanted } from './requests.ts'
import { process, type Surroundings } from './spiff.ts'

type Properties = Readonly<Record<string, string>>

/** What the operator has to give. */
export interface MountedPrograms {
  /** The credentials file as a document; absent: there is none. */
  readonly file?: JsonObject
  /** Single credentials by name, then property; stronger than the file. */
  readonly single: Readonly<Record<string, Properties>>
  readonly config: OcmConfig
}

/** Names in the infrastructure that hold whole documents. */
export const credentialsFile = 'TOICredentials'
export const configFile = '.ocmconfig'

/** Reads what is lent. Problems: toi.credentials.invalid. */
export function lentBy(
  infrastructure: Readonly<Record<string, { reveal(): string } | string>>,
  around: Surroundings,
): { readonly lent: MountedPrograms; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const text = (value: { reveal(): string } | string): string =>
    typeof value === 'string' ? value : value.reveal()
  const single: Record<string, Record<string, string>> = {}
  let file: JsonObject | undefined
  let config = emptyConfig
  for (const [name, value] of Object.entries(infrastructure)) {
    if (name === credentialsFile) file = fileOf(text(value), around, problems)
    else if (name === configFile) config = configOf(text(value), problems)
    else {
      const dot = name.lastIndexOf('.')
      const [set, property] = dot < 1 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)]
      single[set] = { ...single[set], [property === '' ? 'value' : property]: text(value) }
    }
  }
  return { lent: { ...present({ file }), single, config }, problems }
}

/** The file is a template of its own, without stubs. Values of it never stand in a message. */
function fileOf(text: string, around: Surroundings, problems: Problem[]): JsonObject {
  if (text.trim() === '') return {}
  const processed = process({ name: credentialsFile, text }, [], around)
  const where = { source: credentialsFile }
  if (processed.kind === 'failed') {
    problems.push({ code: 'toi.credentials.invalid', detail: 'error processing credential settings', where })
    return {}
  }
  if (isObject(processed.value)) return processed.value as JsonObject
  if (processed.value !== null)
    problems.push({
      code: 'toi.credentials.invalid',
      detail: 'invalid credential settings: it is no map',
      where,
    })
  return {}
}

function configOf(text: string, problems: Problem[]): OcmConfig {
  const reading = readConfig(text)
  if (reading.kind === 'read') return reading.value
  for (const { path, message, line, column, hint } of reading.faults)
    problems.push({
      code: 'ocm.config.invalid',
      detail: `${path} ${message}`.trim(),
      where: { source: configFile, ...present({ line, column }) },
      ...present({ hint }),
    })
  return emptyConfig
}

export interface Resolved {
  /** By the names that the executor knows. */
  readonly sets: Readonly<Record<string, Properties>>
  readonly consumers: readonly { readonly identity: ConsumerIdentity; readonly name: string }[]
  /** Passed on with what they are. */
  readonly forwarded: readonly { readonly identity: ConsumerIdentity; readonly properties: Properties }[]
  readonly warnings: readonly Problem[]
}

/** Problems: toi.credentials.required, toi.credentials.missing, toi.credentials.invalid, all at once. */
export function resolve(
  wanted: readonly Wanted[],
  lent: MountedPrograms,
  repository: ConsumerIdentity | undefined,
): { readonly resolved: Resolved; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const sets: Record<string, Properties> = {}
  const consumers: { identity: ConsumerIdentity; name: string }[] = []
  const warnings: Problem[] = []
  const entries = mapOf(lent.file?.['credentials'])
  const hasAny = lent.file !== undefined || Object.keys(lent.single).length > 0
  if (!hasAny && wanted.some(({ request }) => !request.optional)) {
    const names = wanted.filter(({ request }) => !request.optional).map(({ name }) => name)
    return {
      resolved: { sets, consumers, forwarded: [], warnings },
      problems: [
        { code: 'toi.credentials.required', detail: `credential settings required: ${names.join(', ')}` },
      ],
    }
  }
  for (const { name, as, request } of wanted) {
    const found =
      lent.single[name] === undefined
        ? setOf(name, entries[name], { lent, problems })
        : { properties: lent.single[name] ?? {} }
    if (found === undefined) {
      if (!request.optional)
        problems.push({
          code: 'toi.credentials.missing',
          detail: `credential ${JSON.stringify(name)} not found`,
        })
      continue
    }
    sets[as] = found.properties
    if ('target' in found && found.target !== undefined) consumers.push({ identity: found.target, name: as })
    if (request.consumerId !== undefined) consumers.push({ identity: request.consumerId, name: as })
    const absent = Object.keys(request.properties).filter(
      (property) => !Object.hasOwn(found.properties, property),
    )
    if (absent.length > 0 && Object.keys(found.properties).length > 0)
      warnings.push({
        code: 'toi.credentials.missing',
        detail: `credential ${name} lacks ${absent.join(', ')}`,
      })
  }
  const forwarded = forwardedOf(lent, repository, problems)
  return { resolved: { sets: sortedSets(sets), consumers, forwarded, warnings }, problems }
}

function sortedSets(sets: Readonly<Record<string, Properties>>): Readonly<Record<string, Properties>> {
  return Object.fromEntries(Object.entries(sets).toSorted(([a], [b]) => Number(a > b) - Number(a < b)))
}

function mapOf(value: Json | undefined): Readonly<Record<string, Json>> {
  return isObject(value) ? (value as JsonObject) : {}
}

interface Looking {
  readonly lent: MountedPrograms
  readonly problems: Problem[]
}

function setOf(
  name: string,
  entry: Json | undefined,
  { lent, problems }: Looking,
): { readonly properties: Properties; readonly target?: ConsumerIdentity } | undefined {
  if (entry === undefined || entry === null) return undefined
  const refuse = (detail: string): { readonly properties: Properties } => {
    problems.push({
      code: 'toi.credentials.invalid',
      detail: `credential ${JSON.stringify(name)}: ${detail}`,
      where: { source: credentialsFile },
    })
    return { properties: {} }
  }
  if (!isObject(entry)) return refuse('it is no map')
  const { consumerId, consumerType, reference, credentials, targetConsumerId } = entry
  const sources = [consumerId, reference, credentials].filter((one) => one !== undefined && one !== null)
  if (sources.length > 1) return refuse('only one of consumer id or reference or credentials possible')
  const target = textsOf(targetConsumerId as Json)
  const more = target === undefined ? {} : { target }
  if (credentials !== undefined && credentials !== null) {
    const properties = textsOf(credentials as Json)
    return properties === undefined ? refuse('all values must be texts') : { properties, ...more }
  }
  if (consumerId !== undefined && consumerId !== null) {
    const identity = textsOf(consumerId as Json)
    if (identity === undefined) return refuse('the consumer id must be a map of texts')
    const found = consumerFor(lent.config, identity, consumerType)
    return found === undefined
      ? refuse(`consumer ${JSON.stringify(identity)} not found`)
      : { properties: found, ...more }
  }
  if (isObject(reference)) {
    const { type } = reference
    const spec = {
      ...reference,
      type: typeof type === 'string' ? type.replace(/\/v1$/, '') : '',
    } as CredentialSpec
    const found = credentialsOf(lent.config, spec)
    return typeof found === 'string' ? refuse(found) : { properties: found, ...more }
  }
  return { properties: {}, ...more }
}

function consumerFor(config: OcmConfig, identity: ConsumerIdentity, type: unknown): Properties | undefined {
  return findConsumer(consumersOf(config), identity, matcherFor(typeof type === 'string' ? type : undefined))
    ?.credentials
}

/** What the file passes on must be there; the registry of the component is passed on where it is known. */
function forwardedOf(
  { file, config }: MountedPrograms,
  repository: ConsumerIdentity | undefined,
  problems: Problem[],
): Resolved['forwarded'] {
  const list = file?.['forwardedConsumers'] ?? []
  const named = (Array.isArray(list) ? list : []).flatMap((one: Json): Resolved['forwarded'] => {
    const { consumerId, consumerType } = isObject(one) ? one : {}
    const identity = textsOf(consumerId as Json)
    const properties = identity && consumerFor(config, identity, consumerType)
    if (identity === undefined || properties === undefined) {
      const detail = `credential evaluation failed: consumer ${JSON.stringify(identity ?? {})} not found`
      problems.push({ code: 'toi.credentials.missing', detail })
      return []
    }
    return [{ identity, properties }]
  })
  const properties = repository && consumerFor(config, repository, 'hostpath')
  return repository === undefined || properties === undefined
    ? named
    : [...named, { identity: repository, properties }]
}

function textsOf(value: Json | undefined): Properties | undefined {
  if (!isObject(value) || !Object.values(value).every((one) => typeof one === 'string')) return undefined
  return value as Properties
}
