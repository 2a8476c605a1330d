/** `image.yml`: how the image of a package's folder is built. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nearest } from '../kit/text.ts'
import { fail, failAll, type Problem } from '../model/problem.ts'
import { type AuthoredDocument, documentKind, readAuthored } from './authored-document.ts'

/** What `image.yml` may say. */
export interface ImageFile {
  /** The folder beside it that becomes the file system; `root` when absent. */
  readonly root?: string
  /** The image to build upon. */
  readonly base?: string
  /** Programs of this machine to put in, where there is no base. */
  readonly tools?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly user?: string
  readonly workingFolder?: string
  readonly labels?: Readonly<Record<string, string>>
}

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const map = { type: 'object', additionalProperties: text }
const kind = documentKind({
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      root: text,
      base: text,
      tools: texts,
      entrypoint: texts,
      command: texts,
      environment: map,
      user: text,
      workingFolder: text,
      labels: map,
    },
  },
  synonyms: {
    ...{ env: 'environment', cmd: 'command', args: 'command', workdir: 'workingFolder', from: 'base' },
    ...{ workingDir: 'workingFolder', image: 'base', programs: 'tools', rootfs: 'root' },
  },
})

export interface ImageFileReading extends AuthoredDocument {
  readonly file: ImageFile
}

/** Reads it with everything that is wrong with it. Problems: file.unreadable. */
export function examineImageFile(source: string): ImageFileReading {
  const read = readAuthored(textOf(source), source, kind)
  const file = (read.value ?? {}) as ImageFile
  const problems = read.problems.length > 0 ? read.problems : faultsOfRoot(source, file, read)
  return { ...read, file, problems }
}

/** Reads it. Problems: file.unreadable, package.invalid with all that is wrong. */
export function readImageFile(source: string): ImageFile {
  const { file, problems } = examineImageFile(source)
  failAll(problems)
  return file
}

function faultsOfRoot(source: string, { root = 'root' }: ImageFile, { where }: AuthoredDocument): Problem[] {
  const folder = dirname(source)
  if (statSync(join(folder, root), { throwIfNoEntry: false })?.isDirectory()) return []
  const folders = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory())
  const near = nearest(
    root,
    folders.map(({ name }) => name),
  )
  const hint = near === undefined ? 'Make it: its files become those of the image.' : `Write "root: ${near}".`
  return [{ code: 'package.invalid', detail: `there is no folder ${root}`, where: where('/root'), hint }]
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}
