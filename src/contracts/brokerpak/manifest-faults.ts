/** What is wrong with a manifest: by our own rules, or by those of either original. */
import { blankFields, type FieldFault, missing } from './field-faults.ts'
import {
  type Binary,
  enginesOf,
  isProvider,
  type Manifest,
  type Platform,
  providerAddress,
} from './manifest.ts'
import { compareVersions, isVersion } from './versions.ts'

/** ours accepts what any of the originals accepts and can be run. */
export type Dialect = 'ours' | 'v1' | 'csb'

const platforms = [
  'darwin/amd64',
  'darwin/arm64',
  'freebsd/386',
  'freebsd/amd64',
  'freebsd/arm',
  'linux/386',
  'linux/amd64',
  'linux/arm',
  'linux/arm64',
  'openbsd/386',
  'openbsd/amd64',
  'solaris/amd64',
  'windows/386',
  'windows/amd64',
]

/** All faults of a manifest. */
export function manifestFaults(manifest: Manifest, dialect: Dialect): readonly FieldFault[] {
  const { name, version } = manifest
  return [
    ...packversionFaults(manifest.packversion, dialect),
    ...blankFields({ name, version }),
    ...emptyLists({
      platforms: manifest.platforms,
      terraform_binaries: manifest.binaries,
      service_definitions: manifest.definitions,
    }),
    ...manifest.platforms.flatMap((platform, i) => platformFaults(platform, i, dialect)),
    ...manifest.binaries.flatMap((binary, i) => binaryFaults(binary, i, dialect)),
    ...manifest.parameters.flatMap((parameter, i) => blankFields({ ...parameter }, `parameters[${i}]`)),
    ...(dialect === 'v1' ? [] : [...engineFaults(manifest, dialect), ...pathFaults(manifest, dialect)]),
  ]
}

/** The originals' message when a path of the manifest is worth a warning only. */
export function unknownPlatforms({ platforms: list }: Manifest): readonly string[] {
  return list.map(({ os, arch }) => `${os}/${arch}`).filter((platform) => !platforms.includes(platform))
}

function packversionFaults(packversion: number | undefined, dialect: Dialect): readonly FieldFault[] {
  if (packversion === 1) return []
  const value = packversion ?? 0
  if (value === 0 && dialect !== 'v1') return [missing('packversion')]
  return [{ text: `invalid value: ${value}`, path: 'packversion' }]
}

function emptyLists(lists: Readonly<Record<string, readonly unknown[]>>): readonly FieldFault[] {
  return Object.entries(lists).flatMap(([name, list]) => (list.length === 0 ? [missing(name)] : []))
}

function platformFaults({ os, arch }: Platform, i: number, dialect: Dialect): readonly FieldFault[] {
  const path = `platforms[${i}]`
  const blank = blankFields({ os, arch }, path)
  if (blank.length > 0 || dialect !== 'csb' || platforms.includes(`${os}/${arch}`)) return blank
  return [{ text: `invalid value: ${os}/${arch}`, path }]
}

function binaryFaults(binary: Binary, i: number, dialect: Dialect): readonly FieldFault[] {
  const path = `terraform_binaries[${i}]`
  const { name, version, source } = binary
  const blank = blankFields({ name, version, ...(dialect === 'v1' ? { source } : {}) }, path)
  if (dialect === 'v1') return blank
  const faults = [...blank]
  // The living original knows only its own engine by this name; in older paks it was a plain Terraform.
  const isEngine = name === 'tofu'
  if ((isEngine || isProvider(binary)) && !isVersion(version)) {
    faults.push({ text: `Malformed version: ${version}`, path: `${path}.version` })
  }
  if (binary.isDefault && !isEngine && !(dialect === 'ours' && name === 'terraform')) {
    faults.push({ text: 'This field is only valid for `tofu`', path: `${path}.default` })
  }
  if (isProvider(binary) && providerAddress(binary) === undefined) {
    faults.push({
      text: 'invalid format; valid format is [<HOSTNAME>/]<NAMESPACE>/<TYPE>',
      path: `${path}.provider`,
    })
  }
  return faults
}

function engines(manifest: Manifest, dialect: Dialect): readonly Binary[] {
  return dialect === 'csb' ? manifest.binaries.filter(({ name }) => name === 'tofu') : enginesOf(manifest)
}

function engineFaults(manifest: Manifest, dialect: Dialect): readonly FieldFault[] {
  const list = engines(manifest, dialect)
  const path = 'terraform_binaries'
  const versions = list.map(({ version }) => version)
  const repeated = versions.filter((version, i) => versions.indexOf(version) < i)
  if (repeated.length > 0) {
    return repeated.map((version) => ({
      text: `duplicated value, must be unique: ${version}`,
      path: 'version',
    }))
  }
  const marked = list.filter(({ isDefault }) => isDefault)
  if (list.length > 1 && marked.length === 0) {
    return [{ text: 'multiple Tofu versions, but none marked as default', path }]
  }
  if (marked.length > 1) return [{ text: 'multiple Tofu versions, and multiple marked as default', path }]
  const [chosen = list[0]] = marked
  if (chosen === undefined || (chosen.name === 'terraform' && !isVersion(chosen.version))) return []
  const highest = list
    .filter(({ version }) => isVersion(version))
    .every((one) => compareVersions(one.version, chosen.version) <= 0)
  if (highest && isVersion(chosen.version)) return []
  return [{ text: 'default version of Tofu must be the highest version', path }]
}

/** The first fault of the upgrade path; a version that is none crashes the original. */
function pathFaults(manifest: Manifest, dialect: Dialect): readonly FieldFault[] {
  const list = enginesOf(manifest)
  const last = list.find(({ isDefault }) => isDefault) ?? list[0]
  let before: string | undefined
  for (const [i, version] of manifest.upgradePath.entries()) {
    const path = `terraform_upgrade_path[${i}].version`
    if (version === '') return [missing(path)]
    if (!isVersion(version)) return [{ text: `Malformed version: ${version}`, path }]
    if (before !== undefined && compareVersions(before, version) > 0) {
      return [{ text: `expect versions to be in ascending order: "${version}" <= "${before}"`, path }]
    }
    if (dialect === 'ours' && before !== undefined && compareVersions(before, version) === 0) {
      return [{ text: `duplicated value, must be unique: ${version}`, path }]
    }
    if (!list.some((engine) => compareVersions(engine.version, version) === 0)) {
      return [{ text: `no corresponding terrafom resource for tofu version "${version}"`, path }]
    }
    before = version
  }
  if (before === undefined || (last !== undefined && compareVersions(before, last.version) === 0)) return []
  const path = `terraform_upgrade_path[${manifest.upgradePath.length - 1}].version`
  return [{ text: 'upgrade path does not terminate at default version', path }]
}
