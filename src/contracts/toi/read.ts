/** Reads a package from a component version: every document and image that it leads to is found now. */
import { pointer } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Artifact, ComponentArtifact, ComponentResource } from '../../model/artifact.ts'
import { type Place, type Problem, toProblem } from '../../model/problem.ts'
import type { Reading, ReadRequest, Recognition } from '../contract.ts'
import { fits, resourceTypes, selectPackage } from './choose.ts'
import { type Document, documentOf } from './document.ts'
import {
  type AdditionalResource,
  type ExecutorDocument,
  type ExecutorEntry,
  isSure,
  type PackageDocument,
  type ResourceReference,
  readExecutor,
  readPackage,
} from './format.ts'
import { withHost } from './image-name.ts'
import type { Layers } from './layers.ts'
import { lintPackage } from './lint.ts'
import {
  type FoundResource,
  missingHint,
  nameAt,
  oddPart,
  sameIdentity,
  textOfIdentity,
  typeHint,
  writeInstead,
} from './missing.ts'
import type { Executor, Notes } from './notes.ts'
import { faultsOfOptions, optionsOf } from './options.ts'
import { packageOf } from './package.ts'
import type { Placed, SeenExample, SeenExamples, SeenExecutor, SeenSpec } from './seen.ts'
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
  if (reader.problems.length > 0 || notes === undefined)
    return refused([...reader.problems, ...reader.warnings])
  return {
    kind: 'package',
    package: packageOf(notes, { resource: chosen, digest: artifact.digest, options }),
    warnings: reader.warnings,
  }
}

