/** Writes component descriptors as documents of either serialisation. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { writeYaml } from '../../kit/yaml.ts'
import type {
  ComponentDescriptor,
  Element,
  Label,
  NestedDigest,
  Reference,
  Resource,
  Signature,
  Source,
} from './descriptor.ts'

/** The descriptor as a YAML document. */
export function writeDescriptor(descriptor: ComponentDescriptor): string {
  const text = writeYaml(descriptorDocument(descriptor))
  return text.endsWith('\n') ? text : `${text}\n`
}

/** The descriptor as a value, in the serialisation that it names. */
export function descriptorDocument(descriptor: ComponentDescriptor): JsonObject {
  return descriptor.schemaVersion === 'v2' ? two(descriptor) : three(descriptor)
}

function two(descriptor: ComponentDescriptor): JsonObject {
  const { name, version, creationTime, labels, repositoryContexts } = descriptor
  return {
    meta: { schemaVersion: 'v2' },
    component: {
      name,
      version,
      provider: providerText(descriptor),
      ...present({ creationTime }),
      ...labelsField(labels),
      repositoryContexts,
      sources: descriptor.sources.map(sourceValue),
      componentReferences: descriptor.references.map(referenceValue),
      resources: descriptor.resources.map(resourceValue),
    },
    ...signedParts(descriptor),
  }
}

function three(descriptor: ComponentDescriptor): JsonObject {
  const { name, version, provider, creationTime, labels, repositoryContexts } = descriptor
  return {
    apiVersion: 'ocm.software/v3alpha1',
    kind: 'ComponentVersion',
    metadata: {
      name,
      version,
      provider: { name: provider.name, ...labelsField(provider.labels) },
      ...labelsField(labels),
      ...present({ creationTime }),
    },
    repositoryContexts,
    spec: {
      resources: descriptor.resources.map(resourceValue),
      sources: descriptor.sources.map(sourceValue),
      references: descriptor.references.map(referenceValue),
    },
    ...signedParts(descriptor),
  }
}

/** v2 has room for a text only. */
function providerText({ provider }: ComponentDescriptor): string {
  if (provider.labels.length === 0) return provider.name
  return JSON.stringify({ name: provider.name, ...labelsField(provider.labels) })
}

function resourceValue(resource: Resource): JsonObject {
  const { type, relation, access, sourceReferences, digest } = resource
  return {
    ...elementValue(resource),
    type,
    relation,
    ...(sourceReferences.length === 0 ? {} : { srcRefs: sourceReferences }),
    access,
    ...(digest === undefined ? {} : { digest: { ...digest } }),
  }
}

function sourceValue(source: Source): JsonObject {
  return { ...elementValue(source), type: source.type, access: source.access }
}

function referenceValue(reference: Reference): JsonObject {
  const { componentName, digest } = reference
  return {
    ...elementValue(reference),
    componentName,
    ...(digest === undefined ? {} : { digest: { ...digest } }),
  }
}

function elementValue({ name, version, extraIdentity, labels }: Element): JsonObject {
  return {
    name,
    version,
    ...(Object.keys(extraIdentity).length === 0 ? {} : { extraIdentity }),
    ...labelsField(labels),
  }
}

function labelsField(labels: readonly Label[]): { readonly labels?: readonly Json[] } {
  return labels.length === 0 ? {} : { labels: labels.map(labelValue) }
}

/** A label as it is written. */
export function labelValue({ name, value, version, signing, merge }: Label): JsonObject {
  return {
    name,
    value,
    ...present({ version, signing, merge }),
  }
}

function signedParts({ signatures, nestedDigests }: ComponentDescriptor): JsonObject {
  return {
    ...(signatures.length === 0 ? {} : { signatures: signatures.map(signatureValue) }),
    ...(nestedDigests.length === 0 ? {} : { nestedDigests: nestedDigests.map(nestedValue) }),
  }
}

function signatureValue({ name, digest, signature, timestamp }: Signature): JsonObject {
  return {
    name,
    digest: { ...digest },
    signature: { ...signature },
    ...present({ timestamp }),
  }
}

function nestedValue({ name, version, digest, resourceDigests }: NestedDigest): JsonObject {
  return {
    name,
    version,
    ...(digest === undefined ? {} : { digest: { ...digest } }),
    resourceDigests: resourceDigests.map((one) => ({
      name: one.name,
      version: one.version,
      ...(Object.keys(one.extraIdentity).length === 0 ? {} : { extraIdentity: one.extraIdentity }),
      digest: { ...one.digest },
    })),
  }
}
