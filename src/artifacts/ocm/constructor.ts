/** Component constructors: documents that say what versions are to be built of, read with all their faults at once. */
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { nearKeys } from '../../kit/near-keys.ts'
import { present } from '../../kit/present.ts'
import { readYaml, toldFault } from '../../kit/yaml.ts'
import {
  Fields,
  type Identity,
  identityText,
  isComponentName,
  isElementName,
  isVersion,
  type Label,
  labelOf,
  type OcmFault,
  type SchemaVersion,
  sameIdentity,
  schemaVersions,
} from '../../languages/ocm/index.ts'
import { failAll, type Place, type Problem } from '../../model/problem.ts'
import { notKnown, only, pointerOf, problemOf } from './constructor-faults.ts'

export interface Construction {
  /** Where something of it stands in its file, by a JSON pointer that begins at the component. */
  place(pointer: string): Place
  readonly name: string
  readonly version: string
  readonly provider: { readonly name: string; readonly labels: readonly Label[] }
  readonly labels: readonly Label[]
  readonly schemaVersion: SchemaVersion
  readonly resources: readonly NewResource[]
  readonly sources: readonly NewElement[]
  readonly references: readonly NewReference[]
}

interface Named {
  /** Where it stands in its component, as a JSON pointer. */
  readonly at: string
  readonly name: string
  readonly version?: string
  readonly extraIdentity: Identity
  readonly labels: readonly Label[]
}

export interface NewElement extends Named {
  readonly type: string
  /** Where its content comes from: something to be stored with the version, or a place it stays at. */
  readonly from: { readonly kind: 'input' | 'access'; readonly spec: JsonObject & { readonly type: string } }
}

export interface NewResource extends NewElement {
  readonly relation: 'local' | 'external'
  readonly sourceReferences: readonly JsonObject[]
  readonly skipDigest: boolean
  readonly digest?: JsonObject
}

export interface NewReference extends Named {
  readonly version: string
  readonly componentName: string
  readonly digest?: JsonObject
}

const documentsMax = 100

/** Reads a constructor: one component, a list, or several documents. Problems: ocm.constructor.invalid, all at once. */
export function readConstructor(
  text: string,
  file: string,
  version: string | undefined,
): readonly Construction[] {
  const parts = partsOf(text)
  const problems: Problem[] = []
  const found: { readonly construction: Construction; readonly place: string }[] = []
  for (const [d, part] of parts.slice(0, documentsMax).entries()) {
    const { value, faults: unread, place: placeIn } = readYaml(part.text, { merge: true, aliasesMax: 100 })
    const faults = unread.map((fault) => ({ ...fault, line: fault.line + part.before }))
    problems.push(
      ...faults.map((fault): Problem => ({ code: 'ocm.constructor.invalid', ...toldFault(fault, file) })),
    )
    if (value === undefined) continue
    const placed = (pointer: string): Place => {
      const { line, column } = placeIn(pointer) ?? { line: 1, column: 1 }
      return { source: file, line: line + part.before, column }
    }
    const { components, near } = componentsOf(value)
    problems.push(...near.map((key) => notKnown({ key, meant: 'components' }, placed(pointer('', key)))))
    for (const [n, { value: one, at }] of components.entries()) {
      const place = `${file}[${d + 1}][${n + 1}]`
      const collected: OcmFault[] = []
      const places = new Map<OcmFault, string>()
      const read = componentOf(one, { collected, places, version, place })
      for (const fault of collected)
        problems.push(problemOf(fault, placed(`${at}${places.get(fault) ?? pointerOf(fault.path)}`)))
      found.push({ construction: { ...read, place: (below) => placed(`${at}${below}`) }, place })
    }
  }
  for (const [i, { construction, place }] of found.entries()) {
    const before = found
      .slice(0, i)
      .find(
        (one) =>
          one.construction.name === construction.name && one.construction.version === construction.version,
      )
    if (before !== undefined && construction.name !== '') {
      const identity = identityText({ name: construction.name, version: construction.version })
      problems.push({
        code: 'ocm.constructor.invalid',
        detail: `duplicate component identity ${identity} (${place} and ${before.place})`,
        where: construction.place('/name'),
        hint: 'Give one of the two another name or version.',
      })
    }
  }
  if (found.length === 0 && problems.length === 0)
    problems.push({
      code: 'ocm.constructor.invalid',
      detail: 'there is no component in it',
      where: { source: file, line: 1 },
      hint: 'Write components: a list of components, each with name, version, provider and resources.',
    })
  failAll(problems)
  return found.map(({ construction }) => construction)
}

interface Part {
  readonly text: string
  /** How many lines of the file stand before it. */
  readonly before: number
}