/** One reading: collects all problems, and what is kept of images. */
class Reader {
  readonly problems: Problem[] = []
  readonly warnings: Problem[] = []
  readonly #request: ReadRequest
  readonly #images = new Set<string>()
  /** No document has fields that are misspelt or not as they must be. */
  #isSure = true
  /** What was found of the package, for what is to be said about all of it. */
  readonly #seen: { executors: SeenExecutor[]; libraries: Document[]; examples: SeenExamples } = {
    executors: [],
    libraries: [],
    examples: {},
  }

  constructor(request: ReadRequest) {
    this.#request = request
  }

  async notes(component: ComponentArtifact, chosen: ComponentResource): Promise<Notes | undefined> {
    const bytes = await this.#attempt(() => component.document(chosen))
    if (bytes === undefined) return undefined
    const read = readPackage(bytes, chosen.name)
    this.problems.push(...read.problems)
    this.warnings.push(...read.warnings)
    const placed: Placed<PackageDocument> = { document: read.value, text: read.document, component }
    const { description, credentials } = read.value
    const layers = await this.#layers(placed)
    const executors = await this.#executors(placed)
    const examples = await this.#examples(placed)
    const seen = { ...this.#seen, isSure: this.#isSure && isSure(read) }
    this.warnings.push(...lintPackage({ ...seen, document: read.value, text: read.document }))
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

  async #executors(placed: Placed<PackageDocument>): Promise<readonly Executor[]> {
    const executors: Executor[] = []
    for (const entry of placed.document.executors) {
      const executor = await this.#executor(entry, placed)
      if (executor !== undefined) executors.push(executor)
    }
    return executors
  }

  async #executor(entry: ExecutorEntry, placed: Placed<PackageDocument>): Promise<Executor | undefined> {
    const { text } = placed
    const { image, resource, actions, config, parameterMapping, credentialMapping, outputs } = entry
    const own = {
      outputs,
      ...present({ actions, config, parameterMapping, credentialMapping }),
    }
    const seen: SeenExecutor = { entry }
    this.#seen.executors.push(seen)
    if (image !== undefined) return await this.#plainImage(image, own, text.where(pointer(entry.at, 'image')))
    // What an entry lacks is told when it is read.
    if (resource === undefined) return undefined
    const found = await this.#find(resource, placed)
    if (found === undefined) return undefined
    seen.isImage = found.resource.type === resourceTypes.image
    if (found.resource.type === resourceTypes.image) {
      const pinned = await this.#attempt(() => found.component.image(found.resource))
      return pinned && { ...own, image: this.#kept(pinned), layers: { libraries: [] }, credentials: {} }
    }
    if (found.resource.type !== resourceTypes.executor)
      return this.#refuse(
        'toi.executor.invalid',
        `${found.resource.name} is of type ${found.resource.type}, neither ociImage nor toiExecutor`,
        text.where(nameAt(resource)),
        typeHint(found, [resourceTypes.executor, resourceTypes.image]),
      )
    const bytes = await this.#attempt(() => found.component.document(found.resource))
    if (bytes === undefined) return undefined
    const read = readExecutor(bytes, found.resource.name)
    this.problems.push(...read.problems)
    this.warnings.push(...read.warnings)
    this.#isSure &&= isSure(read)
    if (read.problems.some(({ where }) => where?.pointer === undefined)) return undefined
    seen.spec = { document: read.value, text: read.document, libraries: [] }
    return await this.#specified(
      own,
      { document: read.value, text: read.document, component: found.component },
      { entry, text, seen: seen.spec },
    )
  }

  async #specified(
    own: Omit<Executor, 'image' | 'layers' | 'credentials'>,
    placed: Placed<ExecutorDocument>,
    {
      entry,
      text,
      seen,
    }: { readonly entry: ExecutorEntry; readonly text: Document; readonly seen: SeenSpec },
  ): Promise<Executor | undefined> {
    const { image, imageResource, actions, outputs, credentials } = placed.document
    for (const path of Object.keys(own.outputs))
      if (outputs !== undefined && !Object.hasOwn(outputs, path))
        this.#refuse(
          'toi.output.invalid',
          `output ${path} not available from executor`,
          text.where(pointer(pointer(entry.at, 'outputs'), path)),
          writeInstead(path, Object.keys(outputs), 'a file of the outputs of the executor'),
        )
    const more = {
      ...own,
      layers: await this.#layers(placed, seen.libraries),
      credentials,
      ...present({ offers: actions }),
    }
    if (image !== undefined) return await this.#plainImage(image, more, placed.text.where('/image'))
    if (imageResource === undefined) return undefined
    const found = await this.#find(imageResource, placed)
    if (found === undefined) return undefined
    if (found.resource.type !== resourceTypes.image)
      return this.#refuse(
        'toi.executor.invalid',
        `${found.resource.name} is of type ${found.resource.type}, not ociImage`,
        placed.text.where(nameAt(imageResource)),
        typeHint(found, [resourceTypes.image]),
      )
    const pinned = await this.#attempt(() => found.component.image(found.resource))
    return pinned && { ...more, image: this.#kept(pinned) }
  }

  /** An image by its name is for development; its digest, if there is one, must be the one that is found. */
  async #plainImage(
    { reference, digest }: NonNullable<ExecutorEntry['image']>,
    more: Omit<Executor, 'image' | 'layers' | 'credentials'> &
      Partial<Pick<Executor, 'layers' | 'credentials'>>,
    where: Place,
  ): Promise<Executor | undefined> {
    const { lookup } = this.#request
    // Of a registry, whatever it looks like: a package has no word about files of this machine.
    const name = `docker://${withHost(reference.replace(/^docker:\/\//, ''))}`
    if (lookup === undefined)
      return this.#refuse('toi.executor.invalid', `${reference}: nothing may be looked up here`, where)
    if (digest !== undefined && !/^sha(?:256|512):[0-9a-f]{64,128}$/.test(digest))
      return this.#refuse(
        'toi.executor.invalid',
        `${JSON.stringify(digest)} is no digest`,
        where,
        'Write the digest of the image, sha256: and 64 hexadecimal digits, or take it out.',
      )
    const found = await this.#attempt(
      () => lookup.open(name),
      where,
      'Write the name of an image in a registry, HOST/REPOSITORY:TAG, that is there.',
    )
    if (found === undefined) return undefined
    if (digest !== undefined && digest !== found.digest)
      return this.#refuse(
        'toi.executor.invalid',
        `image digest validation failed: content digest mismatch: ${reference} is ${found.digest}, not ${digest}`,
        where,
        'Write the digest that the image has, or name the image that has this one.',
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

  async #layers(
    placed: Placed<Pick<PackageDocument, 'template' | 'scheme' | 'libraries'>>,
    seen: Document[] = this.#seen.libraries,
  ): Promise<Layers> {
    const { template, scheme, libraries: named } = placed.document
    const libraries: Text[] = []
    for (const reference of named) {
      const library = await this.#text(reference, placed)
      if (library === undefined) continue
      libraries.push(library)
      seen.push(documentOf(library.name, library.text))
    }
    return {
      libraries,
      ...present({ template, scheme }),
    }
  }

  async #text(reference: ResourceReference, placed: Placed<object>): Promise<Text | undefined> {
    const found = await this.#find(reference, placed)
    const bytes = found && (await this.#attempt(() => found.component.document(found.resource)))
    return found && bytes && { name: found.resource.name, text: new TextDecoder().decode(bytes) }
  }

  async #examples(placed: Placed<PackageDocument>): Promise<Notes['examples']> {
    const { additional } = placed.document
    const one = async (kind: 'configFile' | 'credentialsFile'): Promise<string | undefined> => {
      const said = additional[kind]
      const found = said && (await this.#example(said, placed))
      if (found !== undefined) this.#seen.examples[kind] = found
      return found?.text.text
    }
    const configFile = await one('configFile')
    const credentialsFile = await one('credentialsFile')
    return {
      ...present({ configFile, credentialsFile }),
    }
  }

  async #example(one: AdditionalResource, placed: Placed<PackageDocument>): Promise<SeenExample | undefined> {
    if (one.kind === 'content') {
      const text = typeof one.content === 'string' ? one.content : JSON.stringify(one.content)
      // A text has lines of its own, which are no places of the package.
      const where = (below: string): Place =>
        placed.text.where(typeof one.content === 'string' ? one.at : `${one.at}${below}`)
      return { text: { name: placed.text.name, text, where, faults: () => [] } }
    }
    // Here a part of the identity is enough.
    const { resource } = one.reference
    const at = await this.#follow(one.reference, placed)
    if (at === undefined) return undefined
    const found = at.resources.find((each) => fits(each, resource))
    if (found === undefined || found.type !== resourceTypes.yaml) {
      const hint =
        found === undefined
          ? missingHint(resource, at)
          : typeHint({ resource: found, component: at }, ['yaml'])
      this.warnings.push({
        code: 'toi.resource.missing',
        detail: `${textOfIdentity(resource)} of type yaml`,
        where: placed.text.where(nameAt(one.reference)),
        hint,
      })
      return undefined
    }
    const bytes = await this.#attempt(() => at.document(found))
    return bytes && { text: documentOf(found.name, new TextDecoder().decode(bytes)) }
  }

  /** By the whole identity: an attribute more or less is another resource. */
  async #find(reference: ResourceReference, placed: Placed<object>): Promise<FoundResource | undefined> {
    const { resource } = reference
    // A reference without a name is told when the document is read.
    if (resource['name'] === undefined || resource['name'] === '' || reference.isBroken) return undefined
    const at = await this.#follow(reference, placed)
    if (at === undefined) return undefined
    const found = at.resources.find(({ identity }) => sameIdentity(identity, resource))
    if (found !== undefined) return { resource: found, component: at }
    return this.#refuse(
      'toi.resource.missing',
      `${textOfIdentity(resource)} in ${at.name}:${at.version}`,
      placed.text.where(oddPart(reference, at)),
      missingHint(resource, at),
    )
  }

  async #follow(
    { path, steps }: ResourceReference,
    { text, component }: Placed<object>,
  ): Promise<ComponentArtifact | undefined> {
    let here = component
    for (const [i, identity] of path.entries()) {
      const where = text.where(steps[i] ?? '')
      const at = here
      const next = await this.#attempt(async () => ({ found: await at.referenced(identity) }), where)
      if (next === undefined) return undefined
      if (next.found === undefined)
        return this.#refuse(
          'toi.resource.missing',
          `cannot resolve component version for reference ${textOfIdentity(identity)} in ${here.name}:${here.version}`,
          where,
          writeInstead(
            identity['name'] ?? '',
            here.references.map(({ name = '' }) => name),
            'a reference of the component',
          ),
        )
      here = next.found
    }
    return here
  }

  #refuse(code: Problem['code'], detail: string, where: Place, hint?: string): undefined {
    this.problems.push({ code, detail, where, ...present({ hint }) })
    return undefined
  }

  /** What goes wrong is told at the place that leads there. */
  async #attempt<T>(work: () => Promise<T>, where?: Place, hint?: string): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const problem = toProblem(error)
      if (problem.code === 'internal.unexpected') throw error
      this.problems.push({ ...problem, ...present({ where, hint }) })
      return undefined
    }
  }
}

function refused(problems: readonly Problem[]): Reading {
  const [first, ...rest] = problems
  return { kind: 'refused', problems: [first ?? { code: 'toi.package.invalid' }, ...rest] }
}
