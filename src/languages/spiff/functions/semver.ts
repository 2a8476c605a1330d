/** Versions and constraints with the rules and words of Masterminds semver 3. */

import {
  checkConstraints,
  compareVersions,
  parseConstraints,
  parseVersion,
  type Version,
  versionText,
} from '../../../kit/semver/masterminds.ts'
import type { Call, SpiffFunction } from '../env.ts'
import { failure } from '../issue.ts'
import { List, typeName, type Value } from '../value.ts'
import { newList } from './arguments.ts'

export const semverFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['semver', (call) => versionText({ ...single(call, 'semverprerelease'), prefix: '' })],
  ['semverrelease', release],
  ['semvermajor', (call) => single(call, call.name).major],
  ['semverminor', (call) => single(call, call.name).minor],
  ['semverpatch', (call) => single(call, call.name).patch],
  ['semverprerelease', prerelease],
  ['semvermetadata', metadata],
  ['semverincmajor', (call) => bumped(call, (v) => ({ ...v, major: v.major + 1n, minor: 0n, patch: 0n }))],
  ['semverincminor', (call) => bumped(call, (v) => ({ ...v, minor: v.minor + 1n, patch: 0n }))],
  [
    'semverincpatch',
    (call) => bumped(call, (v) => (v.prerelease === '' ? { ...v, patch: v.patch + 1n } : v)),
  ],
  ['semvercmp', compare],
  ['semvermatch', match],
  ['semversort', sort],
  ['semvervalidate', validate],
]

function version(value: Value | undefined, name: string): Version {
  if (typeof value !== 'string')
    return failure(`${name} requires one string argument, but got ${typeName(value ?? null)}`)
  return parseVersion(value) ?? failure(`${name}: "${value}": Invalid Semantic Version`)
}

function single(call: Call, name: string): Version {
  if (call.args.length !== 1) return failure(`${name} requires one argument`)
  return version(call.args[0], name)
}

function two(call: Call): { version: Version; given: string | undefined } {
  if (call.args.length < 1 || call.args.length > 2)
    return failure(`${call.name} requires one or two arguments`)
  const [value, given] = call.args
  if (given !== undefined && typeof given !== 'string')
    return failure(`${call.name} requires string arguments, but got ${typeName(given)}`)
  return { version: version(value, call.name), given }
}

function release(call: Call): Value {
  const { version: own, given } = two(call)
  if (given === undefined) return versionText({ ...own, prerelease: '', metadata: '' })
  const other = parseVersion(given) ?? failure(`${call.name}: "${given}": Invalid Semantic Version`)
  return versionText({
    ...own,
    prefix: other.prefix,
    major: other.major,
    minor: other.minor,
    patch: other.patch,
  })
}

const identifiers = /^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/

function prerelease(call: Call): Value {
  const { version: own, given } = two(call)
  if (given === undefined) return own.prerelease
  if (given !== '' && !identifiers.test(given))
    return failure(`${call.name}: invalid prerelease "${given}": Invalid Prerelease string`)
  return versionText({ ...own, prerelease: given })
}

function metadata(call: Call): Value {
  const { version: own, given } = two(call)
  if (given === undefined) return own.metadata
  if (given !== '' && !identifiers.test(given))
    return failure(`${call.name}: invalid metadata "${given}": Invalid Metadata string`)
  return versionText({ ...own, metadata: given })
}

function bumped(call: Call, next: (version: Version) => Version): Value {
  return versionText({ ...next(single(call, call.name)), prerelease: '', metadata: '' })
}

function compare(call: Call): Value {
  if (call.args.length !== 2) return failure(`${call.name} requires two arguments`)
  return BigInt(compareVersions(version(call.args[0], call.name), version(call.args[1], call.name)))
}

function constraintsOf(call: Call): readonly string[] {
  return call.args.slice(1).flatMap((value) => {
    if (typeof value === 'string') return [value]
    if (value instanceof List)
      return value.cells.map((cell) =>
        typeof cell.value === 'string' ? cell.value : failure(`${call.name}: constraint must be a string`),
      )
    return failure(`${call.name}: constraint must be a string`)
  })
}

function match(call: Call): Value {
  if (call.args.length === 0) return failure(`${call.name} requires at least one argument`)
  const own = version(call.args[0], call.name)
  return semverFaults(own, constraintsOf(call), call.name).length === 0
}

/** What keeps a version from matching; fails for constraints that cannot be read. */
export function semverFaults(own: Version, texts: readonly string[], name: string): readonly string[] {
  return texts.flatMap((text, i) => {
    const parsed = parseConstraints(text)
    if ('fault' in parsed) return failure(`${name}: invalid constraint "${text}"[${i}]: ${parsed.fault}`)
    return checkConstraints(own, parsed.alternatives)
  })
}

function sort(call: Call): Value {
  const [first] = call.args
  const values =
    first instanceof List && call.args.length === 1 ? first.cells.map((cell) => cell.value) : call.args
  const versions = values.map((value) => ({ value, version: version(value, 'semvercmp') }))
  return newList(
    call,
    versions.toSorted((a, b) => compareVersions(a.version, b.version)).map(({ value }) => value),
  )
}

function validate(call: Call): Value {
  const [value] = call.args
  if (value === undefined) return failure(`${call.name} requires at least one argument`)
  if (typeof value !== 'string')
    return failure(`${call.name} requires one string argument, but got ${typeName(value)}`)
  const parsed = parseVersion(value)
  if (parsed === undefined)
    return failure(`${call.name}: "${value}": ${call.name}: "${value}": Invalid Semantic Version`)
  const faults = semverFaults(parsed, constraintsOf(call), call.name)
  return faults.length === 0 ? value : failure(`${call.name}: "${value}": [${faults.join(' ')}]`)
}
