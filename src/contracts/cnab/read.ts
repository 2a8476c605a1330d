/** Reads a bundle from whatever it came in: everything that would keep it from being run is said now. */
import { present } from '../../kit/present.ts'
import type { Artifact } from '../../model/artifact.ts'
import type { Problem } from '../../model/problem.ts'
import { toProblem } from '../../model/problem.ts'
import type { Reading, ReadRequest, Recognition } from '../contract.ts'
import type { Bundle } from './bundle.ts'
import { chooseVersion, type Requirement, requirementsOf, sharedInstallations } from './dependencies.ts'
import { faultsOfExtensions } from './extensions.ts'
import { readBundle } from './format.ts'
import { chooseInvocationImage, formatImageName, pinnedName, readImageName } from './images.ts'
import { type Dependency, exactText, type KeptBundle, type Notes } from './notes.ts'
import { isBundleIndex } from './oci-form.ts'
import { faultsOfOptions, type Options, optionsOf } from './options.ts'
import { packageOf } from './package.ts'
import { planFaults } from './plan-faults.ts'
import { faultsOfHints } from './service-hints.ts'
import { archivePlaces, findBundle, isTransport, relocated } from './source.ts'

const names: readonly string[] = [archivePlaces.bundle, archivePlaces.signed]

/** An index says what it is; a bundle.json is known by its name or by what it holds. */
export function recogniseCnab(artifact: Artifact): Recognition {
  switch (artifact.kind) {
    case 'image':
      return isBundleIndex(artifact.manifest) ? 'certain' : 'no'
    case 'archive':
      return artifact.entries.some(({ path }) => names.includes(path)) ? 'certain' : 'no'
    case 'document': {
      const head = Buffer.from(artifact.bytes.subarray(0, 1024 * 1024)).toString()
      return /"invocationImages"\s*:/.test(head) ? 'certain' : 'no'
    }
    default:
      return 'no'
  }
}

/** How deep dependencies of dependencies are followed, and how many there may be in all. */
const depthMax = 8
const dependenciesMax = 24

export async function readCnab(artifact: Artifact, request: ReadRequest): Promise<Reading> {
  const faults = faultsOfOptions(request.options)
  if (faults.length > 0) return refused(faults)
  const options = optionsOf(request.options)
  const found = await readOne(artifact, { request, options, path: [], above: [] })
  if (found.bundle === undefined) return refused(found.problems, found.warnings)
  const { bundle, kept, dependencies, warnings } = found
  const notes: Notes = { ...kept, dependencies }
  const hints = faultsOfHints(bundle, options.service)
  // What is no plan has no values that could be judged.
  const problems = [
    ...found.problems,
    ...faultsOfFamily(dependencies),
    ...hints,
    ...(hints.length > 0 ? [] : planFaults(bundle, options)),
  ]
  if (problems.length > 0) return refused(problems, warnings)
  return { kind: 'package', package: packageOf(bundle, notes, artifact.digest, options), warnings }
}

/** Problems: cnab.dependency.invalid. */
function faultsOfFamily(dependencies: readonly Dependency[]): readonly Problem[] {
  const aliases = dependencies.map(({ alias }) => alias)
  const detail = `there are more than ${dependenciesMax} dependencies in all`
  return [
    ...(aliases.length > dependenciesMax ? [{ code: 'cnab.dependency.invalid', detail } as const] : []),
    ...sharedInstallations(aliases),
  ]
}

interface Reader {
  readonly request: ReadRequest
  readonly options: Options
  /** The aliases that lead to the bundle that is read. */
  readonly path: readonly string[]
  /** The digests of the bundles that need it. */
  readonly above: readonly string[]
}

type FoundBundle =
  | {
      readonly bundle: undefined
      readonly problems: readonly Problem[]
      readonly warnings: readonly Problem[]
    }
  | {
      readonly bundle: Bundle
      readonly kept: KeptBundle
      readonly dependencies: readonly Dependency[]
      readonly problems: readonly Problem[]
      readonly warnings: readonly Problem[]
    }

async function readOne(artifact: Artifact, reader: Reader): Promise<FoundBundle> {
  const { relocation } = reader.options
  const found = await findBundle(artifact)
  const source = found && (Object.keys(relocation).length === 0 ? found : relocated(found, relocation))
  if (source === undefined) {
    const problems = [{ code: 'cnab.bundle.not-a-bundle', detail: artifact.reference } as const]
    return { bundle: undefined, problems, warnings: [] }
  }
  const reading = readBundle(source.bytes)
  if (reading.kind === 'refused') {
    const { problems, warnings } = reading
    return { bundle: undefined, problems, warnings }
  }
  const { bundle } = reading
  const image = await imageOf(bundle, source, reader)
  const dependencies = await readDependencies(bundle, {
    ...reader,
    above: [...reader.above, artifact.digest],
  })
  return {
    bundle,
    kept: {
      text: exactText(source.bytes),
      // Run tools are told names; places of this machine mean nothing to them.
      relocation: Object.fromEntries(
        Object.entries(source.relocation).filter(([, place]) => !isTransport(place)),
      ),
      image: image.image ?? { reference: '' },
      reference: `${artifact.reference.replace(/@[a-z0-9]+:[0-9a-f]+$/, '')}@${artifact.digest}`,
    },
    dependencies: dependencies.list,
    problems: [
      ...source.problems,
      ...faultsOfExtensions(bundle, reader.options),
      ...image.problems,
      ...dependencies.problems,
    ],
    warnings: [...reading.warnings, ...dependencies.warnings],
  }
}

interface FoundImage {
  readonly image?: { readonly reference: string; readonly digest: string }
  readonly problems: readonly Problem[]
}

