/** Finds component versions: in the repository of the component that references them, else in the configured ones. */
import { fail } from '../../model/problem.ts'
import { type ComponentRepository, type StoredVersion, versionName } from './repository.ts'

export interface Resolver {
  /** The version that a reference of another one means. Problems: ocm.reference.unresolved. */
  resolve(from: StoredVersion, wanted: WantedVersion, signal: AbortSignal): Promise<StoredVersion>
}

export interface WantedVersion {
  readonly componentName: string
  readonly version: string
}

/** `lookup` answers where else a component may be, best first. */
export function makeResolver(
  lookup: (component: string) => Promise<readonly ComponentRepository[]>,
): Resolver {
  const known = new Map<string, Promise<StoredVersion>>()
  return {
    resolve: (from, wanted, signal) => {
      const key = `${from.repository.name} ${wanted.componentName}:${wanted.version}`
      const before = known.get(key)
      if (before !== undefined) return before
      const finding = find(from, wanted, { lookup, signal })
      known.set(key, finding)
      return finding
    },
  }
}

async function find(
  from: StoredVersion,
  { componentName, version }: WantedVersion,
  { lookup, signal }: { readonly lookup: Parameters<typeof makeResolver>[0]; readonly signal: AbortSignal },
): Promise<StoredVersion> {
  for (const repository of [from.repository, ...(await lookup(componentName))]) {
    const found = await repository.find(componentName, version, signal)
    if (found !== undefined) return found
  }
  return fail(
    'ocm.reference.unresolved',
    `${componentName}:${version}, referenced by ${versionName(from.descriptor)}`,
    {
      where: { source: from.repository.name },
    },
  )
}

const depthMax = 50
const versionsMax = 2000

/**
 * A version and all it references, each once, those that are referenced first.
 * Problems: ocm.reference.unresolved, ocm.reference.cycle, ocm.reference.limit.
 */
export async function closureOf(
  root: StoredVersion,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<readonly StoredVersion[]> {
  const done = new Map<string, StoredVersion>()
  const trail: string[] = []
  const visit = async (version: StoredVersion): Promise<void> => {
    const name = versionName(version.descriptor)
    if (done.has(name)) return
    if (trail.includes(name))
      fail('ocm.reference.cycle', [...trail.slice(trail.indexOf(name)), name].join(' → '))
    if (trail.length >= depthMax) fail('ocm.reference.limit', `more than ${depthMax} deep at ${name}`)
    trail.push(name)
    for (const reference of version.descriptor.references)
      await visit(await resolver.resolve(version, reference, signal))
    trail.pop()
    done.set(name, version)
    if (done.size > versionsMax) fail('ocm.reference.limit', `more than ${versionsMax} versions`)
  }
  await visit(root)
  return [...done.values()]
}
