/** Reads a dump of the original broker's store: what `kubectl get … -o json` or `-o yaml` wrote, or a tree of etcd. */
import { isObject, type JsonObject } from '../../../kit/json.ts'
import { readYaml } from '../../../kit/yaml.ts'
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
  const all = files.flatMap(({ name, text }) => resourcesIn(text, name))
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

function resourcesIn(text: string, source: string): readonly Resource[] {
  const { value, faults } = readYaml(text)
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
      name: typeof metadata['name'] === 'string' ? metadata['name'] : '',
      labels: member(metadata, 'labels'),
      spec: member(item, 'spec'),
      status: member(item, 'status'),
      data: member(item, 'data'),
    }
  })
}

/** The values of a Secret. */
export function valuesOf({ data }: Resource): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString('utf8')]),
  )
}

/** An object that is written as a JSON text in a member; undefined where it is none. */
export function objectIn(of: JsonObject, name: string): JsonObject | undefined {
  const text = of[name]
  if (typeof text !== 'string' || text === '') return {}
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
