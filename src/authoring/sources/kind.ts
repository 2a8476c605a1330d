/** What the sources in a folder are written for: told by the file that each contract begins with. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const sourceKinds = ['tweed', 'apb', 'brokerpak', 'cnab', 'toi'] as const
export type SourceKind = (typeof sourceKinds)[number]

export interface Sources {
  readonly kind: SourceKind
  readonly folder: string
}

/** The image of an APB and of a CNAB bundle is described by an image.yml, too: it decides last. */
const firstFiles: readonly (readonly [file: string, kind: SourceKind])[] = [
  ['manifest.yml', 'brokerpak'],
  ['apb.yml', 'apb'],
  ['bundle.json', 'cnab'],
  ['component-constructor.yaml', 'toi'],
  ['image.yml', 'tweed'],
]

/** The file that stands for its folder. */
export function firstFileOf({ kind, folder }: Sources): string {
  const [file = ''] = firstFiles.find(([, one]) => one === kind) ?? []
  return join(folder, file)
}

/** The sources at a path, a folder or the first file of one; undefined where it is a package already, or nothing. */
export function sourcesAt(path: string): Sources | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) {
    const [, kind] = firstFiles.find(([file]) => existsSync(join(path, file))) ?? []
    return kind && { kind, folder: path }
  }
  const [, kind] = firstFiles.find(([file]) => path === file || path.endsWith(`/${file}`)) ?? []
  return found && kind && { kind, folder: dirname(path) }
}
