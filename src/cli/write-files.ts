/** Writes the files that an author starts with; nothing that exists is overwritten. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { SourceKind } from '../authoring/sources/kind.ts'
import { fail } from '../model/problem.ts'
import { type Form, printDeed } from './output.ts'

export interface StartingFile {
  readonly path: string
  readonly text: string
  readonly executable?: boolean
}

/** Writes what a package starts with, and tells it with the command to go on with. Problems: file.unwritable. */
export async function startFolder(
  form: Form,
  { contract, folder, files, next }: StartingFolder,
): Promise<void> {
  const written = writeFiles(folder, files)
  await printDeed(form, {
    kind: 'NewPackage',
    value: { contract, folder, files: written, next },
    name: folder,
    sentences: [...written.map((file) => `wrote ${file}`), '', `Next:  ${next}`],
  })
}

export interface StartingFolder {
  readonly contract: SourceKind
  readonly folder: string
  readonly files: readonly StartingFile[]
  /** The command that an author gives next. */
  readonly next: string
}

/** Writes all or nothing; answers their paths below the folder. Problems: file.unwritable. */
function writeFiles(folder: string, files: readonly StartingFile[]): readonly string[] {
  const place = resolve(folder)
  const taken = files.find(({ path }) => existsSync(join(place, path)))
  if (taken) fail('file.unwritable', `${join(place, taken.path)} exists`, { hint: 'Choose another folder.' })
  for (const { path, text, executable } of files) {
    const file = join(place, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { mode: executable ? 0o755 : 0o644 })
  }
  return files.map(({ path }) => join(folder, path))
}

/** What a package is called that starts in a folder: a name that every contract and platform takes. */
export function nameOfFolder(folder: string): string {
  const words = basename(resolve(folder))
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['package']
  return words.join('-')
}

/** A path, or a word with one in it, as a shell takes it. */
export function shellPath(path: string): string {
  return /^[\w./:=@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
