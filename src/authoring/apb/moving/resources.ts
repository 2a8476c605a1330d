/** Reads a dump of the original broker's store: what `kubectl get … -o json` or `-o yaml` wrote, or a tree of etcd. */
import { deepEqual, isObject, type Json, type JsonObject } from '../../../kit/json.ts'
import { readYaml, type YamlReading } from '../../../kit/yaml.ts'
import { fail } from '../../../model/problem.ts'
import { isEtcdTree, resourcesInEtcd } from './etcd.ts'
import type { Resource } from './resource.ts'

export interface Dump {
  readonly bundles: readonly Resource[]
  readonly instances: readonly Resource[]
  readonly bindings: readonly Resource[]
  readonly secrets: ReadonlyMap<string, Resource>
  readonly configMaps: ReadonlyMap<string, Resource>
}

/** The kinds of both ages of the original. */
const kinds = {
  bundles: ['Bundle'],
  instances: ['BundleInstance', 'ServiceInstance'],
  bindings: ['BundleBinding', 'ServiceBinding'],
} as const

/** Reads the texts of files: Lists, or single objects, of any of the kinds; trees of etcd. Problems: file.unreadable. */
export function readDump(files: readonly { readonly name: string; readonly text: string }[]): Dump {
  const found = files.flatMap(({ name, text }) => resourcesIn(text, name))
  const all = eachOnce(ofOneBroker(found.filter(({ kind }) => isRead(kind))))
  const of = (wanted: readonly string[]) => all.filter(({ kind }) => wanted.includes(kind))
  const byName = (wanted: string) => new Map(of([wanted]).map((one) => [one.name, one]))
  return {
    bundles: of(kinds.bundles),
    instances: of(kinds.instances),
    bindings: of(kinds.bindings),
    secrets: byName('Secret'),
    configMaps: byName('ConfigMap'),
  }
}

function isBroker(kind: string): boolean {
  return Object.values(kinds).some((all: readonly string[]) => all.includes(kind))
}

function isRead(kind: string): boolean {
  return isBroker(kind) || kind === 'Secret' || kind === 'ConfigMap'
}

const onlyOne = { hint: "Dump the namespace of one broker, once: kubectl's -n instead of -A." }

/** What lies in other namespaces is not the broker's, whatever it is called. */
function ofOneBroker(all: readonly Resource[]): readonly Resource[] {
  const spaces = new Set(all.flatMap(({ kind, namespace }) => (isBroker(kind) ? [namespace] : [])))
  spaces.delete('')
  const [home] = spaces
  if (spaces.size > 1)
    return fail('file.unreadable', `it holds brokers of the namespaces ${[...spaces].join(', ')}`, onlyOne)
  return home === undefined ? all : all.filter(({ namespace }) => namespace === '' || namespace === home)
}

/** Which of two that differ is meant cannot be known. */
function eachOnce(all: readonly Resource[]): readonly Resource[] {
  const known = new Map<string, Resource>()
  for (const one of all) {
    const key = `${one.kind} ${one.name}`
    const before = known.get(key)
    if (before !== undefined && !deepEqual(before, one))
      return fail('file.unreadable', `${key} is in it twice, in two ways`, onlyOne)
    known.set(key, one)
  }
  return [...known.values()]
}

function resourcesIn(text: string, source: string): readonly Resource[] {
  const { value, faults } = jsonIn(text) ?? readYaml(text)
  const [fault] = faults
  if (fault !== undefined || !isObject(value))
    return fail('file.unreadable', fault?.message ?? 'it holds no objects', { where: { source } })
  if (isEtcdTree(value as JsonObject)) return resourcesInEtcd(value as JsonObject)
  const items = Array.isArray(value['items']) ? value['items'] : [value]
  return items.filter(isObject).map((item) => {
    const member = (of: unknown, name: string): JsonObject => {
      const found = isObject(of) ? of[name] : undefined
      return isObject(found) ? (found as JsonObject) : {}
    }
    const metadata = member(item, 'metadata')
    return {
      kind: typeof item['kind'] === 'string' ? item['kind'] : '',
      name: wordIn(metadata, 'name'),
      namespace: wordIn(metadata, 'namespace'),
      labels: member(metadata, 'labels'),
      spec: member(item, 'spec'),
      status: member(item, 'status'),
      data: member(item, 'data'),
    }
  })
}

/** Dumps may be large, and most are JSON, which is read a hundred times as fast. */
function jsonIn(text: string): Pick<YamlReading, 'value' | 'faults'> | undefined {
  try {
    return { value: JSON.parse(text) as Json, faults: [] }
  } catch {
    // What is none is read as YAML, which tells its faults with their lines.
    return undefined
  }
}

/** The values of a Secret. */
export function valuesOf({ data }: Resource): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString('utf8')]),
  )
}

/** An object in a member, or written there as a JSON text; empty where there is none, undefined where it is no object. */
export function objectIn(of: JsonObject, name: string): JsonObject | undefined {
  const { [name]: text = '' } = of
  if (text === '' || text === null) return {}
  if (typeof text !== 'string') return isObject(text) ? (text as JsonObject) : undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** A text member, or nothing. */
export function wordIn(of: JsonObject, name: string): string {
  const value = of[name]
  return typeof value === 'string' ? value : ''
}
