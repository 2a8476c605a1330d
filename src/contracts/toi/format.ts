/** The documents of packages and executors, read as leniently as the original does: unknown fields, any case of names. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import { type Document, documentOf, doubtfulYaml, unreadable } from './document.ts'
import { fixes, Place, type What } from './fields.ts'
import { places } from './places.ts'
import { readDocument } from './spiff.ts'

export type Identity = Readonly<Record<string, string>>

/** Where something stands in its document: a JSON pointer. */
interface Standing {
  readonly at: string
}

export interface ResourceReference extends Standing {
  readonly resource: Identity
  /** From the component at hand through its references. */
  readonly path: readonly Identity[]
  /** Where the identities of the path stand. */
  readonly steps: readonly string[]
  /** The path is at fault: where it leads is not known. */
  readonly isBroken: boolean
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

export interface ExecutorEntry extends Standing {
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
  | { readonly kind: 'content'; readonly at: string; readonly content: Json }

export type DocumentReading<T> = {
  readonly value: T
  readonly document: Document
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** The example files that a package may have. */
const exampleKinds = ['configFile', 'credentialsFile']

/** Reads a package. Problems: toi.package.invalid, toi.output.invalid; warnings: toi.package.field-renamed. */
export function readPackage(bytes: Uint8Array, source: string): DocumentReading<PackageDocument> {
  return readAs(bytes, { source, what: 'package spec', code: 'toi.package.invalid' }, (place) => {
    place.only(['description', 'executors', 'additionalResources', ...shapeKeys])
    place.child('additionalResources')?.only(exampleKinds, { isOpen: true })
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
    place.only(['actions', 'imageRef', 'image', 'outputs', ...shapeKeys])
    const actions = place.texts('actions')
    const imageResource = place.child('imageRef', 'Write a map: imageRef: {resource: {name: …}}')
    const image = imageOf(place)
    if (!place.has('imageRef') && !place.has('image') && place.isRead)
      place.missing(
        'imageRef',
        'executor image reference required for toi executor',
        'Add "imageRef", the identity of a resource of type ociImage: imageRef: {resource: {name: …}}',
      )
    const declared = place.child('outputs')
    const outputs = declared
      ? Object.fromEntries(
          place
            .entries('outputs')
            .map(([name, one]) => [name, one.only(['description']).text('description') ?? '']),
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

function readAs<T>(bytes: Uint8Array, what: What, read: (place: Place) => T): DocumentReading<T> {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const document = documentOf(what.source, new TextDecoder().decode(bytes))
  const parsed = readDocument(document)
  const value = parsed.kind === 'done' ? parsed.value : {}
  if (parsed.kind === 'failed') problems.push(...unreadable(document, what, parsed))
  else if (!isObject(value))
    problems.push({
      code: what.code,
      detail: `"${what.what}" is invalid: it is no map`,
      where: document.where(''),
      hint: 'Write a map of the fields that the document has.',
    })
  const isRead = isObject(value) && parsed.kind === 'done'
  if (isRead) warnings.push(...doubtfulYaml(document))
  const found = { ...what, document, problems, warnings, isRead }
  return {
    value: read(new Place(isRead ? (value as JsonObject) : {}, '', found)),
    document,
    problems,
    warnings,
  }
}

const shapeKeys = ['configTemplate', 'configScheme', 'templateLibraries', 'credentials']

function shapeOf(place: Place): ShapeFields {
  const template = place.any('configTemplate')
  const scheme = place.child('configScheme')?.value
  const library = 'Write a list of references: - resource: {name: …}'
  return {
    ...present({ template, scheme }),
    libraries: place
      .list(
        'templateLibraries',
        library,
        (name) => `Write references in the list: - resource: {name: ${name}}`,
      )
      .map(referenceOf),
    credentials: Object.fromEntries(
      place.entries('credentials').map(([name, one]) => [name, requestOf(one)]),
    ),
  }
}

function requestOf(place: Place): CredentialRequest {
  place.only(['description', 'properties', 'consumerId', 'optional'])
  const description = place.text('description')
  const consumerId = place.textMap('consumerId')
  return {
    ...present({ description }),
    properties: place.textMap('properties') ?? {},
    ...(consumerId === undefined || Object.keys(consumerId).length === 0 ? {} : { consumerId }),
    optional: place.flag('optional'),
  }
}

const entryKeys = [
  ...['actions', 'resourceRef', 'image', 'config', 'parameterMapping', 'credentialMapping', 'outputs'],
]

function entryOf(place: Place): ExecutorEntry {
  const actions = place.texts('actions')
  const resource = place.child('resourceRef', 'Write a map, not a list: resourceRef: {resource: {name: …}}')
  const image = imageOf(place)
  const config = place.any('config')
  const parameterMapping = place.any('parameterMapping')
  const credentialMapping = place.textMap('credentialMapping')
  const old = 'imageResourceRef'
  place.only([...entryKeys, old])
  if (place.has(old))
    place.fault(
      old,
      'is the form of years before the specification; it is resourceRef now',
      'Write "resourceRef" instead, and give the executor the type toiExecutor or ociImage.',
    )
  if (!place.has('resourceRef') && !place.has('image') && !place.has(old))
    place.missing(
      'resourceRef',
      'executor resource reference required for toi package executor',
      'Add "resourceRef", the identity of a resource of type ociImage or toiExecutor: resourceRef: {resource: {name: …}}',
      'toi.executor.invalid',
    )
  return {
    at: place.pointer,
    ...present({ actions }),
    ...(resource === undefined ? {} : { resource: referenceOf(resource) }),
    ...present({ image, config, parameterMapping, credentialMapping }),
    outputs: outputsOf(place),
  }
}

/** Paths and names come from the package, and go to folders of the engine and the operator. */
function outputsOf(place: Place): Readonly<Record<string, string>> {
  const outputs = place.textMap('outputs') ?? {}
  const files = isObject(place.get('outputs')) ? place.child('outputs') : undefined
  for (const [path, name] of Object.entries(outputs)) {
    if (!isPlainPath(path))
      files?.fault(
        path,
        `${JSON.stringify(path)} must be the path of a file below the outputs folder`,
        `Write the path as it is below ${places.outputs}: ${plainPath(path)}`,
      )
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name))
      files?.fault(
        path,
        `${JSON.stringify(name)} is no name: letters, digits, ".", "_" and "-"`,
        'Call the output by a name of letters, digits, ".", "_" and "-".',
      )
  }
  return Object.fromEntries(Object.entries(outputs).filter(([path]) => isPlainPath(path)))
}

function isPlainPath(path: string): boolean {
  return (
    path.length <= 1000 &&
    !path.includes('\0') &&
    path.split('/').every((step) => step !== '' && step !== '.' && step !== '..')
  )
}

/** What remains of a path without what leads out of the folder. */
function plainPath(path: string): string {
  return path
    .replace(places.outputs, '')
    .split('/')
    .filter((step) => step !== '' && step !== '.' && step !== '..')
    .join('/')
}

function imageOf(place: Place): ExecutorEntry['image'] {
  const image = place
    .child('image', 'Write a map: image: {ref: HOST/REPOSITORY:TAG}')
    ?.only(['ref', 'digest'])
  const reference = image?.text('ref')
  const digest = image?.text('digest')
  if (image !== undefined && !image.has('ref'))
    image.missing('ref', 'ref is required', 'Write "ref": the name of the image, HOST/REPOSITORY:TAG.')
  return reference === undefined ? undefined : { reference, ...present({ digest }) }
}

function referenceOf(place: Place): ResourceReference {
  const keys = ['resource', 'referencePath', 'resourcePath']
  const name = place.has('resource') ? undefined : place.get('name')
  if (typeof name !== 'string') return referenceIn(place.only(keys))
  place.only([...keys, 'name'])
  const detail = 'the name of a resource stands below "resource"'
  place.fault('name', detail, `Write resource: {name: ${name}}`)
  return { at: place.pointer, resource: { name }, path: [], steps: [], isBroken: true }
}

function referenceIn(place: Place): ResourceReference {
  const given = place.get('resource')
  const name = typeof given === 'string' ? given : '…'
  const resource =
    place.textMap('resource', `Write the identity of the resource: resource: {name: ${name}}`) ?? {}
  const isNamed = isObject(place.get('resource')) && place.child('resource')?.get('name')
  const isSaid = place.has('resource') && !isObject(place.get('resource'))
  if (!isSaid && (isNamed === undefined || isNamed === false || isNamed === ''))
    place.missing(
      'resource',
      'at least resource name must be specified for resource reference',
      'Write resource: {name: …}, the name of a resource of the component.',
    )
  // The manual calls it otherwise than the code of the original.
  const isRenamed = !place.has('referencePath') && place.has('resourcePath')
  if (isRenamed) place.warn('toi.package.field-renamed', 'resourcePath')
  const path = place.list(isRenamed ? 'resourcePath' : 'referencePath')
  const isMisspelt = place.promote('referencePath')
  return {
    at: place.pointer,
    resource,
    path: path.map((step) => identityOf(step)),
    steps: path.map((step) => step.pointer),
    isBroken:
      isMisspelt || (path.length === 0 && place.has('referencePath') && !place.isEmpty('referencePath')),
  }
}

function identityOf(place: Place): Identity {
  const pairs = Object.entries(place.value).flatMap(([key, value]): readonly [string, string][] => {
    if (typeof value === 'string') return [[key, value]]
    place.fault(key, `${key} must be a text`, fixes.text)
    return []
  })
  return Object.fromEntries(pairs)
}

function additionalOf(place: Place): AdditionalResource {
  place.only(['resource', 'referencePath', 'resourcePath', 'content'])
  const content = place.any('content')
  if (content === undefined && !place.has('resource')) {
    const detail = 'at least resource name must be specified for resource reference'
    place.missing('content', detail, 'Write resource: {name: …}, or content: what the file holds.')
    return { kind: 'content', at: place.pointer, content: '' }
  }
  return content === undefined
    ? { kind: 'resource', reference: referenceIn(place) }
    : { kind: 'content', at: place.at('content'), content: content.value }
}

/** Whether a document says what its author meant: no field is misspelt or of a wrong kind. */
export function isSure({
  problems,
  warnings,
}: Pick<DocumentReading<unknown>, 'problems' | 'warnings'>): boolean {
  return problems.length === 0 && warnings.every(({ code }) => code !== 'toi.package.questionable')
}
