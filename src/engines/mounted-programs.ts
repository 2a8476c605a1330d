/** A few programs of the host that are lent to runs, with the libraries they need: for the last step into the container. */
import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { run } from './run-program.ts'

/** Where a run finds them: on its own small /dev, so that nothing of the image is hidden. */
export const mountedProgramsFolder = '/dev/.chandler'

export type MountedProgram = 'sh' | 'setpriv' | 'umount'

export interface MountedPrograms {
  /** On the host. */
  readonly folder: string
  /** What to write before the arguments, with the folder found at `place`. */
  command(tool: MountedProgram, place?: string): readonly string[]
  has(tool: MountedProgram): boolean
}

/** What was lent, as it can be written down. */
export interface Loan {
  readonly folder: string
  readonly tools: readonly { readonly tool: MountedProgram; readonly needsLoader: boolean }[]
  /** The files of the host that were copied. */
  readonly copied: readonly string[]
}

const tools: readonly MountedProgram[] = ['sh', 'setpriv', 'umount']
const loader = 'ld'

interface Found {
  readonly tool: MountedProgram
  readonly path: string
  /** Absent for a program without a loader. */
  readonly needs: readonly string[]
  readonly loader: string | undefined
}

/** Copies the programs into a folder of ours, once per version of them. */
export async function lend(parent: string): Promise<MountedPrograms> {
  return mountedFrom(await borrow(parent))
}

/** The same, for a caller that writes it down. */
export async function borrow(parent: string): Promise<Loan> {
  const found = (await Promise.all(tools.map(findTool))).flatMap((tool) => tool ?? [])
  const files = new Map<string, string>()
  for (const { tool, path, needs, loader: own } of found) {
    files.set(tool, path)
    if (own !== undefined) files.set(loader, own)
    for (const library of needs) files.set(basename(library), library)
  }
  const folder = await copyAll(parent, files)
  return {
    folder,
    tools: found.map(({ tool, loader: own }) => ({ tool, needsLoader: own !== undefined })),
    copied: [...files.values()],
  }
}

/** How what was lent is called. */
export function mountedFrom({ folder, tools: known }: Loan): MountedPrograms {
  return {
    folder,
    command: (tool, place = mountedProgramsFolder) =>
      known.some((one) => one.tool === tool && one.needsLoader)
        ? [`${place}/${loader}`, '--library-path', place, `${place}/${tool}`]
        : [`${place}/${tool}`],
    has: (tool) => known.some((one) => one.tool === tool),
  }
}

async function findTool(tool: MountedProgram): Promise<Found | undefined> {
  for (const folder of ['/bin', '/usr/bin', '/sbin', '/usr/sbin']) {
    const path = await realpath(join(folder, tool)).catch(() => undefined)
    if (path === undefined) continue
    // A many-in-one program such as busybox looks at the name it is called by, which a copy keeps.
    const listed = (await run('ldd', [path])).stdout.toString()
    const paths = [...listed.matchAll(/(?:=>\s*)?(\/\S+)\s+\(0x/g)].map(([, library = '']) => library)
    const own = paths.find((library) => /\/ld[-.][^/]*$/.test(library))
    return { tool, path, needs: paths.filter((library) => library !== own), loader: own }
  }
  return undefined
}

async function copyAll(parent: string, files: ReadonlyMap<string, string>): Promise<string> {
  const hash = createHash('sha256')
  for (const [name, path] of files) {
    const { size, mtimeMs } = await stat(path)
    hash.update(`${name} ${path} ${size} ${mtimeMs}\n`)
  }
  const folder = join(parent, hash.digest('hex').slice(0, 16))
  if (await stat(folder).catch(() => undefined)) return folder
  const aside = `${folder}.${process.pid}.tmp`
  await mkdir(aside, { recursive: true, mode: 0o755 })
  for (const [name, path] of files) {
    await copyFile(path, join(aside, name))
    await chmod(join(aside, name), 0o755)
  }
  await rename(aside, folder).catch(() => rm(aside, { recursive: true, force: true }))
  return folder
}
