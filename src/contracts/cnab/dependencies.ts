/** Dependencies (version 1): other bundles that must be installed before, in which order, and in which version. */
import { isObject } from '../../kit/json.ts'
import {
  checkConstraints,
  compareVersions,
  parseConstraints,
  parseVersion,
  type Version,
} from '../../kit/semver/masterminds.ts'
import type { Problem } from '../../model/problem.ts'
import type { Bundle } from './bundle.ts'
import { extensionNames, extensionOf } from './extensions.ts'
import { readImageName } from './images.ts'
import type { Options } from './options.ts'

export interface Requirement {
  readonly alias: string
  /** As written; with or without a tag. */
  readonly bundle: string
  readonly ranges: readonly string[]
  readonly prereleases: boolean
}

export interface Requirements {
  /** In the order in which they are installed. */
  readonly list: readonly Requirement[]
  readonly problems: readonly Problem[]
}

const countMax = 16

/** What a bundle depends on. Problems: cnab.dependency.invalid, cnab.extension.invalid. */
export function requirementsOf(bundle: Bundle): Requirements {
  const extension = extensionOf(bundle, extensionNames.dependencies) ?? null
  if (extension === null) return { list: [], problems: [] }
  if (!isObject(extension)) return { list: [], problems: [problem('', 'must be an object')] }
  const requires = isObject(extension['requires']) ? Object.entries(extension['requires']) : []
  const problems: Problem[] = []
  const list = requires.flatMap(([alias, value]) => {
    const read = requirementOf(alias, value)
    if ('code' in read) problems.push(read)
    return 'code' in read ? [] : [read]
  })
  if (list.length > countMax) problems.push(problem('', `lists more than ${countMax}`))
  return { list: ordered(list, extension['sequence']), problems }
}

function requirementOf(alias: string, value: unknown): Requirement | Problem {
  // It becomes part of names of installations and of paths.
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(alias))
    return problem(`/requires/${alias}`, 'is no name of a dependency')
  const bundle = isObject(value) ? value['bundle'] : undefined
  if (typeof bundle !== 'string' || readImageName(bundle) === undefined)
    return problem(`/requires/${alias}/bundle`, 'must be a reference')
  const version = isObject(value) && isObject(value['version']) ? value['version'] : {}
  // Older documents said "range", and wrote booleans as texts.
  const ranges = [version['ranges'] ?? version['range'] ?? []].flat()
  return {
    alias,
    bundle,
    ranges: ranges.filter((range): range is string => typeof range === 'string' && range !== ''),
    prereleases: String(version['prereleases'] ?? false).toLowerCase() === 'true',
  }
}

/** An order that does not name all of them is none. */
function ordered(list: readonly Requirement[], sequence: unknown): readonly Requirement[] {
  const names: readonly unknown[] = Array.isArray(sequence) ? sequence : []
  const sorted = names.flatMap((name) => list.find(({ alias }) => alias === name) ?? [])
  return sorted.length === list.length && new Set(names).size === list.length ? sorted : list
}

export type ChosenVersion =
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** Which tag of its repository a dependency is. */
export function chooseVersion(
  { bundle, ranges, prereleases }: Requirement,
  tags: readonly string[],
  strategy: Options['dependencyVersions'],
): ChosenVersion {
  const tag = readImageName(bundle)?.tag
  if (tag !== undefined) return { kind: 'tag', tag }
  if (ranges.length > 0 && strategy === 'exact') {
    return refuse(`the version strategy is exact, and ${bundle} names ranges but no tag`)
  }
  const alternatives = ranges.map((range) => parseConstraints(range))
  const wrong = alternatives.find((one) => 'fault' in one)
  if (wrong && 'fault' in wrong) return refuse(wrong.fault)
  const isIn = (version: Version): boolean =>
    ranges.length === 0 ||
    alternatives.some(
      (one) => 'alternatives' in one && checkConstraints(version, one.alternatives).length === 0,
    )
  const versions = tags
    .flatMap((one) => versionIn(one) ?? [])
    .filter(({ version }) => prereleases || version.prerelease === '')
    .filter(({ version }) => isIn(version))
    .toSorted((x, y) => compareVersions(x.version, y.version))
  const chosen = strategy === 'min' && ranges.length > 0 ? versions[0] : pick(versions, strategy)
  if (chosen !== undefined) return { kind: 'tag', tag: chosen.tag }
  if (ranges.length === 0 && tags.includes('latest')) return { kind: 'tag', tag: 'latest' }
  return refuse(
    `no tag was specified for ${bundle} and none of the tags defined in the registry meet the criteria: semver formatted or 'latest'`,
  )
}

interface Tagged {
  readonly tag: string
  readonly version: Version
}

/** Tags have no plus: an underscore stands for it. */
function versionIn(tag: string): Tagged | undefined {
  const version = parseVersion(tag.replaceAll('_', '+'))
  return version && { tag, version }
}

/** max-patch stays with the lowest minor version that fits; the others take the highest. */
function pick(sorted: readonly Tagged[], strategy: Options['dependencyVersions']): Tagged | undefined {
  const [lowest] = sorted
  if (strategy !== 'max-patch' || lowest === undefined) return sorted.at(-1)
  const { major, minor } = lowest.version
  return sorted.findLast(({ version }) => version.major === major && version.minor === minor)
}

function refuse(detail: string): ChosenVersion {
  return { kind: 'refused', problem: { code: 'cnab.dependency.unresolved', detail } }
}

function problem(at: string, detail: string): Problem {
  const where = { source: 'bundle.json', pointer: `/custom/${extensionNames.dependencies}${at}` }
  return { code: 'cnab.dependency.invalid', detail, where }
}

/** The installation of a dependency. */
export function dependencyInstallation(parent: string, alias: string): string {
  return [parent, ...alias.split('/')].join('-')
}

/** Dependencies whose installations would have one name. Problems: cnab.dependency.invalid. */
export function sharedInstallations(aliases: readonly string[]): readonly Problem[] {
  const names = aliases.map((alias) => dependencyInstallation('', alias))
  return aliases.flatMap((alias, i) => {
    const other = aliases[names.indexOf(names[i] ?? '')]
    if (other === alias || other === undefined) return []
    return [problem('', `${alias} and ${other} would be one installation`)]
  })
}
