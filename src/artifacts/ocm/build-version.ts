/** Builds component versions as constructors say, with a digest for everything they hold. */
import { present } from '../../kit/present.ts'
import {
  type Access,
  type ComponentDescriptor,
  type Source as ComponentSource,
  type Digest,
  descriptorDigests,
  type Reference,
  type Resource,
} from '../../languages/ocm/index.ts'
import { fail, ProblemError, toProblem } from '../../model/problem.ts'
import type { Construction, NewElement, NewResource } from './constructor.ts'
import { contentOf } from './content.ts'
import { digestOfContent } from './digest-content.ts'
import { type InputOptions, openInput } from './inputs.ts'
import { type ComponentRepository, type StoredVersion, versionName } from './repository.ts'
import type { RepositoryTarget } from './repository-target.ts'
import { fetchContent, spooledContent } from './transfer-version.ts'
import { type NewBlob, writeVersion } from './write-version.ts'

export interface BuildOrder {
  readonly constructions: readonly Construction[]
  readonly target: RepositoryTarget
  readonly existing: ComponentRepository | undefined
  /** Replace a version that is there. */
  readonly overwrite: boolean
  readonly skipDigests: boolean
  /** RFC 3339; absent: the versions say no time, and the same input is the same version. */
  readonly creationTime?: string
  /** A version that a reference means, where it can be found. */
  referenced(component: string, version: string): Promise<StoredVersion | undefined>
  readonly options: InputOptions
  progress(text: string): void
}

export interface BuiltVersion {
  readonly name: string
  readonly version: string
  readonly digest: string
}

/** Builds and writes all of them. Problems: ocm.constructor.invalid, ocm.version.exists, those of inputs and target. */
export async function buildVersions(order: BuildOrder): Promise<readonly BuiltVersion[]> {
  const built: BuiltVersion[] = []
  const fresh = new Map<string, ComponentDescriptor>()
  for (const construction of inOrder(order.constructions)) {
    const { name, version } = construction
    order.progress(`building ${name}:${version}`)
    if (!order.overwrite && (await order.existing?.find(name, version, order.options.signal)) !== undefined)
      return fail('ocm.version.exists', `${name}:${version}`)
    const { descriptor, digest } = await buildOne(construction, order, fresh)
    fresh.set(versionName(descriptor), descriptor)
    built.push({ name, version, digest })
  }
  await order.target.finish()
  return built
}

/** What is referenced before what references it, so that digests of references can be taken. */
function inOrder(constructions: readonly Construction[]): readonly Construction[] {
  const done: Construction[] = []
  const open = new Set<Construction>()
  const visit = (construction: Construction): void => {
    if (done.includes(construction)) return
    if (open.has(construction)) fail('ocm.reference.cycle', versionName(construction))
    open.add(construction)
    for (const { componentName, version } of construction.references) {
      const other = constructions.find((one) => one.name === componentName && one.version === version)
      if (other !== undefined) visit(other)
    }
    done.push(construction)
  }
  for (const construction of constructions) visit(construction)
  return done
}

interface Work {
  readonly construction: Construction
  readonly order: BuildOrder
  readonly blobs: Map<string, NewBlob>
  readonly aside: { close(): Promise<void> }[]
}

async function buildOne(
  construction: Construction,
  order: BuildOrder,
  fresh: ReadonlyMap<string, ComponentDescriptor>,
): Promise<{ readonly descriptor: ComponentDescriptor; readonly digest: string }> {
  const work: Work = { construction, order, blobs: new Map(), aside: [] }
  try {
    const resources: Resource[] = []
    for (const resource of construction.resources) resources.push(await resourceOf(resource, work))
    const sources: ComponentSource[] = []
    for (const source of construction.sources) {
      const { access } = await accessOf(source, work, 'none')
      sources.push({ ...elementOf(source, construction), type: source.type, access })
    }
    const references: Reference[] = []
    for (const { digest: given, componentName, ...reference } of construction.references) {
      const digest =
        (given as Digest | undefined) ??
        (await referenceDigest(componentName, reference.version, { order, fresh }))
      references.push({ ...reference, componentName, ...present({ digest }) })
    }
    const { name, version, provider, labels, schemaVersion } = construction
    const descriptor: ComponentDescriptor = {
      schemaVersion,
      name,
      version,
      provider,
      labels,
      ...present({ creationTime: order.creationTime }),
      repositoryContexts: [],
      resources,
      sources,
      references,
      signatures: [],
      nestedDigests: [],
    }
    const { target, options, progress } = order
    const digest = await writeVersion({
      descriptor,
      blobs: work.blobs,
      target: target.component(name),
      signal: options.signal,
      progress,
    })
    return { descriptor, digest }
  } finally {
    for (const file of work.aside) await file.close()
  }
}

