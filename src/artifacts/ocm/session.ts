/** A session with component versions: repositories opened once, references resolved, everything closed together. */

import { canonical } from '../../kit/json.ts'
import {
  type ComponentReference,
  compareVersions,
  parseComponentReference,
  type RepositorySpec,
  repositoryDocument,
  repositoryOf,
} from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import type { SourceOptions } from '../sources.ts'
import type { ContentOptions } from './access.ts'
import { openRepository } from './open-repository.ts'
import type { ComponentRepository, StoredVersion } from './repository.ts'
import { makeResolver, type Resolver } from './resolve.ts'

export interface OcmSession {
  readonly resolver: Resolver
  readonly options: ContentOptions
  open(spec: RepositorySpec): Promise<ComponentRepository>
  /** The one version that a reference names, the newest where it names none. Problems: ocm.reference.invalid, ocm.version.unknown, ocm.version.ambiguous. */
  version(reference: string): Promise<StoredVersion>
  close(): Promise<void>
}

export interface SessionOptions extends SourceOptions {
  readonly signal: AbortSignal
  /** Where else referenced components may be, best first. */
  lookup(component: string): readonly RepositorySpec[]
}

/** Opens a session; nothing is read yet. */
export function openOcm(options: SessionOptions): OcmSession {
  const opened = new Map<string, Promise<ComponentRepository>>()
  const open = (spec: RepositorySpec): Promise<ComponentRepository> => {
    const key = canonical(repositoryDocument(spec))
    const known = opened.get(key)
    if (known !== undefined) return known
    const opening = openRepository(spec, options)
    opened.set(key, opening)
    return opening
  }
  const resolver = makeResolver((component) => Promise.all(options.lookup(component).map(open)))
  const { registries, scratchFolder, signal } = options
  return {
    resolver,
    open,
    options: { registries, scratchFolder, signal, openRepository: open },
    version: async (reference) => await findVersion(await place(reference, open), reference, signal),
    close: async () => {
      for (const opening of opened.values()) {
        const repository = await opening.catch(() => undefined)
        await repository?.close()
      }
    },
  }
}

/** Takes a reference apart; a leading `ocm:` is allowed. Problems: ocm.reference.invalid. */
export function readReference(text: string): {
  readonly reference: ComponentReference
  readonly spec: RepositorySpec
} {
  const reference = parseComponentReference(text.replace(/^ocm:/, ''))
  if (reference === undefined) return fail('ocm.reference.invalid', JSON.stringify(text.slice(0, 300)))
  const spec = repositoryOf(reference)
  return typeof spec === 'string'
    ? fail('ocm.reference.invalid', `${JSON.stringify(text.slice(0, 300))}: ${spec}`)
    : { reference, spec }
}

interface Place {
  readonly repository: ComponentRepository
  readonly reference: ComponentReference
}

async function place(text: string, open: OcmSession['open']): Promise<Place> {
  const { reference, spec } = readReference(text)
  return { reference, repository: await open(spec) }
}

async function findVersion(
  { repository, reference }: Place,
  text: string,
  signal: AbortSignal,
): Promise<StoredVersion> {
  const component = reference.component === '' ? onlyComponent(repository) : reference.component
  const version = reference.version ?? (await newest(repository, component, signal))
  const found = await repository.find(component, version, signal)
  return found ?? fail('ocm.version.unknown', `${component}:${version}`, { where: { source: text } })
}

function onlyComponent(repository: ComponentRepository): string {
  const where = { source: repository.name }
  const names = repository.components()
  if (names === undefined) return fail('ocm.reference.invalid', 'it names no component', { where })
  const [only, second] = names
  if (only === undefined) return fail('ocm.version.unknown', 'the archive is empty', { where })
  return second === undefined ? only : fail('ocm.version.ambiguous', names.slice(0, 20).join(', '), { where })
}

async function newest(
  repository: ComponentRepository,
  component: string,
  signal: AbortSignal,
): Promise<string> {
  const versions = await repository.versions(component, signal)
  const released = versions.toSorted((a, b) => compareVersions(b, a))[0]
  return released ?? fail('ocm.version.unknown', component, { where: { source: repository.name } })
}
