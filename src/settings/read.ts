/** Walks the table over all layers: takes the highest value of each setting, and lists every fault with its place. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { invariant } from '../kit/assert.ts'
import { isObject, type Json, pointer } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { Secret } from '../kit/secret.ts'
import { nearest } from '../kit/text.ts'
import { whyUnreadable } from '../kit/unreadable.ts'
import type { Place, Problem } from '../model/problem.ts'
import {
  anyReference,
  type Fault,
  type Group,
  type Leaf,
  type Members,
  type Node,
  type References,
} from './kinds.ts'
import type { Layer, OriginName } from './layer.ts'
import { camel, snake } from './names.ts'

/** One effective value and where it came from. */
export interface Entry {
  readonly path: string
  readonly value: unknown
  readonly origin: OriginName
  /** File and line, variable, flag. */
  readonly place: Place | undefined
}

export interface TableRead {
  readonly value: unknown
  /** Files that hold a value of their own: passwords, tokens. */
  readonly secretFiles: readonly string[]
  readonly entries: readonly Entry[]
  readonly problems: readonly Problem[]
  /** What well-formed values name and is not there now. */
  readonly absent: readonly Problem[]
}

/** A map of one layer, with where it stands. */
interface Spot {
  readonly layer: Layer
  readonly raw: { readonly [key: string]: unknown }
  readonly pointer: string
}

/** One value of one layer. */
interface Found {
  readonly layer: Layer
  readonly raw: Json
  readonly pointer: string
  /** The value stands in the file that `raw` names. */
  readonly inFile: boolean
}

interface TablePorts {
  readonly references?: References | undefined
  /** What stands in the file of a secret. */
  readonly secretIn?: (path: string) => string
}

/** Reads a table from layers, highest first. */
export function readTable(
  table: Group<Members>,
  layers: readonly Layer[],
  { references = anyReference, secretIn = contentOf }: TablePorts = {},
): TableRead {
  const reader = new Reader(references, secretIn)
  const spots = layers.map((layer): Spot => ({ layer, raw: layer.document, pointer: '' }))
  const value = reader.group(table, spots, '')
  const { secretFiles, entries, problems, absent } = reader
  return { value, secretFiles, entries, problems, absent }
}

class Reader {
  readonly entries: Entry[] = []
  readonly secretFiles: string[] = []
  readonly problems: Problem[] = []
  readonly absent: Problem[] = []
  readonly #references: References
  readonly #secretIn: (path: string) => string

  constructor(references: References, secretIn: (path: string) => string) {
    this.#references = references
    this.#secretIn = secretIn
  }

  group(node: Group<Members>, spots: readonly Spot[], path: string): Readonly<Record<string, unknown>> {
    for (const spot of spots) this.#refuseUnknown(node, spot)
    return Object.fromEntries(
      Object.entries(node.members).map(([name, member]) => {
        const found = spots.flatMap((spot) => this.#find(spot, name, member))
        if (found.length === 0 && lacks(member)) this.#lacking(name, spots[0], path)
        return [name, this.#member(member, found, path === '' ? name : `${path}.${name}`)]
      }),
    )
  }

  #member(node: Node, found: readonly Found[], path: string): unknown {
    if (node.kind === 'group') return this.group(node, this.#maps(found), path)
    const first = found[0]
    const value = node.kind === 'items' ? this.#items(node.item, first, path) : this.#leaf(node, first)
    if (!path.includes('[')) {
      this.entries.push({
        path,
        value,
        origin: first?.layer.origin ?? 'default',
        place: first?.layer.place(first.pointer),
      })
    }
    return value
  }

  #items(item: Group<Members>, found: Found | undefined, path: string): readonly unknown[] {
    if (found === undefined || found.raw === null) return []
    const { raw, layer, pointer: at } = found
    if (!Array.isArray(raw)) {
      this.#fault(found, 'must be a list')
      return []
    }
    return raw.flatMap((each: Json, i) => {
      const spot = { layer, raw: each, pointer: pointer(at, i), inFile: false }
      if (isObject(each)) return [this.group(item, [{ ...spot, raw: each }], `${path}[${i}]`)]
      this.#fault(spot, 'must be a map')
      return []
    })
  }

  #leaf(node: Leaf<unknown>, found: Found | undefined): unknown {
    if (found === undefined) return fallbackOf(node)
    const raw = found.inFile ? this.#fileContent(found) : found.raw
    if (raw === undefined) return undefined
    const read = node.read(raw, { folder: found.layer.folder, resolve, references: this.#references })
    if (read.kind === 'fault') {
      this.#fault(found, read.message, read.hint)
      return undefined
    }
    if (read.absent !== undefined) this.absent.push(absent(read.absent, found.layer.place(found.pointer)))
    return read.value
  }

  #lacking(name: string, spot: Spot | undefined, path: string): void {
    const where = path.includes('[') ? spot?.layer.place(spot.pointer) : undefined
    this.problems.push(invalid(`${path === '' ? name : `${path}.${name}`} is required`, where))
  }

  #fileContent(found: Found): Json | undefined {
    if (typeof found.raw !== 'string' || found.raw === '') {
      this.#fault(found, 'must be a path')
      return undefined
    }
    const path = resolve(found.layer.folder, found.raw)
    this.secretFiles.push(path)
    try {
      return this.#secretIn(path)
    } catch (cause) {
      this.problems.push({
        code: 'file.unreadable',
        detail: `${path}: ${whyUnreadable(cause)}`,
        where: found.layer.place(found.pointer),
      })
      return undefined
    }
  }

