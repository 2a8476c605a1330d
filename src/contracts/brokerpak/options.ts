/** What an operator may say about a pak or a plan of it, beside its inputs. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'

export interface PakOptions {
  /** Refuse what that original refuses; absent: accept what any of them accepts. */
  readonly strict: 'v1' | 'csb' | undefined
  /** pak: the engine in the archive. host: the one of this machine, terraform or else tofu unless one is named. */
  readonly engine: 'pak' | 'host'
  readonly hostProgram: string | undefined
  /** What is offered as an upgrade: every other build of the pak, or as csb has it another engine, where there is a path. */
  readonly maintenance: 'package' | 'engine'
  /** Which wins where an output of the instance and one of the binding have the same name. */
  readonly credentials: 'bind-wins' | 'instance-wins'
  /** Whether parameters that the service does not know are let through, as V1 does. */
  readonly unknownParameters: 'refuse' | 'accept'
  readonly globalDefaults: JsonObject
  readonly provisionDefaults: JsonObject
  readonly bindDefaults: JsonObject
  /** `provision_defaults` and `bind_defaults` by the name of a service. */
  readonly services: JsonObject
  /** Stands before the names of services. */
  readonly servicePrefix: string
  /** Ids of services that are not offered. */
  readonly excludedServices: readonly string[]
  readonly globalLabels: Json
  /** Values for `config(key)`. */
  readonly config: JsonObject
  /** Public variables for the environment of Terraform; secret ones are lent. */
  readonly environment: Readonly<Record<string, string>>
  /** Plans by the name of their service, as the environment variables of the originals hold them. */
  readonly plans: JsonObject
}

const known: Readonly<Record<string, (value: Json) => boolean>> = {
  strict: (value) => value === 'v1' || value === 'csb' || value === false,
  engine: (value) => value === 'pak' || value === 'host',
  host_program: (value) => value === 'terraform' || value === 'tofu',
  maintenance: (value) => value === 'package' || value === 'engine',
  credentials: (value) => value === 'bind-wins' || value === 'instance-wins',
  unknown_parameters: (value) => value === 'refuse' || value === 'accept',
  global_defaults: isObject,
  provision_defaults: isObject,
  bind_defaults: isObject,
  services: isObject,
  service_prefix: (value) => typeof value === 'string' && /^[a-zA-Z0-9-.]*$/.test(value),
  excluded_services: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  global_labels: Array.isArray,
  config: isObject,
  environment: (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'string'),
  plans: isObject,
  // Written by the reader for its own plans.
  plan: isObject,
}

/** The options of a pak with their defaults. */
export function pakOptions(from: JsonObject): PakOptions {
  const map = (name: string): JsonObject => (isObject(from[name]) ? (from[name] as JsonObject) : {})
  const strict = from['strict']
  return {
    strict: strict === 'v1' || strict === 'csb' ? strict : undefined,
    engine: from['engine'] === 'host' ? 'host' : 'pak',
    hostProgram: typeof from['host_program'] === 'string' ? from['host_program'] : undefined,
    maintenance: from['maintenance'] === 'engine' ? 'engine' : 'package',
    credentials: from['credentials'] === 'instance-wins' ? 'instance-wins' : 'bind-wins',
    unknownParameters: from['unknown_parameters'] === 'accept' ? 'accept' : 'refuse',
    globalDefaults: map('global_defaults'),
    provisionDefaults: map('provision_defaults'),
    bindDefaults: map('bind_defaults'),
    services: map('services'),
    servicePrefix: typeof from['service_prefix'] === 'string' ? from['service_prefix'] : '',
    excludedServices: Array.isArray(from['excluded_services']) ? from['excluded_services'].map(String) : [],
    globalLabels: from['global_labels'] ?? null,
    config: map('config'),
    environment: map('environment') as Readonly<Record<string, string>>,
    plans: map('plans'),
  }
}

/** Unknown options, and options with values they cannot have. */
export function optionFaults(from: JsonObject): readonly Problem[] {
  return Object.entries(from).flatMap(([name, value]): readonly Problem[] => {
    if (known[name]?.(value)) return []
    const detail = known[name] ? 'has a value it cannot have' : 'is not known'
    return [{ code: 'pak.options.invalid', detail: `${name} ${detail}` }]
  })
}

/** The operator's defaults for a service: those for all of the pak, then its own. */
export function serviceDefaults(
  options: PakOptions,
  service: string,
  kind: 'provision' | 'bind',
): JsonObject {
  const own = options.services[service]
  const named = isObject(own) ? own[`${kind}_defaults`] : undefined
  const all = kind === 'provision' ? options.provisionDefaults : options.bindDefaults
  return { ...all, ...(isObject(named) ? (named as JsonObject) : {}) }
}
