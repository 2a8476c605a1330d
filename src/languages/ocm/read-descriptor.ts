/** Reads component descriptors of every serialisation; all that is wrong with one is said at once. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { readYaml } from '../../kit/yaml.ts'
import type {
  Access,
  ComponentDescriptor,
  Digest,
  Element,
  Identity,
  Label,
  NestedDigest,
  Reference,
  Resource,
  Signature,
  Source,
} from './descriptor.ts'
import { type OcmFault, type OcmReading, readingOf } from './fault.ts'
import { Fields } from './fields.ts'
import { identityKey } from './identity.ts'
import { isComponentName, isElementName, isVersion } from './names.ts'

/** Reads a descriptor from YAML or JSON. */
export function readDescriptor(text: string): OcmReading<ComponentDescriptor> {
  const { value, faults } = readYaml(text, { exact: true, merge: true, aliasesMax: 100 })
  if (faults.length > 0 || value === undefined)
    return readingOf(
      undefined as never,
      faults.map((fault) => ({ ...fault, kind: 'syntax', path: '' })),
    )
  return readDescriptorValue(value)
}

/** Reads a descriptor that has been parsed. */
export function readDescriptorValue(value: Json): OcmReading<ComponentDescriptor> {
  const faults: OcmFault[] = []
  if (!isObject(value)) return readingOf(undefined as never, [fault('syntax', '', 'it is not a map')])
  const document = new Fields(value as JsonObject, '', faults)
  const isThree = 'apiVersion' in value
  const isTwo = isObject(value['meta']) && 'schemaVersion' in value['meta']
  if (isThree && isTwo)
    return readingOf(undefined as never, [
      fault('invalid', '', 'it has both an apiVersion and a meta.schemaVersion'),
    ])
  const descriptor = isThree ? readThree(document) : readTwo(document)
  return readingOf(descriptor, faults)
}

function readTwo(document: Fields): ComponentDescriptor {
  document.map('meta', 'required').text('schemaVersion', (text) => text === 'v2')
  const component = document.map('component', 'required')
  return {
    schemaVersion: 'v2',
    ...named(component),
    provider: providerOfText(component),
    labels: labelsOf(component),
    ...creationTimeOf(component),
    repositoryContexts: component.list('repositoryContexts', 'required', ({ value }) => value),
    ...elementsOf(component, { references: 'componentReferences', need: 'required' }),
    ...signedPartsOf(document),
  }
}

function readThree(document: Fields): ComponentDescriptor {
  document.text('apiVersion', (text) => text === 'ocm.software/v3alpha1')
  document.text('kind', (text) => text === 'ComponentVersion')
  const metadata = document.map('metadata', 'required')
  const spec = document.map('spec', 'required')
  const provider = metadata.map('provider', 'required')
  return {
    schemaVersion: 'ocm.software/v3alpha1',
    ...named(metadata),
    provider: { name: provider.text('name'), labels: labelsOf(provider) },
    labels: labelsOf(metadata),
    ...creationTimeOf(metadata),
    repositoryContexts: document.list('repositoryContexts', 'optional', ({ value }) => value),
    ...elementsOf(spec, { references: 'references', need: 'optional' }),
    ...signedPartsOf(document),
  }
}

function named(place: Fields): Pick<ComponentDescriptor, 'name' | 'version'> {
  return { name: place.text('name', isComponentName), version: place.text('version', isVersion) }
}

/** v2 has room for a text only: a provider with labels stands there as JSON. */
function providerOfText(component: Fields): ComponentDescriptor['provider'] {
  const text = component.text('provider')
  if (!text.startsWith('{')) return { name: text, labels: [] }
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return { name: text, labels: [] }
    const provider = new Fields(value as JsonObject, component.at('provider'), component.faults)
    return { name: provider.text('name'), labels: labelsOf(provider) }
  } catch {
    return { name: text, labels: [] }
  }
}

function creationTimeOf(place: Fields): Pick<ComponentDescriptor, 'creationTime'> {
  const creationTime = place.optionalText('creationTime')
  return creationTime === undefined ? {} : { creationTime }
}

interface Lists {
  readonly references: 'references' | 'componentReferences'
  readonly need: 'required' | 'optional'
}

function elementsOf(
  place: Fields,
  { references, need }: Lists,
): Pick<ComponentDescriptor, 'resources' | 'sources' | 'references'> {
  const found = {
    resources: place.list('resources', need, resourceOf),
    sources: place.list('sources', need, sourceOf),
    references: place.list(references, need, referenceOf),
  }
  sayDuplicates(place, 'resources', found.resources)
  sayDuplicates(place, 'sources', found.sources)
  sayDuplicates(place, references, found.references)
  return found
}

