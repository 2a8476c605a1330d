/** Reads the fields of a JSON document one by one; null means absent, another type is a fault with its pointer. */
import { isExact } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import type { Faults } from '../faults.ts'

/** An object of a document and where it is. */
export interface Node {
  readonly value: JsonObject
  readonly at: string
  readonly faults: Faults
}

const entriesMax = 1000

/** What a field must be, and how that is written. */
const wanted = {
  text: ['must be a text', 'Write it in quotation marks.'],
  flag: ['must be true or false', 'Write true or false, without quotation marks.'],
  size: ['must be a number of bytes', 'Write a whole number, without quotation marks.'],
  texts: ['must be a list of texts', 'Write a list: ["…"]'],
  labels: ['must be a map of texts', 'Write a map: {"…": "…"}'],
  map: ['must be a map', 'Write a map: {…}'],
  list: ['must be a list', 'Write a list: […]'],
} as const

export function textOf(node: Node, key: string): string | undefined {
  return field(node, key, (value) => typeof value === 'string', wanted.text) as string | undefined
}

export function flagOf(node: Node, key: string): boolean | undefined {
  return field(node, key, (value) => typeof value === 'boolean', wanted.flag) as boolean | undefined
}

export function sizeOf(node: Node, key: string): number | undefined {
  const isSize = (value: Json) => typeof value === 'number' && Number.isInteger(value) && value >= 0
  return field(node, key, isSize, wanted.size) as number | undefined
}

export function textsOf(node: Node, key: string): readonly string[] {
  const isTexts = (value: Json) => Array.isArray(value) && value.every((one) => typeof one === 'string')
  return (field(node, key, isTexts, wanted.texts) ?? []) as readonly string[]
}

/** The texts of a map of texts. */
export function labelsOf(node: Node, key: string): Readonly<Record<string, string>> {
  const isLabels = (value: Json) =>
    isMap(value) && Object.values(value).every((one) => typeof one === 'string')
  return (field(node, key, isLabels, wanted.labels) ?? {}) as Readonly<Record<string, string>>
}

export function mapOf(node: Node, key: string): JsonObject {
  return (field(node, key, isMap, wanted.map) ?? {}) as JsonObject
}

/** An object inside an object, as a node; absent is an empty one. */
export function nodeOf(node: Node, key: string): Node {
  return { ...node, value: mapOf(node, key), at: pointer(node.at, key) }
}

/** The items of a list, each as a node. */
export function nodesOfList(node: Node, key: string): readonly Node[] {
  const list = (field(node, key, Array.isArray, wanted.list) ?? []) as readonly Json[]
  return nodes(
    list.map((value, i): [number, Json] => [i, value]),
    { ...node, at: pointer(node.at, key) },
  ).map(([, item]) => item)
}

/** The members of a map, each as a node with its name. */
export function nodesOfMap(node: Node, key: string): readonly (readonly [name: string, item: Node])[] {
  return nodes(Object.entries(mapOf(node, key)), { ...node, at: pointer(node.at, key) })
}

function nodes<K extends string | number>(
  entries: readonly (readonly [K, Json])[],
  { at, faults }: Node,
): readonly (readonly [K, Node])[] {
  if (entries.length > entriesMax) {
    faults.problem('cnab.bundle.too-large', at, `has ${entries.length} entries, more than ${entriesMax}`)
    return []
  }
  return entries.flatMap(([name, value]) => {
    const here = pointer(at, name)
    if (isMap(value)) return [[name, { value, at: here, faults }] as const]
    faults.problem('cnab.bundle.invalid', here, 'must be an object', 'Write a map: {…}')
    return []
  })
}

function field(
  { value, at, faults }: Node,
  key: string,
  fits: (value: Json) => boolean,
  [says, hint]: readonly [says: string, hint: string],
): Json | undefined {
  const found = Object.hasOwn(value, key) ? (value[key] ?? null) : null
  if (found === null) return undefined
  if (fits(found)) return found
  faults.problem('cnab.bundle.invalid', pointer(at, key), says, hint)
  return undefined
}

function isMap(value: Json): value is JsonObject {
  return isObject(value) && !isExact(value)
}

/** A member only where it has a value: absent is not undefined. */
export function given<K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [key in K]?: V }
}