/** The documents of a file that hold something. */
function partsOf(text: string): readonly Part[] {
  const parts: Part[] = []
  let before = 0
  for (const part of text.split(/^---\s*?$/m)) {
    if (part.trim() !== '') parts.push({ text: part, before })
    before += part.split('\n').length - 1
  }
  return parts
}

interface Components {
  readonly components: readonly { readonly value: Json; readonly at: string }[]
  /** What `components` was called instead. */
  readonly near: readonly string[]
}

function componentsOf(document: Json): Components {
  if (!isObject(document)) return { components: [{ value: document, at: '' }], near: [] }
  const [misspelt] = nearKeys(document as JsonObject, ['components'])
  const isList = misspelt !== undefined && Array.isArray(document[misspelt.key])
  const key = isList ? misspelt.key : 'components'
  const near = isList ? [misspelt.key] : []
  if (!(key in document)) return { components: [{ value: document as JsonObject, at: '' }], near }
  const { [key]: listed, ...others } = document as JsonObject
  const list = Array.isArray(listed)
    ? (listed as readonly Json[]).map((value, i) => ({ value, at: pointer(pointer('', key), i) }))
    : [{ value: listed ?? null, at: pointer('', key) }]
  const more = Object.keys(others).length === 0 ? [] : [{ value: others, at: '' }]
  return { components: [...list, ...more], near }
}

interface Reading {
  readonly collected: OcmFault[]
  /** Where faults stand whose path does not say it. */
  readonly places: Map<OcmFault, string>
  readonly version: string | undefined
  readonly place: string
}

function componentOf(
  value: Json,
  { collected, places, version: given, place }: Reading,
): Omit<Construction, 'place'> {
  if (!isObject(value)) collected.push({ kind: 'invalid', path: '', message: 'a component must be a map' })
  const fields = only(new Fields(isObject(value) ? (value as JsonObject) : {}, '', collected), [
    'name',
    'version',
    'provider',
    'labels',
    'meta',
    'resources',
    'sources',
    'references',
    'componentReferences',
    'creationTime',
  ])
  const own =
    fields.value['version'] === undefined && given !== undefined ? given : fields.text('version', isVersion)
  if ('references' in fields.value && 'componentReferences' in fields.value)
    fields.fault(
      'invalid',
      'componentReferences',
      'is the older name of references: only one of them may be there',
    )
  const key = 'componentReferences' in fields.value ? 'componentReferences' : 'references'
  const provider = only(fields.map('provider', 'required'), ['name', 'labels'])
  const construction = {
    name: fields.text('name', isComponentName),
    version: own,
    provider: {
      name: isObject(fields.value['provider']) ? provider.text('name') : '',
      labels: provider.list('labels', 'optional', labelOf),
    },
    labels: fields.list('labels', 'optional', labelOf),
    schemaVersion: schemaVersionOf(fields),
    resources: fields.list('resources', 'optional', (item) => resourceOf(item, own)),
    sources: fields.list('sources', 'optional', (item) => sourceOf(item, own)),
    references: fields.list(key, 'optional', (item) => referenceOf(item, own)),
  }
  sayDuplicates(construction.resources, 'resource', { collected, places, place, version: own })
  sayDuplicates(construction.sources, 'source', { collected, places, place, version: own })
  sayDuplicates(construction.references, 'reference', { collected, places, place, version: own })
  return construction
}

function schemaVersionOf(fields: Fields): SchemaVersion {
  const said = fields.map('meta', 'optional').optionalText('configuredSchemaVersion')
  const plain = said === 'v3alpha1' ? 'ocm.software/v3alpha1' : said
  const known = schemaVersions.find((one) => one === plain)
  if (plain !== undefined && known === undefined)
    fields.fault('invalid', 'meta.configuredSchemaVersion', `must be one of ${schemaVersions.join(', ')}`)
  return known ?? 'v2'
}

const elementKeys = ['name', 'version', 'extraIdentity', 'labels', 'type', 'input', 'access']

function resourceOf(given: Fields, version: string): NewResource {
  const item = only(given, [...elementKeys, 'relation', 'srcRefs', 'srcRef', 'options', 'digest'])
  const element = elementOf(item, version)
  const options = only(item.map('options', 'optional'), ['skipDigestGeneration'])
  const relation = item.optionalText('relation')
  if (relation !== undefined && relation !== 'local' && relation !== 'external')
    item.fault('invalid', item.at('relation'), 'must be local or external')
  if (relation === 'external' && element.from.kind === 'input')
    item.fault('invalid', item.at('relation'), 'what is stored with the version is local')
  const digest = item.optionalMap('digest')
  return {
    ...element,
    relation:
      relation === 'local' || (relation === undefined && element.from.kind === 'input')
        ? 'local'
        : 'external',
    sourceReferences: item.list(
      'srcRef' in item.value ? 'srcRef' : 'srcRefs',
      'optional',
      ({ value }) => value,
    ),
    skipDigest: options.value['skipDigestGeneration'] === true,
    ...(digest === undefined ? {} : { digest: digest.value }),
  }
}

