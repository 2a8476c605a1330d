/** The configuration of an original broker in settings of ours: each key is taken over, replaced, or named as gone. */
import { isObject, type Json, type JsonObject } from '../../../kit/json.ts'
import { present } from '../../../kit/present.ts'
import { repeated } from '../../../kit/repeated.ts'
import { readYaml } from '../../../kit/yaml.ts'
import { fail } from '../../../model/problem.ts'
import { fates } from './fates.ts'
import { type MovedRegistry, moveRegistry, type SettingsMove } from './registries.ts'
import { type Dump, valuesOf, wordIn } from './resources.ts'

export interface MovedSettings {
  readonly settings: JsonObject
  /** Files that hold a value of their own, by their names in the folder of secrets. */
  readonly secrets: Readonly<Record<string, string>>
  /** What keeps the settings from working. */
  readonly faults: readonly string[]
  /** What became of each key. */
  readonly remarks: readonly string[]
  /** Names of registries, which ids are made of. */
  readonly registries: readonly string[]
}

/** Reads a `config.yaml`. Problems: file.unreadable. */
export function moveBrokerSettings(move: SettingsMove): MovedSettings {
  const { value, faults: unread } = readYaml(move.text)
  const [fault] = unread
  if (fault !== undefined || !isObject(value))
    return fail('file.unreadable', `line ${fault?.line ?? 1}: ${fault?.message ?? 'it is no map'}`)
  const config = value as JsonObject
  const broker = memberOf(config, 'broker')
  const openshift = memberOf(config, 'openshift')
  const moved = listOf(config, 'registry').map((registry) => moveRegistry(registry, { ...move, openshift }))
  const names = moved.flatMap(({ name }) => (name === '' ? [] : [name]))
  const entries = moved.flatMap((one) => entryOf(one, config, move.dump) ?? [])
  const secretFiles = Object.assign(
    {},
    ...moved.map((one) => one.secrets),
    ...entries.map((one) => one.files),
  ) as Record<string, string>
  return {
    settings: {
      ...houseSettings(config, broker),
      ...unverified(moved),
      catalog: entries.map(({ entry }) => entry),
    },
    secrets: secretFiles,
    faults: [
      ...moved.flatMap(({ faults }) => faults),
      ...repeated(names).map((name) => `two registries are named ${name}`),
    ],
    remarks: [
      ...remarksOf(config),
      ...moved.flatMap(({ remarks }) => remarks),
      ...entries.flatMap((one) => one.remarks),
    ],
    registries: names,
  }
}

function houseSettings(config: JsonObject, broker: JsonObject): JsonObject {
  const [certificate, key] = [wordIn(broker, 'ssl_cert'), wordIn(broker, 'ssl_cert_key')]
  const level = wordIn(memberOf(config, 'log'), 'level')
  const prefix = wordIn(broker, 'cluster_url').replace(/^\/*/, '/').replace(/\/+$/, '')
  return {
    http: {
      listen: '0.0.0.0:1338',
      path_prefix: prefix === '' ? '/osb' : prefix,
      ...(certificate === '' || key === '' ? {} : { tls: { certificate_file: certificate, key_file: key } }),
    },
    ...(level === '' ? {} : { logs: { level: level === 'warning' ? 'warn' : level } }),
  }
}

function unverified(moved: readonly MovedRegistry[]): JsonObject {
  const hosts = [...new Set(moved.flatMap(({ unverifiedHost }) => unverifiedHost ?? []))]
  return hosts.length === 0
    ? {}
    : { registries: { hosts: hosts.map((host) => ({ host, unverified: true })) } }
}

interface Entry {
  readonly entry: JsonObject
  readonly files: Readonly<Record<string, string>>
  readonly remarks: readonly string[]
}

/** The entry of a registry: what the broker's settings say of all bundles, and secrets of single ones. */
function entryOf({ source, name }: MovedRegistry, config: JsonObject, dump: Dump): Entry | undefined {
  if (source === undefined) return undefined
  const broker = memberOf(config, 'broker')
  const redirector = wordIn(broker, 'dashboard_redirector')
  const interval = durationOf(wordIn(broker, 'refresh_interval'))
  const { overrides, files, remarks } = overridesOf(config, name, dump)
  return {
    entry: {
      source: {
        ...source,
        ...present({ refresh_interval: interval }),
        ...(overrides.length === 0 ? {} : { overrides }),
      },
      contract: 'apb',
      options: {
        launchOnBind: broker['launch_apb_on_bind'] === true ? 'auto' : 'never',
        ...(redirector === '' ? {} : { dashboardRedirector: redirector }),
      },
    },
    files,
    remarks,
  }
}

/** All rules of one bundle apply, not only the last. */
function overridesOf(
  config: JsonObject,
  registry: string,
  { secrets }: Dump,
): {
  readonly overrides: readonly JsonObject[]
  readonly files: Readonly<Record<string, string>>
  readonly remarks: readonly string[]
} {
  const files: Record<string, string> = {}
  const remarks: string[] = []
  const rules = listOf(config, 'secrets').filter((rule) =>
    wordIn(rule, 'apb_name').startsWith(`${registry}-`),
  )
  const byService = Map.groupBy(rules, (rule) => wordIn(rule, 'apb_name'))
  const overrides = [...byService].map(([service, ofService]): JsonObject => {
    const lent = ofService.flatMap((rule) => {
      const name = wordIn(rule, 'secret')
      const secret = secrets.get(name)
      if (secret === undefined)
        remarks.push(`secrets: ${name} is not in the dump: lend ${service} its values as ${name}/KEY`)
      return Object.entries(secret === undefined ? {} : valuesOf(secret)).map(([key, value]) => {
        const file = `${name}.${key}`
        files[file] = value
        return { key, entry: { name: `${name}/${key}`, value_file: `secrets/${file}` } }
      })
    })
    return {
      service,
      options: { secrets: lent.map(({ key }) => key) },
      infrastructure: lent.map(({ entry }) => entry),
    }
  })
  return { overrides, files, remarks }
}

/** What became of the keys outside of registries. */
function remarksOf(config: JsonObject): readonly string[] {
  const remarks = Object.entries(config).flatMap(([section, members]): readonly string[] => {
    if (section === 'registry') return []
    if (section === 'secrets') return secretFaults(config)
    if (!isObject(members)) return [`${section}: unknown to the original`]
    return Object.keys(members).map((key) => {
      const path = `${section}.${key}`
      return `${path}: ${fates[path] ?? 'unknown to the original'}`
    })
  })
  return remarks
}

function secretFaults(config: JsonObject): readonly string[] {
  return listOf(config, 'secrets').map((rule, i) => {
    const whole = ['title', 'apb_name', 'secret'].every((key) => wordIn(rule, key) !== '')
    return `secrets[${i}]: ${whole ? 'taken over as an override of its source' : 'left out: a rule needs title, apb_name and secret'}`
  })
}

/** Go's durations in one unit of ours; undefined where it is none. */
export function durationOf(text: string): string | undefined {
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined
  const ms = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0)
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${Math.round(ms)}ms`
}

export function memberOf(of: JsonObject, name: string): JsonObject {
  const value = of[name]
  return isObject(value) ? (value as JsonObject) : {}
}

function listOf(of: JsonObject, name: string): readonly JsonObject[] {
  const value: Json | undefined = of[name]
  return Array.isArray(value) ? (value.filter(isObject) as JsonObject[]) : []
}
