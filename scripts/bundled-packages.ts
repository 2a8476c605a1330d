/** The npm packages that a bundle is made of, with their versions and licences. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Its folder, from the root of the project. */
  readonly folder: string
}

/** Those to which these files belong, by name. */
export function bundledPackages(files: readonly string[]): readonly BundledPackage[] {
  const folders = files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  return [...new Set(folders)].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string
      readonly version: string
      readonly license?: string
    }
    return { name, version, license: license ?? 'NOASSERTION', folder }
  })
}

/** The texts of its licence and notice. */
export function licenceTexts({ folder }: BundledPackage): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^(?:licen[cs]e|notice|copying)/i.test(name))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
}
