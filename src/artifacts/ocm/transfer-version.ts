/** Copies component versions from repository to repository: what is there already is not moved again. */
import { present } from '../../kit/present.ts'
import {
  type Access,
  accessType,
  type ComponentDescriptor,
  normalForm,
  type Resource,
} from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { transfer } from '../transfer.ts'
import type { Content, ContentOptions } from './access.ts'
import { packArtifactSet } from './artifact-set.ts'
import { contentOf } from './content.ts'
import { mismatch } from './digest-content.ts'
import { artifactSetOf } from './media-types.ts'
import { type ComponentRepository, type StoredVersion, versionName } from './repository.ts'
import type { RepositoryTarget } from './repository-target.ts'
import { closureOf, type Resolver } from './resolve.ts'
import { spool } from './spool.ts'
import { type NewBlob, storedBlobs, tagFor, writeVersion } from './write-version.ts'

export interface TransferOrder {
  readonly root: StoredVersion
  readonly resolver: Resolver
  readonly target: RepositoryTarget
  /** What the target holds already; undefined: nothing is there. */
  readonly existing: ComponentRepository | undefined
  /** Also what it references. */
  readonly recursive: boolean
  /** Fetch what lies elsewhere and store it with the version. */
  readonly byValue: boolean
  /** Keep where local blobs can be had from outside, too. */
  readonly keepGlobalAccess: boolean
  /** Replace another version of the same name. */
  readonly overwrite: boolean
  readonly options: ContentOptions
  progress(text: string): void
}

export interface TransferredVersion {
  readonly name: string
  readonly version: string
  readonly digest: string
  /** Whether it was there already. */
  readonly present: boolean
}

/** Transfers; what is referenced comes first, so that a stop leaves nothing that is incomplete. Problems: ocm.version.exists, those of all parts. */
export async function transferVersion(order: TransferOrder): Promise<readonly TransferredVersion[]> {
  const { root, resolver, recursive, target, options, progress } = order
  const versions = recursive ? await closureOf(root, resolver, options.signal) : [root]
  const done: TransferredVersion[] = []
  for (const version of versions) {
    progress(`transferring ${versionName(version.descriptor)}`)
    done.push(await one(version, order))
  }
  await target.finish()
  return done
}

async function one(version: StoredVersion, order: TransferOrder): Promise<TransferredVersion> {
  const { name, version: number } = version.descriptor
  const { digest } = version.manifest
  const { options, target, existing, progress } = order
  const before = await existing?.find(name, number, options.signal)
  if (before !== undefined) {
    const isSame =
      normalForm(before.descriptor, 'jsonNormalisation/v3') ===
      normalForm(version.descriptor, 'jsonNormalisation/v3')
    if (!isSame && !order.overwrite)
      return fail('ocm.version.exists', versionName(version.descriptor), {
        where: { source: existing?.name ?? '' },
      })
    if (before.manifest.digest === digest) return { name, version: number, digest, present: true }
  }
  const to = target.component(name)
  if (!needsChange(version.descriptor, order)) {
    const wanted = { name: tagFor(version.descriptor) }
    const moved = await transfer(
      { source: version.source, wanted },
      { target: to, name: wanted.name },
      { signal: options.signal, progress },
    )
    return { name, version: number, digest: moved.digest, present: false }
  }
  const blobs = storedBlobs(version, options.signal)
  const aside: { close(): Promise<void> }[] = []
  try {
    const resources: Resource[] = []
    for (const resource of version.descriptor.resources)
      resources.push(await changed(resource, { version, order, blobs, aside }))
    const sources = version.descriptor.sources.map((source) => ({
      ...source,
      access: keptAccess(source.access, order),
    }))
    const written = await writeVersion({
      descriptor: { ...version.descriptor, resources, sources },
      blobs,
      target: to,
      signal: options.signal,
      progress,
    })
    return { name, version: number, digest: written, present: false }
  } finally {
    for (const file of aside) await file.close()
  }
}

const stored = ['localBlob', 'localOciBlob', 'none']

function needsChange(
  { resources, sources }: ComponentDescriptor,
  { byValue, keepGlobalAccess }: TransferOrder,
): boolean {
  const all = [...resources, ...sources]
  if (!keepGlobalAccess && all.some(({ access }) => 'globalAccess' in access)) return true
  return byValue && resources.some(({ access }) => !stored.includes(accessType(access)))
}

function keptAccess(access: Access, { keepGlobalAccess }: TransferOrder): Access {
  if (keepGlobalAccess || !('globalAccess' in access)) return access
  const { globalAccess: _, ...rest } = access
  return { ...rest, type: access.type }
}

interface Change {
  readonly version: StoredVersion
  readonly order: TransferOrder
  readonly blobs: Map<string, NewBlob>
  readonly aside: { close(): Promise<void> }[]
}

async function changed(resource: Resource, { version, order, blobs, aside }: Change): Promise<Resource> {
  const access = keptAccess(resource.access, order)
  if (!order.byValue || stored.includes(accessType(access))) return { ...resource, access }
  const content = await contentOf(access, version, order.options)
  if (content.kind === 'none') return { ...resource, access }
  const found =
    resource.digest === undefined || content.kind === 'blob'
      ? undefined
      : await mismatch(content, resource.digest, order.options)
  const where = { source: versionName(version.descriptor) }
  if (found !== undefined) return fail('ocm.digest.resource', `${resource.name} is ${found.value}`, { where })
  const fetched = await fetchContent(content, order, aside)
  const { blob, name } = fetched
  const fits =
    resource.digest === undefined || content.kind === 'artifact'
      ? undefined
      : await mismatch(spooledContent(fetched), resource.digest, order.options)
  if (fits !== undefined) return fail('ocm.digest.resource', `${resource.name} is ${fits.value}`, { where })
  blobs.set(blob.digest, { blob, open: fetched.open })
  return {
    ...resource,
    access: {
      type: 'localBlob',
      localReference: blob.digest,
      mediaType: blob.mediaType,
      ...present({ referenceName: name }),
    },
  }
}

interface Fetched extends NewBlob {
  /** As a repository and tag, where it is an artifact. */
  readonly name?: string
}

/** What was put aside as content: its digest was made on the way. */
export function spooledContent({ blob, open }: NewBlob): Extract<Content, { kind: 'blob' }> {
  const known = { pieces: [blob], check: () => Promise.resolve() }
  return { kind: 'blob', mediaType: blob.mediaType, known, open }
}

/** Puts content that lies elsewhere into one blob on this machine. */
export async function fetchContent(
  content: Exclude<Content, { kind: 'none' }>,
  { options, progress }: Pick<TransferOrder, 'options' | 'progress'>,
  aside: { close(): Promise<void> }[],
): Promise<Fetched> {
  const { scratchFolder, signal } = options
  if (content.kind === 'blob') {
    const file = await spool(content.open(), scratchFolder)
    aside.push(file)
    return { blob: { mediaType: content.mediaType, digest: file.digest, size: file.size }, open: file.open }
  }
  const { source, wanted, name } = content
  const set = await packArtifactSet({ source, wanted, name, scratchFolder, signal, progress })
  aside.push(set)
  const file = await spool(set.open(), scratchFolder)
  aside.push(file)
  return {
    blob: { mediaType: artifactSetOf(set.main.mediaType), digest: file.digest, size: file.size },
    open: file.open,
    // Without the host, which another registry will have another of.
    name: name.includes('/') ? name.slice(name.indexOf('/') + 1).replace(/@.*$/, '') : name,
  }
}