/** What will be run, by digest: a tag is only followed now, and only if the operator wants that. */
async function imageOf(
  bundle: Bundle,
  source: NonNullable<Awaited<ReturnType<typeof findBundle>>>,
  { request, options }: Reader,
): Promise<FoundImage> {
  const chosen = chooseInvocationImage(bundle.invocationImages, request.platform)
  if (chosen === undefined) {
    const detail = 'driver is not compatible with any of the invocation images in the bundle'
    return { problems: [{ code: 'cnab.image.unfit', detail }] }
  }
  const at = {
    source: 'bundle.json',
    pointer: `/invocationImages/${bundle.invocationImages.indexOf(chosen)}`,
  }
  const pinned = pinnedName(chosen.image, chosen.contentDigest)
  if (pinned.kind === 'refused') return { problems: [{ ...pinned.problem, where: at }] }
  const place = source.placeOf({
    pointer: at.pointer,
    image: chosen.image,
    ...present({ contentDigest: pinned.digest }),
  })
  const unpinned: Problem = { code: 'cnab.image.unpinned', detail: chosen.image, where: at }
  const { reference, digest } = place
  if (digest !== undefined) {
    // An archive or an index that came with the bundle says which image it brought along.
    const other: Problem = {
      code: 'cnab.image.digest',
      detail: `content digest mismatch: ${chosen.image} is ${digest}, not ${pinned.digest ?? ''}`,
      where: at,
    }
    const same = pinned.digest === undefined || pinned.digest === digest
    return same ? { image: { reference, digest }, problems: [] } : { problems: [other] }
  }
  if (!options.allowUnpinnedImages || request.lookup === undefined) return { problems: [unpinned] }
  try {
    const found = await request.lookup.open(reference)
    return { image: { reference, digest: found.digest }, problems: [] }
  } catch (error) {
    return { problems: [{ ...toProblem(error), where: at }] }
  }
}

interface FoundDependencies {
  readonly list: readonly Dependency[]
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

async function readDependencies(bundle: Bundle, reader: Reader): Promise<FoundDependencies> {
  const { list, problems } = requirementsOf(bundle)
  const found = problems.length > 0 ? [] : await inTurn(list, (one) => readDependency(one, reader))
  return {
    list: found.flatMap(({ dependencies }) => dependencies),
    problems: [...problems, ...found.flatMap((one) => one.problems)],
    warnings: found.flatMap((one) => one.warnings),
  }
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const done: R[] = []
  for (const item of items) done.push(await work(item))
  return done
}

interface FoundDependency {
  /** With what it needs itself, which comes before it. */
  readonly dependencies: readonly Dependency[]
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

async function readDependency(requirement: Requirement, reader: Reader): Promise<FoundDependency> {
  const { request, path, above } = reader
  const alias = [...path, requirement.alias].join('/')
  const failed = (...problems: readonly Problem[]): FoundDependency => ({
    dependencies: [],
    problems: problems.map(named),
    warnings: [],
  })
  // What lies deeper is named already.
  const named = (problem: Problem): Problem =>
    problem.detail?.startsWith('dependency ')
      ? problem
      : { ...problem, detail: `dependency ${alias}: ${problem.detail ?? problem.code}` }
  const invalid = (detail: string) => failed({ code: 'cnab.dependency.invalid', detail })
  if (path.length >= depthMax) return invalid(`dependencies are nested deeper than ${depthMax}`)
  if (request.lookup === undefined)
    return failed({ code: 'cnab.dependency.unresolved', detail: 'nothing may be looked up here' })
  try {
    const reference = await referenceOf(requirement, { ...reader, lookup: request.lookup, alias })
    if (typeof reference !== 'string') return failed(reference)
    const artifact = await request.lookup.open(reference)
    if (above.includes(artifact.digest)) return invalid('it depends on itself')
    const found = await readOne(artifact, { ...reader, path: [...path, requirement.alias] })
    if (found.bundle === undefined) return failed(...found.problems)
    return {
      dependencies: [...found.dependencies, { ...found.kept, alias }],
      problems: found.problems.map(named),
      warnings: found.warnings.map(named),
    }
  } catch (error) {
    return failed(toProblem(error))
  }
}

/** Where a dependency is: where the operator says, or the version of it that fits. */
async function referenceOf(
  requirement: Requirement,
  {
    lookup,
    options,
    alias,
  }: {
    readonly lookup: NonNullable<ReadRequest['lookup']>
    readonly options: Options
    readonly alias: string
  },
): Promise<string | Problem> {
  const { bundle } = requirement
  if (Object.hasOwn(options.dependencies, alias)) return options.dependencies[alias] ?? bundle
  const name = readImageName(bundle)
  if (name === undefined) return { code: 'cnab.dependency.unresolved', detail: bundle }
  if (name.tag !== undefined || name.digest !== undefined) return formatImageName(name)
  const needsTags = requirement.ranges.length === 0 || options.dependencyVersions !== 'exact'
  const tags = needsTags ? await lookup.tags(`docker://${name.repository}`) : []
  const chosen = chooseVersion(requirement, tags, options.dependencyVersions)
  return chosen.kind === 'refused' ? chosen.problem : formatImageName({ ...name, tag: chosen.tag })
}

function refused(problems: readonly Problem[], warnings: readonly Problem[] = []): Reading {
  const [first, ...rest] = problems
  // The same image is told as what keeps the bundle from being run.
  const others = problems.some(isUnpinned) ? warnings.filter((one) => !isUnpinned(one)) : warnings
  return {
    kind: 'refused',
    problems: [first ?? { code: 'cnab.bundle.not-a-bundle' }, ...rest],
    ...(others.length > 0 ? { warnings: others } : {}),
  }
}

function isUnpinned({ code }: Problem): boolean {
  return code === 'cnab.image.unpinned'
}
