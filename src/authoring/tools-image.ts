/** Programs of this machine as an image to build upon: its layer is packed and unpacked once, however often a package is built. */
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { findHostTools, type HostFile, putHostTools } from '../artifacts/host-tools.ts'
import { buildPackage } from '../artifacts/packages.ts'
import { sha256 } from '../kit/hash.ts'

/** The files that an image was made of, as they were then. */
interface Made {
  readonly files: readonly (HostFile & { readonly stamp: string })[]
}

/** The image with these programs; undefined where there are none, or where what lies upon it would hide them. */
export async function toolsBelow(
  root: string,
  names: readonly string[],
  dataDir: string,
): Promise<string | undefined> {
  if (names.length === 0) return undefined
  const layout = join(resolve(dataDir), 'built')
  const name = `tools-${sha256(names.join('\n')).slice(0, 16)}`
  const note = join(layout, `${name}.json`)
  const known = readNote(note)
  const files = known?.files ?? (await findHostTools(names))
  if (files.some(({ place }) => isHidden(root, place))) return undefined
  const reference = `oci:${layout}:${name}`
  if (known === undefined) await make(files, reference, note)
  return reference
}

async function make(files: readonly HostFile[], to: string, note: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'chandler-tools-'))
  try {
    await putHostTools(scratch, files)
    await buildPackage({ root: scratch, to, settings: {} }, { registries: {}, scratchFolder: scratch })
    const made: Made = { files: files.map((file) => ({ ...file, stamp: stampOf(file.path) })) }
    writeFileSync(note, JSON.stringify(made))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** What the image was made of, while all of that is as it was. */
function readNote(note: string): Made | undefined {
  if (!existsSync(note)) return undefined
  try {
    const made = JSON.parse(readFileSync(note, 'utf8')) as Made
    return made.files.every(({ path, stamp }) => stampOf(path) === stamp) ? made : undefined
  } catch {
    // Cut short, or of programs that are gone: it is made anew.
    return undefined
  }
}

function stampOf(path: string): string {
  const { size, mtimeMs } = statSync(path)
  return `${size} ${mtimeMs}`
}

/** Whether the root has something else than a folder on the way to a place. */
function isHidden(root: string, place: string): boolean {
  for (let folder = dirname(place); folder !== '/'; folder = dirname(folder)) {
    const found = lstatSync(join(root, folder), { throwIfNoEntry: false })
    if (found !== undefined && !found.isDirectory()) return true
  }
  return false
}