function sourceOf(item: Fields, version: string): NewElement {
  return elementOf(only(item, elementKeys), version)
}

function elementOf(item: Fields, version: string): NewElement {
  const input = item.optionalMap('input')
  const access = item.optionalMap('access')
  if ((input === undefined) === (access === undefined))
    item.fault('invalid', item.path, 'needs exactly one of input and access')
  const said = input ?? access ?? new Fields({ type: 'none' }, item.path, item.faults)
  const spec = access === undefined ? asInput(said) : said
  const kind = input === undefined ? 'access' : 'input'
  const named = namedOf(item, version)
  if (named.version === undefined && access !== undefined)
    item.fault('required', item.path, `resource ${JSON.stringify(named.name)}: missing version`)
  return {
    ...named,
    type: item.text('type'),
    from: { kind, spec: { ...spec.value, type: spec.text('type') } },
  }
}

/** What inputs of the usual types may say. */
const inputKeys: Readonly<Record<string, readonly string[]>> = {
  file: ['path', 'mediaType', 'compress'],
  dir: [
    ...['path', 'mediaType', 'compress', 'includeFiles', 'excludeFiles', 'preserveDir', 'followSymlinks'],
  ],
  utf8: ['text', 'json', 'formattedJson', 'yaml', 'mediaType', 'compress'],
  binary: ['data', 'mediaType', 'compress'],
  spiff: ['path', 'mediaType', 'compress', 'values', 'libraries'],
  ociArtifact: ['path', 'repository', 'mediaType', 'platforms'],
}

/** An input is read by what it means; misspelt members are told, others are left to the part that opens it. */
function asInput(spec: Fields): Fields {
  const known = inputKeys[String(spec.value['type'])]
  const near = nearKeys(spec.value, [...(known ?? []), 'type'])
  return near.length === 0 || (known === undefined && !near.some(({ meant }) => meant === 'type'))
    ? spec
    : only(spec, [
        ...Object.keys(spec.value).filter((key) => !near.some((one) => one.key === key)),
        ...(known ?? []),
        'type',
      ])
}

function referenceOf(given: Fields, version: string): NewReference {
  const item = only(given, ['name', 'version', 'extraIdentity', 'labels', 'componentName', 'digest'])
  const digest = item.optionalMap('digest')
  const named = namedOf(item, version)
  if (named.version === undefined) item.fault('required', item.at('version'), 'is required')
  return {
    ...named,
    version: named.version ?? '',
    componentName: item.text('componentName', isComponentName),
    ...(digest === undefined ? {} : { digest: digest.value }),
  }
}

function namedOf(item: Fields, component: string): Named {
  const said = item.optionalText('version')
  const version = said === '<componentversion>' ? component : said
  if (version !== undefined && !isVersion(version))
    item.fault('invalid', item.at('version'), `${JSON.stringify(version)} is no version`)
  const extraIdentity = item.texts('extraIdentity')
  for (const key of Object.keys(extraIdentity)) {
    if (key === 'name')
      item.fault(
        'forbidden',
        `${item.at('extraIdentity')}[${key}]`,
        'the name is no part of an extra identity',
      )
    else if (!isElementName(key))
      item.fault('invalid', `${item.at('extraIdentity')}[${key}]`, 'is not allowed as a key')
  }
  return {
    at: pointerOf(item.path),
    name: item.text('name', isElementName),
    ...present({ version }),
    extraIdentity,
    labels: item.list('labels', 'optional', labelOf),
  }
}

interface Duplicates extends Pick<Reading, 'places'> {
  readonly collected: OcmFault[]
  readonly place: string
  /** What elements without a version of their own get. */
  readonly version: string
}

function sayDuplicates(
  list: readonly Named[],
  kind: 'resource' | 'source' | 'reference',
  { collected, places, place, version }: Duplicates,
): void {
  for (const [i, element] of list.entries()) {
    const first = list.findIndex(
      (one) =>
        one.name === element.name &&
        (one.version ?? version) === (element.version ?? version) &&
        sameIdentity(one.extraIdentity, element.extraIdentity),
    )
    if (first === i) continue
    const identity = identityText({
      ...element.extraIdentity,
      name: element.name,
      ...(kind === 'reference' ? { version: element.version ?? version } : {}),
    })
    const fault: OcmFault = {
      kind: 'duplicate',
      path: '',
      message: `duplicate ${kind} identity ${identity} (${place} index ${i + 1} and ${first + 1})`,
      hint: 'Give one of the two another name, or an extraIdentity of its own.',
    }
    collected.push(fault)
    places.set(fault, `${element.at}/name`)
  }
}