/** Twins are told apart by their versions, so only those of one version are the same. */
function sayDuplicates(place: Fields, key: string, list: readonly Element[]): void {
  const seen = new Set<string>()
  for (const [i, element] of list.entries()) {
    const identity = `${identityKey(element)} ${element.version}`
    if (seen.has(identity))
      place.fault('duplicate', `${place.at(key)}[${i}]`, 'has the identity of another one')
    seen.add(identity)
  }
}

function elementOf(place: Fields): Element {
  return {
    name: place.text('name', isElementName),
    version: place.text('version', isVersion),
    extraIdentity: extraIdentityOf(place),
    labels: labelsOf(place),
  }
}

function extraIdentityOf(place: Fields): Identity {
  const identity = place.texts('extraIdentity')
  for (const key of Object.keys(identity)) {
    const path = `${place.at('extraIdentity')}[${key}]`
    if (key === 'name') place.fault('forbidden', path, 'the name is no part of an extra identity')
    else if (!isElementName(key)) place.fault('invalid', path, 'is not allowed as a key')
  }
  return identity
}

function resourceOf(place: Fields): Resource {
  const digest = digestOf(place)
  return {
    ...elementOf(place),
    type: place.text('type'),
    relation: relationOf(place),
    access: accessOf(place),
    sourceReferences: place.list(
      'srcRef' in place.value ? 'srcRef' : 'srcRefs',
      'optional',
      ({ value }) => value,
    ),
    ...present({ digest }),
  }
}

function relationOf(place: Fields): Resource['relation'] {
  return place.text('relation', (text) => text === 'local' || text === 'external') === 'local'
    ? 'local'
    : 'external'
}

function sourceOf(place: Fields): Source {
  return { ...elementOf(place), type: place.text('type'), access: accessOf(place) }
}

function referenceOf(place: Fields): Reference {
  const digest = digestOf(place)
  return {
    ...elementOf(place),
    componentName: place.text('componentName', isComponentName),
    ...present({ digest }),
  }
}

function accessOf(place: Fields): Access {
  const access = place.map('access', 'required')
  return { ...access.value, type: access.text('type') }
}

function labelsOf(place: Fields): readonly Label[] {
  const labels = place.list('labels', 'optional', labelOf)
  const seen = new Set<string>()
  for (const [i, { name }] of labels.entries()) {
    if (seen.has(name)) place.fault('duplicate', `${place.at('labels')}[${i}]`, 'has the name of another one')
    seen.add(name)
  }
  return labels
}

/** Reads one label. */
export function labelOf(place: Fields): Label {
  const { value, version, signing, merge } = place.value
  if (value === undefined) place.fault('required', place.at('value'), 'is required')
  return {
    name: place.text('name'),
    value: value ?? null,
    ...(typeof version === 'string' && version !== '' ? { version } : {}),
    ...(signing === undefined || signing === null || signing === false ? {} : { signing }),
    ...(isObject(merge) ? { merge: merge as JsonObject } : {}),
  }
}

function digestOf(place: Fields): Digest | undefined {
  const digest = place.optionalMap('digest')
  return digest === undefined ? undefined : digestIn(digest)
}

function digestIn(digest: Fields): Digest {
  return {
    hashAlgorithm: digest.text('hashAlgorithm'),
    normalisationAlgorithm: digest.text('normalisationAlgorithm'),
    value: digest.text('value'),
  }
}

function signedPartsOf(document: Fields): Pick<ComponentDescriptor, 'signatures' | 'nestedDigests'> {
  return {
    signatures: document.list('signatures', 'optional', signatureOf),
    nestedDigests: document.list('nestedDigests', 'optional', nestedDigestOf),
  }
}

function signatureOf(place: Fields): Signature {
  const signature = place.map('signature', 'required')
  const issuer = signature.optionalText('issuer')
  const timestamp = place.optionalMap('timestamp')
  return {
    name: place.text('name'),
    digest: digestIn(place.map('digest', 'required')),
    signature: {
      algorithm: signature.text('algorithm'),
      value: signature.text('value'),
      mediaType: signature.text('mediaType'),
      ...present({ issuer }),
    },
    ...(timestamp === undefined ? {} : { timestamp: timestamp.value }),
  }
}

function nestedDigestOf(place: Fields): NestedDigest {
  const digest = digestOf(place)
  return {
    name: place.text('name'),
    version: place.text('version'),
    ...present({ digest }),
    resourceDigests: place.list('resourceDigests', 'optional', (item) => ({
      name: item.text('name'),
      version: item.text('version'),
      extraIdentity: item.texts('extraIdentity'),
      digest: digestIn(item.map('digest', 'required')),
    })),
  }
}

function fault(kind: OcmFault['kind'], path: string, message: string): OcmFault {
  return { kind, path, message }
}
