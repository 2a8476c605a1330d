/** Normal forms of a descriptor: the one text over which its digest is taken, whatever may change without changing what it means. */
import { canonical, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import {
  accessType,
  type ComponentDescriptor,
  type Digest,
  type Element,
  type Label,
  type Resource,
} from './descriptor.ts'
import { identityKey } from './identity.ts'
import { labelValue } from './write-descriptor.ts'

export const normalisations = [
  'jsonNormalisation/v1',
  'jsonNormalisation/v2',
  'jsonNormalisation/v3',
  'jsonNormalisation/v4alpha1',
] as const
export type Normalisation = (typeof normalisations)[number]

/** The algorithm of that name; the specification writes them without a slash. */
export function normalisationNamed(text: string): Normalisation | undefined {
  const plain = text
    .replace(/^jsonNormalisationV/, 'jsonNormalisation/v')
    .replace(/^jsonNormalisationv/, 'jsonNormalisation/v')
  return normalisations.find((one) => one === plain)
}

/** The texts that a signature of this algorithm may stand for: the usual one first, then those of early tools. */
export function normalForms(descriptor: ComponentDescriptor, algorithm: Normalisation): readonly string[] {
  switch (algorithm) {
    case 'jsonNormalisation/v1':
      return [entryLists(descriptor, 'null'), entryLists(descriptor, 'absent')]
    case 'jsonNormalisation/v2':
      return [canonicalForm(withVersions(descriptor))]
    default:
      return [canonicalForm(descriptor)]
  }
}

/** The normal form that is written today. */
export function normalForm(descriptor: ComponentDescriptor, algorithm: Normalisation): string {
  return normalForms(descriptor, algorithm)[0] ?? ''
}

function canonicalForm(descriptor: ComponentDescriptor): string {
  const { name, version, provider, creationTime, labels } = descriptor
  return canonical({
    component: {
      componentReferences: descriptor.references.map((reference) => ({
        ...elementValue(reference, reference.labels.map(labelValue)),
        componentName: reference.componentName,
        ...digestField(reference.digest),
      })),
      ...present({ creationTime }),
      ...listField('labels', signedLabels(labels)),
      name,
      provider: { name: provider.name, ...listField('labels', signedLabels(provider.labels)) },
      resources: descriptor.resources.map((resource) => ({
        ...elementValue(resource, signedLabels(resource.labels)),
        type: resource.type,
        relation: resource.relation,
        ...digestField(digestOf(resource)),
      })),
      sources: descriptor.sources.map((source) => ({
        ...elementValue(source, signedLabels(source.labels)),
        type: source.type,
      })),
      version,
    },
  })
}

function elementValue({ name, version, extraIdentity }: Element, labels: readonly Json[]): JsonObject {
  return {
    name,
    version,
    ...(Object.keys(extraIdentity).length === 0 ? {} : { extraIdentity }),
    ...listField('labels', labels),
  }
}

function listField(key: string, list: readonly Json[]): JsonObject {
  return list.length === 0 ? {} : { [key]: list }
}

function digestField(digest: Digest | undefined): JsonObject {
  return digest === undefined ? {} : { digest: { ...digest } }
}

/** What has no content has no digest. */
function digestOf({ access, digest }: Resource): Digest | undefined {
  return accessType(access) === 'none' ? undefined : digest
}

function signedLabels(labels: readonly Label[]): readonly JsonObject[] {
  return labels.flatMap(({ name, value, version, signing }) =>
    signing === true || signing === 'true' ? [{ name, ...present({ version }), value, signing }] : [],
  )
}

/** Of resources that only their versions tell apart, all but the last get theirs into the identity. */
function withVersions(descriptor: ComponentDescriptor): ComponentDescriptor {
  const counts = new Map<string, number>()
  const count = (key: string, by: number): void => {
    counts.set(key, (counts.get(key) ?? 0) + by)
  }
  for (const resource of descriptor.resources) count(identityKey(resource), 1)
  const resources = descriptor.resources.map((resource) => {
    const key = identityKey(resource)
    if ((counts.get(key) ?? 0) < 2) return resource
    const changed = { ...resource, extraIdentity: { ...resource.extraIdentity, version: resource.version } }
    count(key, -1)
    count(identityKey(changed), 1)
    return changed
  })
  return { ...descriptor, resources }
}

/** How the oldest form says that an element has no extra identity; the earliest tools said nothing. */
type NoIdentity = 'null' | 'absent'

function entryLists(given: ComponentDescriptor, noIdentity: NoIdentity): string {
  const descriptor = withVersions(given)
  const value = descriptor.schemaVersion === 'v2' ? oldTwo(descriptor, noIdentity) : oldThree(descriptor)
  return goText(JSON.stringify(asEntries(value)))
}

function oldTwo(descriptor: ComponentDescriptor, noIdentity: NoIdentity): JsonObject {
  const { name, version, provider, creationTime, labels } = descriptor
  const identity = ({ extraIdentity }: Element): JsonObject =>
    noIdentity === 'null' && Object.keys(extraIdentity).length === 0 ? { extraIdentity: null } : {}
  return {
    component: {
      componentReferences: descriptor.references.map((reference) => ({
        ...identity(reference),
        ...elementValue(reference, signedLabels(reference.labels)),
        componentName: reference.componentName,
        ...digestField(reference.digest),
      })),
      ...present({ creationTime }),
      ...listField('labels', signedLabels(labels)),
      name,
      provider:
        provider.labels.length === 0
          ? provider.name
          : { name: provider.name, ...listField('labels', signedLabels(provider.labels)) },
      resources: descriptor.resources.map((resource) => ({
        ...identity(resource),
        ...elementValue(resource, signedLabels(resource.labels)),
        type: resource.type,
        relation: resource.relation,
        ...digestField(digestOf(resource)),
      })),
      version,
    },
    meta: { schemaVersion: 'v2' },
  }
}

function oldThree(descriptor: ComponentDescriptor): JsonObject {
  const { name, version, provider, creationTime, labels } = descriptor
  return {
    apiVersion: 'ocm.software/v3alpha1',
    kind: 'ComponentVersion',
    metadata: {
      name,
      version,
      ...present({ creationTime }),
      ...listField('labels', signedLabels(labels)),
      provider: { name: provider.name, ...listField('labels', provider.labels.map(labelValue)) },
    },
    spec: {
      ...listField(
        'resources',
        descriptor.resources.map((resource) => ({
          ...elementValue(resource, signedLabels(resource.labels)),
          type: resource.type,
          relation: resource.relation,
          ...digestField(digestOf(resource)),
        })),
      ),
      ...listField(
        'sources',
        descriptor.sources.map((source) => ({
          ...elementValue(source, signedLabels(source.labels)),
          type: source.type,
        })),
      ),
      ...listField(
        'references',
        descriptor.references.map((reference) => ({
          ...elementValue(reference, signedLabels(reference.labels)),
          componentName: reference.componentName,
          ...digestField(reference.digest),
        })),
      ),
    },
  }
}

/** Every map becomes a list of maps with one key each, in the order of the keys. */
function asEntries(value: Json): Json {
  if (Array.isArray(value)) return value.map(asEntries)
  if (typeof value !== 'object' || value === null) return value
  const map = value as JsonObject
  return Object.keys(map)
    .toSorted()
    .map((key) => ({ [key]: asEntries(map[key] ?? null) }))
}

/** Go's writer of JSON escapes what could be taken for markup. */
function goText(json: string): string {
  return json
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}
