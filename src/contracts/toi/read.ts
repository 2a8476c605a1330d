/** Reads a package from a component version: every document and image that it leads to is found now. */
import { present } from '../../kit/present.ts'
import type { Artifact, ComponentArtifact, ComponentResource } from '../../model/artifact.ts'
import { type Problem, toProblem } from '../../model/problem.ts'
import type { Reading, ReadRequest, Recognition } from '../contract.ts'
import { fits, resourceTypes, selectPackage } from './choose.ts'
import {
  type AdditionalResource,
  type ExecutorDocument,
  type ExecutorEntry,
  type Identity,
  type PackageDocument,
  type ResourceReference,
  readExecutor,
  readPackage,
} from './format.ts'
import type { Layers } from './layers.ts'
import type { Executor, Notes } from './notes.ts'
import { faultsOfOptions, optionsOf } from './options.ts'
import { packageOf } from './package.ts'
import type { Text } from './spiff.ts'

export function recogniseToi(artifact: Artifact): Recognition {
  if (artifact.kind !== 'component') return 'no'
  return artifact.resources.some(({ type }) => type === resourceTypes.package) ? 'certain' : 'likely'
}

export async function readToi(artifact: Artifact, request: ReadRequest): Promise<Reading> {
  if (artifact.kind !== 'component')
    return refused([
      {
        code: 'artifact.kind',
        detail: 'a package lies in a component version (ocm:REPOSITORY//COMPONENT:VERSION)',
      },
    ])
  const faults = faultsOfOptions(request.options)
  if (faults.length > 0) return refused(faults)
  const options = optionsOf(request.options)
  const where = { source: `${artifact.name}:${artifact.version}` }
  const chosen = selectPackage(artifact.resources, options.package)
  if (chosen === undefined) {
    const wanted = Object.entries(options.package)
      .map(([key, value]) => `${key}=${value}`)
      .join(' ')
    return refused([
      {
        code: 'toi.package.missing',
        detail: wanted === '' ? 'there is no resource of type toiPackage' : wanted,
        where,
      },
    ])
  }
  const reader = new Reader(request)
  const notes = await reader.notes(artifact, chosen)
  if (reader.problems.length > 0 || notes === undefined) return refused(reader.problems)
  return {
    kind: 'package',
    package: packageOf(notes, { resource: chosen, digest: artifact.digest, options }),
    warnings: reader.warnings,
  }
}

/** A document with the component that it lies in: what it refers to begins there. */
interface Placed<T> {
  readonly document: T
  readonly component: ComponentArtifact
}

/** One reading: collects all problems, and what is kept of images. */
class Reader {
  readonly problems: Problem[] = []
  readonly warnings: Problem[] = []
  readonly #request: ReadRequest
  readonly #images = new Set<string>()

  constructor(request: ReadRequest) {
    this.#request = request
  }

  async notes(component: ComponentArtifact, chosen: ComponentResource): Promise<Notes | undefined> {
    const bytes = await this.#attempt(() => component.document(chosen))
    if (bytes === undefined) return undefined
    const read = readPackage(bytes, chosen.name)
    this.problems.push(...read.problems)
    this.warnings.push(...read.warnings)
    const placed: Placed<PackageDocument> = { document: read.value, component }
    const { description, credentials } = read.value
    const layers = await this.#layers(placed)
    const executors = await this.#executors(placed)
    const examples = await this.#examples(placed)
    const archive = this.problems.length > 0 ? undefined : await this.#attempt(() => component.transport())
    if (archive === undefined) return undefined
    const { name, version, consumer } = component
    return {
      component: name,
      version,
      layers,
      credentials,
      executors,
      examples,
      archive,
      images: [...this.#images],
      ...present({ description, consumer }),
    }
  }

  async #executors({ document, component }: Placed<PackageDocument>): Promise<readonly Executor[]> {
    const executors: Executor[] = []
    for (const [i, entry] of document.executors.entries()) {
      const executor = await this.#executor(entry, component, `executors/${i}`)
      if (executor !== undefined) executors.push(executor)
    }
    return executors
  }

