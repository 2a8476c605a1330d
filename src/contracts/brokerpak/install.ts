/** Where the programs of a pak lie, and where a run must find them. */
import { enginesOf, isProvider, type Manifest, type Platform, providerAddress } from './manifest.ts'
import { compareVersions } from './versions.ts'

export interface Installation {
  /** By version, ascending. */
  readonly engines: readonly { readonly name: string; readonly version: string; readonly entry: string }[]
  /** Files of the plugin folder. */
  readonly providers: readonly { readonly path: string; readonly entry: string }[]
  /** Programs for local-exec and providers, by their file names. */
  readonly extras: readonly { readonly name: string; readonly entry: string }[]
  /** What is missing or ambiguous, in the words of the originals. */
  readonly faults: readonly string[]
}

/** Finds every program of the manifest among the files of the archive. */
export function installationOf(
  manifest: Manifest,
  files: readonly string[],
  platform: Platform,
): Installation {
  const folder = `bin/${platform.os}/${platform.arch}/`
  const faults: string[] = []
  const only = (prefix: string): string | undefined => {
    const found = files.filter((file) => file.startsWith(prefix) && !file.slice(prefix.length).includes('/'))
    if (found.length === 1) return found[0]
    faults.push(
      found.length === 0
        ? `file with prefix "${prefix}" not found in zip`
        : `multiple files found with prefix "${prefix}": ${found.join(', ')}`,
    )
    return undefined
  }
  const engines = enginesOf(manifest).flatMap(({ name, version }) => {
    const entry = [`${folder}${version}/${name}`, `${folder}${name}`].find((path) => files.includes(path))
    if (entry === undefined) faults.push(`could not find ${name} ${version} in brokerpak: ${folder}${name}`)
    return entry === undefined ? [] : [{ name, version, entry }]
  })
  const rest = manifest.binaries.filter(({ name }) => name !== 'tofu' && name !== 'terraform')
  const providers = rest.filter(isProvider).flatMap((binary) => {
    const entry = only(`${folder}${binary.name}_v${binary.version}`)
    const file = entry?.split('/').at(-1)
    const place = `${providerAddress(binary)}/${binary.version}/${platform.os}_${platform.arch}`
    return entry === undefined ? [] : [{ path: `${place}/${file}`, entry }]
  })
  const extras = rest
    .filter((binary) => !isProvider(binary))
    .flatMap(({ name }) => {
      const entry = only(`${folder}${name}`)
      return entry === undefined ? [] : [{ name: entry.split('/').at(-1) ?? name, entry }]
    })
  return { engines: engines.sort((a, b) => compareVersions(a.version, b.version)), providers, extras, faults }
}

/** Whether the pak was built for a platform. */
export function runsOn(manifest: Manifest, platform: Platform): boolean {
  return manifest.platforms.some(({ os, arch }) => os === platform.os && arch === platform.arch)
}
