/** What a binding gives, in the words of the specification Service Binding for Kubernetes. */
import { isObject, type Json, type JsonObject } from '../kit/json.ts'

export interface BindingData {
  /** `servicebinding.io/TYPE`. */
  readonly type: string
  readonly data: Readonly<Record<string, string>>
}

/** Types that programs look for, by the scheme of an address. */
const byScheme: Readonly<Record<string, string>> = {
  postgres: 'postgresql',
  postgresql: 'postgresql',
  mysql: 'mysql',
  mariadb: 'mysql',
  mongodb: 'mongodb',
  'mongodb+srv': 'mongodb',
  redis: 'redis',
  rediss: 'redis',
  amqp: 'rabbitmq',
  amqps: 'rabbitmq',
  kafka: 'kafka',
  mssql: 'sqlserver',
  sqlserver: 'sqlserver',
  ldap: 'ldap',
  ldaps: 'ldap',
}

/** Entries that the specification knows, and how credentials call them besides. */
const others: Readonly<Record<string, readonly string[]>> = {
  host: ['hostname'],
  port: [],
  uri: ['url', 'connection_string', 'connectionString'],
  username: ['user', 'login'],
  password: ['pass', 'secret'],
  certificates: ['ca_certificate', 'ca_cert', 'ca', 'certificate'],
  'private-key': ['private_key', 'privateKey'],
}

/** Of a service that is offered under a name. */
export function bindingData(credentials: JsonObject, service: string): BindingData {
  const named = Object.fromEntries(
    Object.entries(credentials)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [keyOf(name), textOf(value)]),
  )
  for (const [name, aliases] of Object.entries(others)) {
    const alias = aliases.find((one) => Object.hasOwn(named, keyOf(one)))
    if (!Object.hasOwn(named, name) && alias !== undefined) named[name] = named[keyOf(alias)] ?? ''
  }
  const type = typeIn(credentials['type']) ?? byScheme[schemeOf(named['uri'])] ?? typeIn(service) ?? 'service'
  return { type: `servicebinding.io/${type}`, data: { provider: service, ...named, type } }
}

/** What a Secret takes as a key. */
function keyOf(name: string): string {
  const key = name.replace(/[^-._a-zA-Z0-9]/g, '_').slice(0, 253)
  return key === '' || key === '.' || key.startsWith('..') ? `_${key}`.slice(0, 253) : key
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function typeIn(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  const type = value.toLowerCase().replace(/[^a-z0-9.-]+/g, '-')
  return /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(type) ? type : undefined
}

function schemeOf(uri: string | undefined): string {
  return /^(?:jdbc:)?([a-z][a-z0-9+.-]*):/i.exec(uri ?? '')?.[1]?.toLowerCase() ?? ''
}

/** Whether there is anything to hand over. */
export function hasCredentials(credentials: JsonObject | undefined): credentials is JsonObject {
  return isObject(credentials) && Object.keys(credentials).length > 0
}