  async #executor(
    entry: ExecutorEntry,
    component: ComponentArtifact,
    source: string,
  ): Promise<Executor | undefined> {
    const { image, resource, actions, config, parameterMapping, credentialMapping, outputs } = entry
    const own = {
      outputs,
      ...present({ actions, config, parameterMapping, credentialMapping }),
    }
    if (image !== undefined) return await this.#plainImage(image, own)
    if (resource === undefined)
      return this.#refuse(
        'toi.executor.invalid',
        'executor resource reference required for toi package executor',
        source,
      )
    const found = await this.#find(resource, component, source)
    if (found === undefined) return undefined
    if (found.resource.type === resourceTypes.image) {
      const pinned = await this.#attempt(() => found.component.image(found.resource))
      return pinned && { ...own, image: this.#kept(pinned), layers: { libraries: [] }, credentials: {} }
    }
    if (found.resource.type !== resourceTypes.executor)
      return this.#refuse(
        'toi.executor.invalid',
        `${found.resource.name} is of type ${found.resource.type}, neither ociImage nor toiExecutor`,
        source,
      )
    const bytes = await this.#attempt(() => found.component.document(found.resource))
    if (bytes === undefined) return undefined
    const read = readExecutor(bytes, found.resource.name)
    this.problems.push(...read.problems)
    this.warnings.push(...read.warnings)
    return await this.#specified(
      own,
      { document: read.value, component: found.component },
      found.resource.name,
    )
  }

  async #specified(
    own: Omit<Executor, 'image' | 'layers' | 'credentials'>,
    placed: Placed<ExecutorDocument>,
    source: string,
  ): Promise<Executor | undefined> {
    const { image, imageResource, actions, outputs, credentials } = placed.document
    for (const path of Object.keys(own.outputs))
      if (outputs !== undefined && !Object.hasOwn(outputs, path))
        this.#refuse('toi.output.invalid', `output ${path} not available from executor`, source)
    const more = {
      ...own,
      layers: await this.#layers(placed),
      credentials,
      ...present({ offers: actions }),
    }
    if (image !== undefined) return await this.#plainImage(image, more)
    if (imageResource === undefined)
      return this.#refuse(
        'toi.executor.invalid',
        'executor image reference required for toi executor',
        source,
      )
    const found = await this.#find(imageResource, placed.component, source)
    if (found === undefined) return undefined
    if (found.resource.type !== resourceTypes.image)
      return this.#refuse(
        'toi.executor.invalid',
        `${found.resource.name} is of type ${found.resource.type}, not ociImage`,
        source,
      )
    const pinned = await this.#attempt(() => found.component.image(found.resource))
    return pinned && { ...more, image: this.#kept(pinned) }
  }

  /** An image by its name is for development; its digest, if there is one, must be the one that is found. */
  async #plainImage(
    { reference, digest }: NonNullable<ExecutorEntry['image']>,
    more: Omit<Executor, 'image' | 'layers' | 'credentials'> &
      Partial<Pick<Executor, 'layers' | 'credentials'>>,
  ): Promise<Executor | undefined> {
    const { lookup } = this.#request
    // Of a registry, whatever it looks like: a package has no word about files of this machine.
    const name = `docker://${withHost(reference.replace(/^docker:\/\//, ''))}`
    if (lookup === undefined)
      return this.#refuse('toi.executor.invalid', `${reference}: nothing may be looked up here`, 'image')
    const found = await this.#attempt(() => lookup.open(name))
    if (found === undefined) return undefined
    if (digest !== undefined && digest !== found.digest)
      return this.#refuse(
        'toi.executor.invalid',
        `image digest validation failed: content digest mismatch: ${reference} is ${found.digest}, not ${digest}`,
        'image',
      )
    return {
      layers: { libraries: [] },
      credentials: {},
      ...more,
      image: { reference: name, digest: found.digest },
    }
  }

  #kept(image: { readonly reference: string; readonly digest: string }): Executor['image'] {
    const blob = /^kept:([a-z0-9]+:[0-9a-f]+)/.exec(image.reference)?.[1]
    if (blob !== undefined) this.#images.add(blob)
    return image
  }

  async #layers({
    document,
    component,
  }: Placed<Pick<PackageDocument, 'template' | 'scheme' | 'libraries'>>): Promise<Layers> {
    const { template, scheme } = document
    const libraries: Text[] = []
    for (const reference of document.libraries) {
      const library = await this.#text(reference, component, 'templateLibraries')
      if (library !== undefined) libraries.push(library)
    }
    return {
      libraries,
      ...present({ template, scheme }),
    }
  }

  async #text(
    reference: ResourceReference,
    component: ComponentArtifact,
    source: string,
  ): Promise<Text | undefined> {
    const found = await this.#find(reference, component, source)
    const bytes = found && (await this.#attempt(() => found.component.document(found.resource)))
    return found && bytes && { name: found.resource.name, text: new TextDecoder().decode(bytes) }
  }

  async #examples({ document, component }: Placed<PackageDocument>): Promise<Notes['examples']> {
    const example = async (one: AdditionalResource | undefined): Promise<string | undefined> => {
      if (one === undefined) return undefined
      if (one.kind === 'content')
        return typeof one.content === 'string' ? one.content : JSON.stringify(one.content)
      // Here a part of the identity is enough.
      const { resource, path } = one.reference
      const at = await this.#follow(path, component, 'additionalResources')
      const found = at?.resources.find((each) => fits(each, resource))
      if (at === undefined) return undefined
      if (found === undefined || found.type !== resourceTypes.yaml) {
        this.warnings.push({
          code: 'toi.resource.missing',
          detail: `${textOfIdentity(resource)} of type yaml`,
          where: { source: 'additionalResources' },
        })
        return undefined
      }
      const bytes = await this.#attempt(() => at.document(found))
      return bytes && new TextDecoder().decode(bytes)
    }
    const configFile = await example(document.additional['configFile'])
    const credentialsFile = await example(document.additional['credentialsFile'])
    return {
      ...present({ configFile, credentialsFile }),
    }
  }

  /** By the whole identity: an attribute more or less is another resource. */
  async #find(
    { resource, path }: ResourceReference,
    component: ComponentArtifact,
    source: string,
  ): Promise<{ readonly resource: ComponentResource; readonly component: ComponentArtifact } | undefined> {
    const at = await this.#follow(path, component, source)
    if (at === undefined) return undefined
    const found = at.resources.find(({ identity }) => same(identity, resource))
    if (found !== undefined) return { resource: found, component: at }
    return this.#refuse(
      'toi.resource.missing',
      `${textOfIdentity(resource)} in ${at.name}:${at.version}`,
      source,
    )
  }

  async #follow(
    path: readonly Identity[],
    component: ComponentArtifact,
    source: string,
  ): Promise<ComponentArtifact | undefined> {
    let here = component
    for (const identity of path) {
      const next = await this.#attempt(async () => ({ found: await here.referenced(identity) }))
      if (next === undefined) return undefined
      if (next.found === undefined)
        return this.#refuse(
          'toi.resource.missing',
          `cannot resolve component version for reference ${textOfIdentity(identity)} in ${here.name}:${here.version}`,
          source,
        )
      here = next.found
    }
    return here
  }

  #refuse(code: Problem['code'], detail: string, source: string): undefined {
    this.problems.push({ code, detail, where: { source } })
    return undefined
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const problem = toProblem(error)
      if (problem.code === 'internal.unexpected') throw error
      this.problems.push(problem)
      return undefined
    }
  }
}

/** Names without a host are Docker's. */
function withHost(reference: string): string {
  const first = reference.split('/')[0] ?? ''
  const hasHost = reference.includes('/') && (/[.:]/.test(first) || first === 'localhost')
  if (hasHost) return reference
  return reference.includes('/') ? `docker.io/${reference}` : `docker.io/library/${reference}`
}

function same(a: Identity, b: Identity): boolean {
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  )
}

function textOfIdentity(identity: Identity): string {
  return Object.entries(identity)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}

function refused(problems: readonly Problem[]): Reading {
  const [first, ...rest] = problems
  return { kind: 'refused', problems: [first ?? { code: 'toi.package.invalid' }, ...rest] }
}