  /** What a layer says about a member, whichever way its key is written. */
  #find(spot: Spot, name: string, node: Node): readonly Found[] {
    const plain = keysOf(spot, [name, snake(name)])
    const files =
      node.kind === 'leaf' && node.secret
        ? keysOf(spot, [`${snake(name)}_file`, `${name}File`, `${name}_file`])
        : []
    const [key, second] = [...plain, ...files]
    if (key === undefined) return []
    const raw = spot.raw[key] as Json
    const found = {
      layer: spot.layer,
      raw,
      pointer: pointer(spot.pointer, key),
      inFile: !plain.includes(key),
    }
    if (second !== undefined) this.#fault(found, `is given twice: as ${key} and as ${second}`)
    // An empty value in YAML is one that was not given.
    return raw === null ? [] : [found]
  }

  #maps(found: readonly Found[]): readonly Spot[] {
    return found.flatMap((one) => {
      if (isObject(one.raw)) return [{ layer: one.layer, raw: one.raw, pointer: one.pointer }]
      this.#fault(one, 'must be a map')
      return []
    })
  }

  #refuseUnknown(node: Group<Members>, spot: Spot): void {
    const known = Object.entries(node.members).flatMap(([name, member]) =>
      member.kind === 'leaf' && member.secret ? [name, `${name}File`] : [name],
    )
    for (const key of Object.keys(spot.raw)) {
      if (known.includes(camel(key))) continue
      const near = nearest(camel(key), known)
      this.problems.push({
        ...invalid(
          `${JSON.stringify(key)} is no setting here${near ? `; did you mean ${near}?` : ''}`,
          spot.layer.place(pointer(spot.pointer, key)),
        ),
        ...(near ? { hint: `Write ${near} instead.` } : {}),
      })
    }
  }

  #fault(found: Pick<Found, 'layer' | 'pointer'>, message: string, hint?: Fault['hint']): void {
    this.problems.push({ ...invalid(message, found.layer.place(found.pointer)), ...present({ hint }) })
  }
}

function contentOf(path: string): string {
  return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
}

function lacks(node: Node): boolean {
  return node.kind === 'leaf' && node.required && node.fallback === undefined
}

function fallbackOf(node: Leaf<unknown>): unknown {
  if (node.fallback === undefined) return undefined
  const read = node.read(node.fallback, { folder: '/', resolve, references: anyReference })
  invariant(read.kind === 'value', 'a default can be read')
  return read.value
}

function keysOf(spot: Spot, names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => Object.hasOwn(spot.raw, name))
}

function invalid(detail: string, where: Place | undefined): Problem {
  return { code: 'settings.invalid', detail, ...(where ? { where } : {}) }
}

function absent(path: string, where: Place): Problem {
  return {
    code: 'artifact.not-found',
    detail: `${path} does not exist`,
    hint: 'Put the package there, or write where it is; ./ is the folder of the file that says it.',
    where,
  }
}

/** A value as it may be shown: secrets as stars, passwords cut out of addresses. */
export function shown(value: unknown): Json {
  if (value === undefined) return null
  if (value instanceof Secret) return '***'
  if (typeof value === 'string') return value.replace(/(:\/\/[^\s:/@]*):[^\s/@]*@/, '$1:***@')
  if (Array.isArray(value)) return value.map(shown)
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, each]) => (each === undefined ? [] : [[key, shown(each)]])),
    )
  }
  return value as Json
}
