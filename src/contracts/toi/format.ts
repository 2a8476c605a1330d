/** The documents of packages and executors, read as leniently as the original does: unknown fields, any case of names. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'
import { readDocument } from './spiff.ts'

export type Identity = Readonly<Record<string, string>>

export interface ResourceReference {
  readonly resource: Identity
  /** From the component at hand through its references. */
  readonly path: readonly Identity[]
}

export interface CredentialRequest {
  readonly description?: string
  readonly properties: Readonly<Record<string, string>>
  readonly consumerId?: Identity
  readonly optional: boolean
}

export type Requests = Readonly<Record<string, CredentialRequest>>

interface ShapeFields {
  readonly template?: { readonly value: Json }
  readonly scheme?: JsonObject
  readonly libraries: readonly ResourceReference[]
  readonly credentials: Requests
}

export interface PackageDocument extends ShapeFields {
  readonly description?: string
  readonly executors: readonly ExecutorEntry[]
  readonly additional: Readonly<Record<string, AdditionalResource>>
}

export interface ExecutorEntry {
  /** Absent: all. */
  readonly actions?: readonly string[]
  readonly resource?: ResourceReference
  readonly image?: { readonly reference: string; readonly digest?: string }
  readonly config?: { readonly value: Json }
  readonly parameterMapping?: { readonly value: Json }
  readonly credentialMapping?: Readonly<Record<string, string>>
  /** Names of outputs by the paths of their files. */
  readonly outputs: Readonly<Record<string, string>>
}

export interface ExecutorDocument extends ShapeFields {
  readonly actions?: readonly string[]
  readonly imageResource?: ResourceReference
  readonly image?: { readonly reference: string; readonly digest?: string }
  /** Absent: any. */
  readonly outputs?: Readonly<Record<string, string>>
}

export type AdditionalResource =
  | { readonly kind: 'resource'; readonly reference: ResourceReference }
  | { readonly kind: 'content'; readonly content: Json }

