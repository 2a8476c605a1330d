/** Builds the image of a bundle's folder, as its `image.yml` or its Dockerfile says, with `apb.yml` in its label. */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { buildPackage } from '../../artifacts/packages.ts'
import { labelsOf, runtimeTwo } from '../../contracts/apb/index.ts'
import { registriesOfCommand } from '../../host/registries.ts'
import { present } from '../../kit/present.ts'
import { fail, failAll } from '../../model/problem.ts'
import { buildFolder, builtReference, isImageFolder } from '../build-folder.ts'
import { type Dockerfile, readDockerfile } from './dockerfile.ts'

export interface BundleBuild {
  readonly folder: string
  /** Where to; a layout named after the folder when absent. */
  readonly to?: string
  /** The image to build upon instead of the one that the folder names. */
  readonly base?: string
  readonly dataDir: string
}

/** Whether a reference is a folder with an `apb.yml`. */
export function isBundleFolder(reference: string): boolean {
  return existsSync(join(reference, 'apb.yml'))
}

/** The text of the spec of a folder. Problems: file.unreadable. */
export function specOfFolder(folder: string): string {
  return readText(join(folder, 'apb.yml'))
}

/** Builds and answers the reference. Problems: apb.folder, apb.dockerfile, package.invalid, those of building. */
export async function buildBundle(build: BundleBuild): Promise<string> {
  const { folder } = build
  const spec = specOfFolder(folder)
  if (isImageFolder(folder)) return buildFolder({ ...build, labels: { ...runtimeTwo, ...labelsOf(spec) } })
  const reading = readDockerfile(dockerfileOf(folder))
  if (reading.kind === 'refused') failAll(reading.problems)
  else return buildDockerfile(build, reading.dockerfile, spec)
  return fail('apb.dockerfile')
}

function dockerfileOf(folder: string): string {
  const file = join(folder, 'Dockerfile')
  return existsSync(file)
    ? readText(file)
    : fail('apb.folder', 'neither image.yml nor Dockerfile', { where: { source: folder } })
}

/** One layer upon the base: of an edit only that layer is written anew. */
async function buildDockerfile(build: BundleBuild, file: Dockerfile, spec: string): Promise<string> {
  const { copies, labels, environment, user, workingFolder, entrypoint, command, groupAsOwner } = file
  const reference = builtReference(build)
  const base = build.base ?? (file.base === undefined ? undefined : `docker://${file.base}`)
  const scratch = mkdtempSync(join(tmpdir(), 'chandler-bundle-'))
  try {
    for (const copy of copies) copyInto(scratch, build.folder, copy)
    if (groupAsOwner) shareWithGroup(scratch)
    await buildPackage(
      {
        root: scratch,
        to: reference,
        ...present({ base }),
        settings: present({
          entrypoint,
          command,
          user,
          workingFolder,
          environment: environment.length === 0 ? undefined : environment,
          labels: { ...(base === undefined ? runtimeTwo : {}), ...labels, ...labelsOf(spec) },
        }),
      },
      { registries: registriesOfCommand(process.env), scratchFolder: scratch },
    )
    return reference
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** A folder's content goes into the place; a file becomes the place, or goes into it where it ends with a slash. */
function copyInto(scratch: string, folder: string, { from, to, line }: Dockerfile['copies'][number]): void {
  const place = join(scratch, to)
  for (const path of from) {
    const source = join(folder, path)
    const where = { source: 'Dockerfile', line }
    if (!existsSync(source)) fail('apb.folder', `${path} is copied and is not there`, { where })
    const isFolder = lstatSync(source).isDirectory()
    const isInto = to.endsWith('/') || from.length > 1
    const target = !isFolder && isInto ? join(place, basename(path)) : place
    mkdirSync(dirname(target), { recursive: true })
    cpSync(source, target, { recursive: true })
  }
}

/** What the owner may do the group may do, too, as `chmod -R g=u` has it. */
function shareWithGroup(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) continue
    const { mode } = lstatSync(path)
    chmodSync(path, (mode & ~0o070) | ((mode & 0o700) >> 3))
    if (entry.isDirectory()) shareWithGroup(path)
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}
