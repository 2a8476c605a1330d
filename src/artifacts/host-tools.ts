/** Puts programs of this machine into a root folder with the libraries they need: an image without any base to pull. */
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { fail } from '../model/problem.ts'

const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']
const start = promisify(execFile)

/** A file of this machine, and where it goes in a root folder. */
export interface HostFile {
  readonly path: string
  readonly place: string
}

/** Each program for `/bin` of a root, and what it is linked with for where it is found. Problems: file.unreadable. */
export async function findHostTools(names: readonly string[]): Promise<readonly HostFile[]> {
  const files: HostFile[] = []
  const libraries = new Set<string>()
  for (const name of names) {
    const path = await find(name)
    files.push({ path, place: join('/bin', name) })
    for (const library of await librariesOf(path)) libraries.add(library)
  }
  return [...files, ...[...libraries].map((path) => ({ path, place: path }))]
}

/** Copies files of this machine into a root folder. */
export async function putHostTools(root: string, files: readonly HostFile[]): Promise<void> {
  for (const { path, place } of files) await put(root, place, path)
}

/** Debian starts the programs of PostgreSQL by a script that chooses a version; these are the programs themselves, latest first. */
const versionsOfPostgres = '/usr/lib/postgresql'

async function find(name: string): Promise<string> {
  const versions = await readdir(versionsOfPostgres).catch(() => [])
  const latest = versions.toSorted((a, b) => Number(b) - Number(a))
  const chosen = latest.map((version) => join(versionsOfPostgres, version, 'bin'))
  for (const folder of [...chosen, ...folders]) {
    const path = await realpath(join(folder, name)).catch(() => undefined)
    if (path !== undefined) return path
  }
  return fail('file.unreadable', `there is no program ${name} on this machine`)
}

/** The loader and the shared libraries; a script or a static program has none. */
async function librariesOf(path: string): Promise<readonly string[]> {
  const head = await readFile(path).then((bytes) => bytes.subarray(0, 4).toString('latin1'))
  if (head !== '\u007fELF') return []
  const listed = await start('ldd', [path], { encoding: 'utf8' }).catch(() => ({ stdout: '' }))
  return [...listed.stdout.matchAll(/(?:=>\s*)?(\/\S+)\s+\(0x/g)].map(([, library = '']) => library)
}

async function put(root: string, place: string, path: string): Promise<void> {
  const target = join(root, place)
  await mkdir(dirname(target), { recursive: true })
  await copyFile(path, target)
  await chmod(target, 0o755)
}
