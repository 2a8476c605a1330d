/** The objects of one run: what it made and was given, versioned and bounded, as a value that can be written down. */
import { depth, type JsonObject } from '../../kit/json.ts'

export interface ObjectKey {
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** One change, as watchers are told of it. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly key: ObjectKey
  readonly object: JsonObject
}

export interface Snapshot {
  readonly version: number
  readonly objects: readonly { readonly key: ObjectKey; readonly object: JsonObject }[]
}

const objectsMax = 1000
/** As etcd bounds a request. */
const objectBytesMax = 1536 * 1024
const bytesMax = 16 * 1024 * 1024
/** Deeper than any object of a cluster: documents of it can be written down. */
export const levelsMax = 100

export class Objects {
  readonly #objects = new Map<
    string,
    { readonly key: ObjectKey; readonly object: JsonObject; readonly bytes: number }
  >()
  #version: number
  #bytes = 0

  constructor(from: Snapshot = { version: 1, objects: [] }) {
    this.#version = from.version
    for (const { key, object } of from.objects) this.#keep(key, object)
  }

  get(key: ObjectKey): JsonObject | undefined {
    return this.#objects.get(textOf(key))?.object
  }

  /** In the order of their names. */
  list(resource: string, namespace: string | undefined): readonly Change[] {
    return [...this.#objects.values()]
      .filter(
        ({ key }) => key.resource === resource && (namespace === undefined || key.namespace === namespace),
      )
      .sort((a, b) => (textOf(a.key) < textOf(b.key) ? -1 : 1))
      .map(({ key, object }) => ({ type: 'ADDED', key, object }))
  }

  /** The version of the newest change. */
  get version(): string {
    return String(this.#version)
  }

  /** Why an object of this size cannot be kept, if so. */
  refuses(key: ObjectKey, object: JsonObject): string | undefined {
    if (depth(object, levelsMax + 1) > levelsMax) return `the object has more than ${levelsMax} levels`
    const bytes = Buffer.byteLength(JSON.stringify(object))
    const before = this.#objects.get(textOf(key))
    if (bytes > objectBytesMax) return `the object is larger than ${objectBytesMax} bytes`
    if (this.#bytes - (before?.bytes ?? 0) + bytes > bytesMax)
      return `all objects are larger than ${bytesMax} bytes`
    return before === undefined && this.#objects.size >= objectsMax
      ? `there are ${objectsMax} objects`
      : undefined
  }

  /** Keeps an object under a new version; it must not have been refused. */
  put(key: ObjectKey, object: JsonObject): Change {
    const type = this.#objects.has(textOf(key)) ? 'MODIFIED' : 'ADDED'
    this.#version += 1
    const metadata = { ...(object['metadata'] as JsonObject), resourceVersion: this.version }
    const kept = { ...object, metadata }
    this.#keep(key, kept)
    return { type, key, object: kept }
  }

  remove(key: ObjectKey): Change | undefined {
    const found = this.#objects.get(textOf(key))
    if (found === undefined) return undefined
    this.#objects.delete(textOf(key))
    this.#bytes -= found.bytes
    this.#version += 1
    return { type: 'DELETED', key, object: found.object }
  }

  snapshot(): Snapshot {
    const objects = [...this.#objects.values()].map(({ key, object }) => ({ key, object }))
    return { version: this.#version, objects }
  }

  #keep(key: ObjectKey, object: JsonObject): void {
    const bytes = Buffer.byteLength(JSON.stringify(object))
    this.#bytes += bytes - (this.#objects.get(textOf(key))?.bytes ?? 0)
    this.#objects.set(textOf(key), { key, object, bytes })
  }
}

function textOf({ resource, namespace, name }: ObjectKey): string {
  return `${resource}/${namespace}/${name}`
}
