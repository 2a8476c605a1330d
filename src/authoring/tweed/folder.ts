/** The folder of a pattern as its image will have it, looked at without building anything. */
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { headBytes } from '../../artifacts/interpreter.ts'
import { nearest } from '../../kit/text.ts'
import type { Problem } from '../../model/problem.ts'
import { examineImageFile, type ImageFile, type ImageFileReading } from '../image-file.ts'

export interface PatternFolder {
  readonly folder: string
  readonly image: ImageFile
  readonly where: ImageFileReading['where']
  /** What is wrong with `image.yml` itself. */
  readonly problems: readonly Problem[]
  /** Paths in the image of the files in the root folder. */
  readonly files: readonly string[]
}

/** Looks at it. Problems: file.unreadable. */
export function lookAtFolder(folder: string): PatternFolder {
  const { file: image, where, problems } = examineImageFile(join(folder, 'image.yml'))
  const files = problems.length > 0 ? [] : filesBelow(join(folder, image.root ?? 'root'))
  return { folder, image, where, problems, files }
}

function filesBelow(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `/${posix.relative(root, join(entry.parentPath, entry.name))}`)
    .sort()
}

/** Where a path of the image lies on this machine. */
export function placeOf({ folder, image }: PatternFolder, path: string): string {
  return join(folder, image.root ?? 'root', path)
}

/** Whether all files of the image are known: what a base has is not. */
export function isWhole({ image }: PatternFolder): boolean {
  return image.base === undefined
}

/** Whether the image has a file at a path; links are followed inside the image. */
export function has(pattern: PatternFolder, path: string): boolean {
  return resolved(pattern, path) !== undefined || toolPaths(pattern).includes(path)
}

/** The paths of the programs of this machine that are put in. */
export function toolPaths({ image }: PatternFolder): readonly string[] {
  return (image.tools ?? []).map((tool) => `/bin/${tool}`)
}

/** The path at the end of all links, if something of the root folder is there. */
export function resolved(pattern: PatternFolder, path: string, hops = 10): string | undefined {
  const found = lstatSync(placeOf(pattern, path), { throwIfNoEntry: false })
  if (found === undefined || hops === 0) return undefined
  if (!found.isSymbolicLink()) return path
  const target = readlinkSync(placeOf(pattern, path))
  return resolved(pattern, posix.resolve(dirname(path), target), hops - 1)
}

/** A file of the root folder that is called nearly so, or so and lies elsewhere. */
export function nearFile({ files }: PatternFolder, path: string): string | undefined {
  const others = files.filter((one) => one !== path)
  return others.find((one) => posix.basename(one) === posix.basename(path)) ?? nearest(path, others)
}

/** The beginning of a file. */
export function headOf(file: string): Buffer {
  const head = Buffer.alloc(headBytes)
  const handle = openSync(file, 'r')
  try {
    return head.subarray(0, readSync(handle, head, 0, head.length, 0))
  } finally {
    closeSync(handle)
  }
}

/** A finding about the folder. */
export function folderFault(detail: string, where: Problem['where'], hint: string): Problem {
  return { code: 'tweed.folder', detail, hint, ...(where === undefined ? {} : { where }) }
}
