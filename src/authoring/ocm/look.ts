/** Looks at component versions: what they hold, what they reference, and their resources as files. */
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { describeAccess } from '../../artifacts/ocm/access.ts'
import { contentOf } from '../../artifacts/ocm/content.ts'
import { mismatch } from '../../artifacts/ocm/digest-content.ts'
import type { StoredVersion } from '../../artifacts/ocm/repository.ts'
import { closureOf } from '../../artifacts/ocm/resolve.ts'
import { readReference } from '../../artifacts/ocm/session.ts'
import { fetchContent } from '../../artifacts/ocm/transfer-version.ts'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { descriptorDocument, fitsPattern, type Identity, identityText } from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { inOcm, type OcmContext, type OcmPlace } from './session.ts'

export interface ShownVersion {
  readonly component: string
  readonly version: string
  readonly provider: string
  readonly repository: string
  readonly manifest: string
  readonly signatures: readonly string[]
  readonly resources: readonly ShownElement[]
  readonly references: readonly {
    readonly name: string
    readonly component: string
    readonly version: string
  }[]
  readonly descriptor: JsonObject
}

interface ShownElement {
  readonly name: string
  readonly version: string
  readonly type: string
  readonly extraIdentity: Identity
  readonly access: string
  readonly digest?: string
}

/** The version that a reference names, or all that a repository or component has. */
export async function lookAt(reference: string, place: OcmPlace): Promise<readonly ShownVersion[]> {
  return await inOcm(place, async (room) => (await named(reference, room, place.signal)).map(shown))
}

async function named(
  text: string,
  { session }: OcmContext,
  signal: AbortSignal,
): Promise<readonly StoredVersion[]> {
  const { reference, spec } = readReference(text)
  const repository = await session.open(spec)
  const { component, version } = reference
  const names = component === '' ? repository.components() : [component]
  if (names === undefined)
    return fail('ocm.reference.invalid', 'a registry does not say which components it has: name one', {
      where: { source: text },
    })
  const found: StoredVersion[] = []
  for (const name of names)
    for (const one of version === undefined ? await repository.versions(name, signal) : [version]) {
      const stored = await repository.find(name, one, signal)
      if (stored !== undefined) found.push(stored)
    }
  return found.length === 0
    ? fail(
        'ocm.version.unknown',
        component === '' ? undefined : `${component}${version === undefined ? '' : `:${version}`}`,
        { where: { source: text } },
      )
    : found
}

function shown({ descriptor, manifest, repository }: StoredVersion): ShownVersion {
  return {
    component: descriptor.name,
    version: descriptor.version,
    provider: descriptor.provider.name,
    repository: repository.name,
    manifest: manifest.digest,
    signatures: descriptor.signatures.map(({ name }) => name),
    resources: descriptor.resources.map(({ name, version, type, extraIdentity, access, digest }) => ({
      name,
      version,
      type,
      extraIdentity,
      access: describeAccess(access),
      ...(digest === undefined ? {} : { digest: `${digest.hashAlgorithm}:${digest.value}` }),
    })),
    references: descriptor.references.map(({ name, componentName, version }) => ({
      name,
      component: componentName,
      version,
    })),
    descriptor: descriptorDocument(descriptor),
  }
}

export interface TreeNode {
  readonly component: string
  readonly version: string
  /** The name of the reference; absent for the root. */
  readonly reference?: string
  readonly resources: readonly string[]
  readonly references: readonly TreeNode[]
}

/** A version with all it references, below one another. */
export async function treeOf(reference: string, place: OcmPlace): Promise<TreeNode> {
  return await inOcm(place, async ({ session }) => {
    const root = await session.version(reference)
    // Refuses circles, and more than can be shown.
    await closureOf(root, session.resolver, place.signal)
    const budget = { nodes: 10_000 }
    const node = async (version: StoredVersion, name?: string): Promise<TreeNode> => {
      if (budget.nodes-- <= 0) fail('ocm.reference.limit', 'the tree has more than 10000 branches')
      const references: TreeNode[] = []
      for (const one of version.descriptor.references)
        references.push(await node(await session.resolver.resolve(version, one, place.signal), one.name))
      return {
        component: version.descriptor.name,
        version: version.descriptor.version,
        ...present({ reference: name }),
        resources: version.descriptor.resources.map((resource) => `${resource.name} (${resource.type})`),
        references,
      }
    }
    return await node(root)
  })
}

export interface DownloadOrder {
  readonly reference: string
  /** Which resource: its name, and whatever else tells it apart. */
  readonly pattern: Identity
  readonly to: string
}

/** Writes a resource to a file, verified. Answers what it is. Problems: ocm.resource.unknown, ocm.digest.resource. */
export async function download(
  { reference, pattern, to }: DownloadOrder,
  place: OcmPlace,
): Promise<{ readonly mediaType: string; readonly bytes: number; readonly digest: string }> {
  return await inOcm(place, async ({ session }) => {
    const version = await session.version(reference)
    const fitting = version.descriptor.resources.filter((one) => fitsPattern(one, pattern))
    const [resource, second] = fitting
    if (resource === undefined)
      return fail('ocm.resource.unknown', identityText(pattern), { where: { source: reference } })
    if (second !== undefined)
      return fail(
        'ocm.resource.unknown',
        `${fitting.length} resources fit ${identityText(pattern)}: say more of it`,
      )
    const content = await contentOf(resource.access, version, session.options)
    if (content.kind === 'none') return fail('ocm.access.invalid', `${resource.name} has no content`)
    const aside: { close(): Promise<void> }[] = []
    const part = `${to}.part`
    try {
      const { blob, open } = await fetchContent(
        content,
        { options: session.options, progress: () => undefined },
        aside,
      )
      const found =
        resource.digest === undefined
          ? undefined
          : await mismatch(
              content.kind === 'blob' ? { ...content, open } : content,
              resource.digest,
              session.options,
            )
      if (found !== undefined) return fail('ocm.digest.resource', `${resource.name} is ${found.value}`)
      await mkdir(dirname(to), { recursive: true })
      await pipeline(open(), createWriteStream(part, { mode: 0o644 }))
      await rename(part, to)
      return { mediaType: blob.mediaType, bytes: blob.size, digest: blob.digest }
    } finally {
      await rm(part, { force: true })
      for (const file of aside) await file.close()
    }
  })
}