function elementOf({ name, version, extraIdentity, labels }: NewElement, construction: Construction) {
  return { name, version: version ?? construction.version, extraIdentity, labels }
}

async function resourceOf(resource: NewResource, work: Work): Promise<Resource> {
  const { type, relation, sourceReferences, skipDigest, digest: given } = resource
  const wants = skipDigest || work.order.skipDigests || given !== undefined ? 'none' : 'digest'
  const { access, digest = given as Digest | undefined } = await accessOf(resource, work, wants)
  return {
    ...elementOf(resource, work.construction),
    type,
    relation,
    access,
    sourceReferences,
    ...present({ digest }),
  }
}

interface Accessed {
  readonly access: Access
  readonly digest?: Digest
}

async function accessOf(element: NewElement, work: Work, wants: 'digest' | 'none'): Promise<Accessed> {
  const { from } = element
  const { construction, order, blobs, aside } = work
  if (from.kind === 'access') {
    if (wants === 'none') return { access: from.spec }
    const digest = await digestOfContent(
      await contentOf(from.spec, placeless(construction), order.options),
      order.options,
    )
    return { access: from.spec, ...present({ digest }) }
  }
  const { input, blob, open } = await placed(element, construction, async () => {
    const opened = await openInput(from.spec, order.options, placeless(construction))
    if (opened.close !== undefined) aside.push({ close: opened.close })
    return { input: opened, ...(await fetchContent(opened.content, order, aside)) }
  })
  blobs.set(blob.digest, { blob, open })
  const digest =
    wants === 'none'
      ? undefined
      : await digestOfContent(
          input.content.kind === 'artifact' ? input.content : spooledContent({ blob, open }),
          order.options,
        )
  const named = input.name === undefined ? undefined : hint(input.name, construction.name)
  return {
    access: {
      type: 'localBlob',
      localReference: blob.digest,
      mediaType: blob.mediaType,
      ...present({ referenceName: named }),
    },
    ...present({ digest }),
  }
}

/** What goes wrong with an input is told where the constructor names it. */
async function placed<T>(
  { at, from }: NewElement,
  { place }: Construction,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { where, ...problem } = toProblem(error)
    if (problem.code === 'internal.unexpected') throw error
    const key = problem.code === 'ocm.constructor.invalid' ? 'type' : 'path'
    const detail = [problem.detail, where?.source].filter(Boolean).join(': ')
    throw new ProblemError({ ...problem, detail, where: place(`${at}/${from.kind}/${key}`) })
  }
}

/** A repository is one below the component's unless it begins with a slash. */
function hint(name: string, component: string): string {
  return name.startsWith('/') ? name.slice(1) : `${component}/${name}`
}

/** A version that is still being made lies nowhere: its accesses must lead somewhere else. */
function placeless({ name, version }: Construction): StoredVersion {
  const nowhere = (): never =>
    fail('ocm.constructor.invalid', `${name}:${version} cannot refer to blobs of its own; use an input`)
  return {
    descriptor: { name, version } as ComponentDescriptor,
    get manifest(): never {
      return nowhere()
    },
    get source(): never {
      return nowhere()
    },
    get repository(): never {
      return nowhere()
    },
  }
}

const usual = { hashAlgorithm: 'SHA-256', normalisationAlgorithm: 'jsonNormalisation/v3' }

/** Only where all below it has digests: a digest over what may change protects nothing. */
async function referenceDigest(
  component: string,
  version: string,
  { order, fresh }: { readonly order: BuildOrder; readonly fresh: ReadonlyMap<string, ComponentDescriptor> },
): Promise<Digest | undefined> {
  if (order.skipDigests) return undefined
  const descriptor =
    fresh.get(`${component}:${version}`) ?? (await order.referenced(component, version))?.descriptor
  if (descriptor === undefined || descriptor.references.some(({ digest }) => digest === undefined))
    return undefined
  const [value] = descriptorDigests(descriptor, usual) ?? []
  return value === undefined ? undefined : { ...usual, value }
}
