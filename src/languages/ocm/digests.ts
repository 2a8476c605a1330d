/** Digests in descriptors: how they are compared, and which of them a root keeps for the versions below it. */
import { hash } from 'node:crypto'
import type { ComponentDescriptor, Digest, NestedDigest } from './descriptor.ts'
import { sameIdentity } from './identity.ts'
import { normalForms, normalisationNamed } from './normalise.ts'
import { hashNamed } from './signature.ts'

export const excluded = 'EXCLUDE-FROM-SIGNATURE'

/** The digest of a whole descriptor in the words of another one: of a reference, of a signature. Undefined: an algorithm that is not known. */
export function descriptorDigests(
  descriptor: ComponentDescriptor,
  like: Pick<Digest, 'hashAlgorithm' | 'normalisationAlgorithm'>,
): readonly string[] | undefined {
  const normalisation = normalisationNamed(like.normalisationAlgorithm)
  const algorithm = hashNamed(like.hashAlgorithm)
  if (normalisation === undefined || algorithm === undefined) return undefined
  return normalForms(descriptor, normalisation).map((form) => hash(algorithm, form))
}

/** `SHA-256:…[genericBlobDigest/v1]`, as messages show it. */
export function digestText({ hashAlgorithm, normalisationAlgorithm, value }: Digest): string {
  return `${hashAlgorithm}:${value}[${normalisationAlgorithm}]`
}

/** The descriptor with the digests that its root keeps for it: where they are kept there, its own document stays untouched. */
export function withNestedDigests(
  descriptor: ComponentDescriptor,
  nested: readonly NestedDigest[],
): ComponentDescriptor {
  const own = nested.find(({ name, version }) => name === descriptor.name && version === descriptor.version)
  const below = (name: string, version: string): Digest | undefined =>
    nested.find((one) => one.name === name && one.version === version)?.digest
  return {
    ...descriptor,
    resources: descriptor.resources.map((resource) => {
      const kept = own?.resourceDigests.find(
        ({ name, version, extraIdentity }) =>
          name === resource.name &&
          version === resource.version &&
          sameIdentity(extraIdentity, resource.extraIdentity),
      )
      return kept === undefined ? resource : { ...resource, digest: kept.digest }
    }),
    references: descriptor.references.map((reference) => {
      const kept = below(reference.componentName, reference.version)
      return kept === undefined ? reference : { ...reference, digest: kept }
    }),
  }
}
