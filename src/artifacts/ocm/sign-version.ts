/** Signs a component version: everything it holds and references gets its digest first. */
import {
  type ComponentDescriptor,
  type Digest,
  descriptorDigests,
  type NestedDigest,
  type SigningOrder,
  signDescriptor,
} from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import type { ContentOptions } from './access.ts'
import { contentOf } from './content.ts'
import { digestOfContent } from './digest-content.ts'
import { type StoredVersion, versionName } from './repository.ts'
import type { RepositoryTarget } from './repository-target.ts'
import { closureOf, type Resolver } from './resolve.ts'
import { storedBlobs, writeVersion } from './write-version.ts'

export interface SignOrder {
  readonly root: StoredVersion
  readonly resolver: Resolver
  readonly options: ContentOptions
  readonly target: RepositoryTarget
  readonly signing: SigningOrder
  progress(text: string): void
}

/** Signs and writes the version. Problems: ocm.key.invalid, those of reading and writing. */
export async function signVersion(order: SignOrder): Promise<{ readonly digest: string }> {
  const { root, resolver, options, target, signing, progress } = order
  const closure = await closureOf(root, resolver, options.signal)
  const completed = new Map<string, ComponentDescriptor>()
  for (const version of closure) {
    progress(`digesting ${versionName(version.descriptor)}`)
    completed.set(versionName(version.descriptor), await complete(version, { completed, order }))
  }
  const below = closure.filter((version) => version !== root)
  // Versions that lack digests stay as they are: the one that is signed keeps them.
  const isWhole = below.every(({ descriptor }) => !lacksDigests(descriptor))
  const whole = completed.get(versionName(root.descriptor)) ?? root.descriptor
  const nestedDigests = isWhole
    ? root.descriptor.nestedDigests
    : below.map((version) => nestedOf(version, { completed, signing }))
  const signed = signDescriptor({ ...whole, nestedDigests }, signing)
  if (typeof signed === 'string') return fail('ocm.key.invalid', signed)
  const digest = await writeVersion({
    descriptor: signed,
    blobs: storedBlobs(root, options.signal),
    target: target.component(signed.name),
    signal: options.signal,
    progress,
  })
  await target.finish()
  return { digest }
}

interface Work {
  readonly completed: ReadonlyMap<string, ComponentDescriptor>
  readonly order: SignOrder
}

async function complete(version: StoredVersion, { completed, order }: Work): Promise<ComponentDescriptor> {
  const { descriptor } = version
  const resources = []
  for (const resource of descriptor.resources) {
    const digest =
      resource.digest ??
      (await digestOfContent(await contentOf(resource.access, version, order.options), order.options))
    resources.push(digest === undefined ? resource : { ...resource, digest })
  }
  const references = descriptor.references.map((reference) => {
    const target = completed.get(`${reference.componentName}:${reference.version}`)
    if (reference.digest !== undefined || target === undefined) return reference
    return { ...reference, digest: digestOf(target, order.signing) }
  })
  return { ...descriptor, resources, references }
}

function lacksDigests({ resources, references }: ComponentDescriptor): boolean {
  return [...resources, ...references].some(({ digest }) => digest === undefined)
}

function digestOf(
  descriptor: ComponentDescriptor,
  { normalisation, hashAlgorithm = 'SHA-256' }: SigningOrder,
): Digest {
  const like = { hashAlgorithm, normalisationAlgorithm: normalisation }
  return { ...like, value: descriptorDigests(descriptor, like)?.[0] ?? '' }
}

function nestedOf(
  { descriptor }: StoredVersion,
  { completed, signing }: { readonly completed: Work['completed']; readonly signing: SigningOrder },
): NestedDigest {
  const whole = completed.get(versionName(descriptor)) ?? descriptor
  return {
    name: whole.name,
    version: whole.version,
    digest: digestOf(whole, signing),
    resourceDigests: whole.resources.flatMap(({ name, version, extraIdentity, digest }) =>
      digest === undefined ? [] : [{ name, version, extraIdentity, digest }],
    ),
  }
}