export type DocumentReading<T> = {
  readonly value: T
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** Reads a package. Problems: toi.package.invalid, toi.output.invalid; warnings: toi.package.field-renamed. */
export function readPackage(bytes: Uint8Array, source: string): DocumentReading<PackageDocument> {
  return readAs(bytes, { source, what: 'package spec', code: 'toi.package.invalid' }, (place) => {
    const description = place.text('description')
    return {
      ...shapeOf(place),
      ...present({ description }),
      executors: place.list('executors').map(entryOf),
      additional: Object.fromEntries(
        place.entries('additionalResources').map(([name, one]) => [name, additionalOf(one)]),
      ),
    }
  })
}

/** Reads the specification of an executor. Problems: toi.executor.invalid. */
export function readExecutor(bytes: Uint8Array, source: string): DocumentReading<ExecutorDocument> {
  return readAs(bytes, { source, what: 'executor spec', code: 'toi.executor.invalid' }, (place) => {
    const actions = place.texts('actions')
    const imageResource = place.child('imageRef')
    const image = imageOf(place)
    const outputs = place.has('outputs')
      ? Object.fromEntries(
          place.entries('outputs').map(([name, one]) => [name, one.text('description') ?? '']),
        )
      : undefined
    return {
      ...shapeOf(place),
      ...present({ actions }),
      ...(imageResource === undefined ? {} : { imageResource: referenceOf(imageResource) }),
      ...present({ image, outputs }),
    }
  })
}

interface What {
  readonly source: string
  readonly what: string
  readonly code: ProblemCode
}

function readAs<T>(bytes: Uint8Array, what: What, read: (place: Place) => T): DocumentReading<T> {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const text = new TextDecoder().decode(bytes)
  const parsed = readDocument({ name: what.source, text })
  const value = parsed.kind === 'done' ? parsed.value : {}
  const where = { source: what.source }
  if (parsed.kind === 'failed')
    problems.push({ code: what.code, detail: `"${what.what}" is invalid: ${parsed.message}`, where })
  else if (!isObject(value))
    problems.push({ code: what.code, detail: `"${what.what}" is invalid: it is no map`, where })
  const place = new Place(isObject(value) ? (value as JsonObject) : {}, '', { ...what, problems, warnings })
  return { value: read(place), problems, warnings }
}

interface Collecting extends What {
  readonly problems: Problem[]
  readonly warnings: Problem[]
}

/** A map in a document; a class for the place and the faults that every look at it shares. */
class Place {
  readonly value: JsonObject
  readonly #pointer: string
  readonly #found: Collecting

  constructor(value: JsonObject, pointer: string, found: Collecting) {
    this.value = value
    this.#pointer = pointer
    this.#found = found
  }

  get(key: string): Json | undefined {
    if (Object.hasOwn(this.value, key)) return this.value[key]
    const lower = key.toLowerCase()
    const other = Object.keys(this.value).find((one) => one.toLowerCase() === lower)
    return other === undefined ? undefined : this.value[other]
  }

  has(key: string): boolean {
    const value = this.get(key)
    return value !== undefined && value !== null
  }

  fault(key: string, detail: string): void {
    this.#found.problems.push({
      code: this.#found.code,
      detail,
      where: { source: this.#found.source, pointer: `${this.#pointer}/${key}` },
    })
  }

  warn(code: ProblemCode, key: string): void {
    this.#found.warnings.push({
      code,
      detail: key,
      where: { source: this.#found.source, pointer: `${this.#pointer}/${key}` },
    })
  }

  text(key: string): string | undefined {
    const value = this.get(key)
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string') return value
    this.fault(key, 'must be a text')
    return undefined
  }

  child(key: string): Place | undefined {
    const value = this.get(key)
    if (value === undefined || value === null) return undefined
    if (isObject(value)) return new Place(value as JsonObject, `${this.#pointer}/${key}`, this.#found)
    this.fault(key, 'must be a map')
    return undefined
  }

  list(key: string): readonly Place[] {
    const value = this.get(key)
    if (value === undefined || value === null) return []
    if (Array.isArray(value) && value.every(isObject))
      return value.map(
        (item, i) => new Place(item as JsonObject, `${this.#pointer}/${key}/${i}`, this.#found),
      )
    this.fault(key, 'must be a list of maps')
    return []
  }

  entries(key: string): readonly (readonly [string, Place])[] {
    const map = this.child(key)
    return Object.entries(map?.value ?? {}).flatMap(
      ([name, value]): readonly (readonly [string, Place])[] => {
        if (isObject(value) || value === null)
          return [
            [name, new Place((value ?? {}) as JsonObject, `${this.#pointer}/${key}/${name}`, this.#found)],
          ]
        map?.fault(name, 'must be a map')
        return []
      },
    )
  }

  texts(key: string): readonly string[] | undefined {
    const value = this.get(key)
    if (value === undefined || value === null) return undefined
    if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
      return value as readonly string[]
    this.fault(key, 'must be a list of texts')
    return []
  }

  textMap(key: string): Readonly<Record<string, string>> | undefined {
    const value = this.get(key)
    if (value === undefined || value === null) return undefined
    if (isObject(value) && Object.values(value).every((one) => typeof one === 'string'))
      return value as Readonly<Record<string, string>>
    this.fault(key, 'must be a map of texts')
    return {}
  }

  any(key: string): { readonly value: Json } | undefined {
    const value = this.get(key)
    return value === undefined || value === null ? undefined : { value }
  }
}

function shapeOf(place: Place): ShapeFields {
  const template = place.any('configTemplate')
  const scheme = place.child('configScheme')?.value
  return {
    ...present({ template, scheme }),
    libraries: place.list('templateLibraries').map(referenceOf),
    credentials: Object.fromEntries(
      place.entries('credentials').map(([name, one]) => [name, requestOf(one)]),
    ),
  }
}

function requestOf(place: Place): CredentialRequest {
  const description = place.text('description')
  const consumerId = place.textMap('consumerId')
  return {
    ...present({ description }),
    properties: place.textMap('properties') ?? {},
    ...(consumerId === undefined || Object.keys(consumerId).length === 0 ? {} : { consumerId }),
    optional: place.get('optional') === true,
  }
}

function entryOf(place: Place): ExecutorEntry {
  const actions = place.texts('actions')
  const resource = place.child('resourceRef')
  const image = imageOf(place)
  const config = place.any('config')
  const parameterMapping = place.any('parameterMapping')
  const credentialMapping = place.textMap('credentialMapping')
  if (place.has('imageResourceRef'))
    place.fault('imageResourceRef', 'is the form of years before the specification; it is resourceRef now')
  return {
    ...present({ actions }),
    ...(resource === undefined ? {} : { resource: referenceOf(resource) }),
    ...present({ image, config, parameterMapping, credentialMapping }),
    outputs: outputsOf(place),
  }
}

/** Paths and names come from the package, and go to folders of the engine and the operator. */
function outputsOf(place: Place): Readonly<Record<string, string>> {
  const outputs = place.textMap('outputs') ?? {}
  for (const [path, name] of Object.entries(outputs)) {
    if (!isPlainPath(path))
      place.fault('outputs', `${JSON.stringify(path)} must be the path of a file below the outputs folder`)
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name))
      place.fault('outputs', `${JSON.stringify(name)} is no name: letters, digits, ".", "_" and "-"`)
  }
  return outputs
}

function isPlainPath(path: string): boolean {
  return (
    path.length <= 1000 &&
    !path.includes('\0') &&
    path.split('/').every((step) => step !== '' && step !== '.' && step !== '..')
  )
}

function imageOf(place: Place): ExecutorEntry['image'] {
  const image = place.child('image')
  const reference = image?.text('ref')
  const digest = image?.text('digest')
  if (image !== undefined && reference === undefined) image.fault('ref', 'is required')
  return reference === undefined ? undefined : { reference, ...present({ digest }) }
}

function referenceOf(place: Place): ResourceReference {
  const resource = place.textMap('resource') ?? {}
  if (resource['name'] === undefined || resource['name'] === '')
    place.fault('resource', 'at least resource name must be specified for resource reference')
  // The manual calls it otherwise than the code of the original.
  const isRenamed = !place.has('referencePath') && place.has('resourcePath')
  if (isRenamed) place.warn('toi.package.field-renamed', 'resourcePath')
  const path = place.list(isRenamed ? 'resourcePath' : 'referencePath')
  return { resource, path: path.map((step) => identityOf(step)) }
}

function identityOf(place: Place): Identity {
  const pairs = Object.entries(place.value).flatMap(([key, value]): readonly [string, string][] => {
    if (typeof value === 'string') return [[key, value]]
    place.fault(key, 'must be a text')
    return []
  })
  return Object.fromEntries(pairs)
}

function additionalOf(place: Place): AdditionalResource {
  const content = place.any('content')
  return content === undefined
    ? { kind: 'resource', reference: referenceOf(place) }
    : { kind: 'content', content: content.value }
}
