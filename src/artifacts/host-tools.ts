/** Puts programs of this machine into a root folder with the libraries they need: an image without any base to pull. */
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { fail } from '../model/problem.ts'

const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']
const start = promisify(execFile)

/** Copies each program to `/bin` of the root, and what it is linked with to where it is found. Problems: file.unreadable. */
export async function putHostTools(root: string, names: readonly string[]): Promise<void> {
  const libraries = new Set<string>()
  for (const name of names) {
    const path = await find(name)
    await put(root, join('/bin', name), path)
    for (const library of await librariesOf(path)) libraries.add(library)
  }
  for (const library of libraries) await put(root, library, library)
}

async function find(name: string): Promise<string> {
  for (const folder of folders) {
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
