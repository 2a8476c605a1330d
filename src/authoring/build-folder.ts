/** Builds the image of a package's folder as its `image.yml` says, into a layout on this machine. */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { findHostTools, putHostTools } from '../artifacts/host-tools.ts'
import { buildPackage } from '../artifacts/packages.ts'
import { registriesOfCommand } from '../host/registries.ts'
import { present } from '../kit/present.ts'
import { readImageFile } from './image-file.ts'
import { toolsBelow } from './tools-image.ts'

export interface FolderBuild {
  readonly folder: string
  /** Where to; a layout named after the folder when absent. */
  readonly to?: string
  readonly dataDir: string
  /** The image to build upon instead of the one that `image.yml` names. */
  readonly base?: string
  /** Labels over those of `image.yml`. */
  readonly labels?: Readonly<Record<string, string>>
}

/** Whether a reference is a folder with an `image.yml`. */
export function isImageFolder(reference: string): boolean {
  return existsSync(join(reference, 'image.yml'))
}

/** Builds and answers the reference. Problems: package.invalid, file.unreadable, those of building. */
export async function buildFolder(build: FolderBuild): Promise<string> {
  const { folder } = build
  const file = readImageFile(join(folder, 'image.yml'))
  const reference = builtReference(build)
  const named = build.base ?? file.base
  const scratch = mkdtempSync(join(tmpdir(), 'chandler-folder-'))
  try {
    cpSync(join(folder, file.root ?? 'root'), scratch, { recursive: true })
    const base = named ?? (await toolsBelow(scratch, file.tools ?? [], build.dataDir))
    // Upon a base they are not put in: it brings its own, with the libraries that they were made for.
    if (base === undefined) await putHostTools(scratch, await findHostTools(file.tools ?? []))
    const { entrypoint, command, environment, user, workingFolder } = file
    const labels =
      file.labels === undefined && build.labels === undefined
        ? undefined
        : { ...file.labels, ...build.labels }
    const settings = { entrypoint, command, user, workingFolder, labels }
    await buildPackage(
      {
        root: scratch,
        to: reference,
        ...present({ base }),
        settings: {
          ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
          ...(environment
            ? { environment: Object.entries(environment).map(([key, value]) => `${key}=${value}`) }
            : {}),
        },
      },
      { registries: registriesOfCommand(process.env), scratchFolder: scratch },
    )
    return reference
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Where the image of a folder goes: a layout in the data folder, named after the folder, unless it is said. */
export function builtReference({ folder, to, dataDir }: FolderBuild): string {
  return to ?? `oci:${join(resolve(dataDir), 'built')}:${basename(resolve(folder))}`
}
