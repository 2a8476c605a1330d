/** Component constructors: documents that say what versions are to be built of, read with all their faults at once. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
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
import { failAll, type Problem } from '../../model/problem.ts'

export interface Construction {
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
  const parts = text.split(/^---\s*$/m).filter((part) => part.trim() !== '')
  const problems: Problem[] = []
  const found: { readonly construction: Construction; readonly place: string }[] = []
  for (const [d, part] of parts.slice(0, documentsMax).entries()) {
    const { value, faults } = readYaml(part, { merge: true, aliasesMax: 100 })
    problems.push(
      ...faults.map((fault): Problem => ({ code: 'ocm.constructor.invalid', ...toldFault(fault, file) })),
    )
    if (value === undefined) continue
    for (const [n, one] of componentsOf(value).entries()) {
      const place = `${file}[${d + 1}][${n + 1}]`
      const collected: OcmFault[] = []
      const construction = componentOf(one, { collected, version, place })
      for (const { path, message } of collected)
        problems.push({
          code: 'ocm.constructor.invalid',
          detail: [path, message].filter(Boolean).join(' '),
          where: { source: place },
        })
      found.push({ construction, place })
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
      })
    }
  }
  if (found.length === 0 && problems.length === 0)
    problems.push({
      code: 'ocm.constructor.invalid',
      detail: 'there is no component in it',
      where: { source: file },
    })
  failAll(problems)
  return found.map(({ construction }) => construction)
}

function componentsOf(document: Json): readonly Json[] {
  if (!isObject(document) || !('components' in document)) return [document as Json]
  const { components, ...others } = document
  const list = Array.isArray(components) ? (components as readonly Json[]) : [components as Json]
  return Object.keys(others).length === 0 ? list : [...list, others as JsonObject]
}

interface Reading {
  readonly collected: OcmFault[]
  readonly version: string | undefined
  readonly place: string
}

function componentOf(value: Json, { collected, version: given, place }: Reading): Construction {
  if (!isObject(value)) collected.push({ kind: 'invalid', path: '', message: 'a component must be a map' })
  const fields = new Fields(isObject(value) ? (value as JsonObject) : {}, '', collected)
  only(fields, [
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
  const provider = fields.map('provider', 'required')
  only(provider, ['name', 'labels'])
  const construction: Construction = {
    name: fields.text('name', isComponentName),
    version: own,
    provider: { name: provider.text('name'), labels: provider.list('labels', 'optional', labelOf) },
    labels: fields.list('labels', 'optional', labelOf),
    schemaVersion: schemaVersionOf(fields),
    resources: fields.list('resources', 'optional', (item) => resourceOf(item, own)),
    sources: fields.list('sources', 'optional', (item) => sourceOf(item, own)),
    references: fields.list(key, 'optional', (item) => referenceOf(item, own)),
  }
  sayDuplicates(construction.resources, 'resource', { collected, place, version: own })
  sayDuplicates(construction.sources, 'source', { collected, place, version: own })
  sayDuplicates(construction.references, 'reference', { collected, place, version: own })
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

function resourceOf(item: Fields, version: string): NewResource {
  only(item, [...elementKeys, 'relation', 'srcRefs', 'srcRef', 'options', 'digest'])
  const element = elementOf(item, version)
  const options = item.map('options', 'optional')
  only(options, ['skipDigestGeneration'])
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
  only(item, elementKeys)
  return elementOf(item, version)
}

function elementOf(item: Fields, version: string): NewElement {
  const input = item.optionalMap('input')
  const access = item.optionalMap('access')
  if ((input === undefined) === (access === undefined))
    item.fault('invalid', item.path, 'needs exactly one of input and access')
  const spec = input ?? access ?? new Fields({ type: 'none' }, item.path, item.faults)
  const kind = input === undefined ? 'access' : 'input'
  const named = namedOf(item, version)
  if (named.version === undefined && kind === 'access')
    item.fault('required', item.path, `resource ${JSON.stringify(named.name)}: missing version`)
  return {
    ...named,
    type: item.text('type'),
    from: { kind, spec: { ...spec.value, type: spec.text('type') } },
  }
}

function referenceOf(item: Fields, version: string): NewReference {
  only(item, ['name', 'version', 'extraIdentity', 'labels', 'componentName', 'digest'])
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
    name: item.text('name', isElementName),
    ...present({ version }),
    extraIdentity,
    labels: item.list('labels', 'optional', labelOf),
  }
}

interface Duplicates {
  readonly collected: OcmFault[]
  readonly place: string
  /** What elements without a version of their own get. */
  readonly version: string
}

function sayDuplicates(
  list: readonly Named[],
  kind: 'resource' | 'source' | 'reference',
  { collected, place, version }: Duplicates,
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
    collected.push({
      kind: 'duplicate',
      path: '',
      message: `duplicate ${kind} identity ${identity} (${place} index ${i + 1} and ${first + 1})`,
    })
  }
}

function only(fields: Fields, keys: readonly string[]): void {
  for (const key of Object.keys(fields.value))
    if (!keys.includes(key)) fields.fault('invalid', fields.at(key), 'is not known here')
}
