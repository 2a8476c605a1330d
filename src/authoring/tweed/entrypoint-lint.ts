/** Whether the entrypoint that `image.yml` names can be started in the image. */
import { statSync } from 'node:fs'
import { posix } from 'node:path'
import { starterFault, starterOf } from '../../artifacts/interpreter.ts'
import type { Problem } from '../../model/problem.ts'
import {
  folderFault,
  has,
  headOf,
  isWhole,
  nearFile,
  type PatternFolder,
  placeOf,
  resolved,
  toolPaths,
} from './folder.ts'

export interface EntrypointLook {
  readonly problems: readonly Problem[]
  /** The path of the program in the image, where it is one of the root folder that starts. */
  readonly program?: string
}

const operations = ['metadata', 'provision', 'bind', 'unbind', 'deprovision']

/** Looks at it; what a base brings is not known and not judged. */
export function lookAtEntrypoint(pattern: PatternFolder): EntrypointLook {
  const { image, where } = pattern
  const [program, ...rest] = image.entrypoint ?? []
  if (program === undefined) return { problems: missing(pattern) }
  const last = rest.at(-1) ?? ''
  if (operations.includes(last)) {
    const detail = `the entrypoint ends with ${last}, and the operation comes behind it`
    const hint = 'Leave it out: each run adds its operation.'
    return { problems: [folderFault(detail, where(`/entrypoint/${rest.length}`), hint)] }
  }
  if (!program.startsWith('/')) return relative(pattern, program)
  const path = resolved(pattern, program)
  if (path !== undefined) return startable(pattern, path)
  if (has(pattern, program)) return { problems: [] }
  const near = nearFile(pattern, program)
  if (!isWhole(pattern) && near === undefined) return { problems: [] }
  const detail = `the image has no ${program}`
  const hint = near === undefined ? 'Put the program there, below root.' : `Write ${near}.`
  return { problems: [folderFault(detail, where('/entrypoint/0'), hint)] }
}

function missing(pattern: PatternFolder): readonly Problem[] {
  const { image, where } = pattern
  // A base may bring one.
  if (image.base !== undefined && image.command === undefined) return []
  if (image.entrypoint !== undefined) {
    const detail = 'entrypoint is empty'
    return [
      folderFault(detail, where('/entrypoint'), `Name the program: entrypoint: [${exampleOf(pattern)}]`),
    ]
  }
  if (image.command !== undefined) {
    const detail = 'the image has a command and no entrypoint; a pattern is run by its entrypoint'
    return [folderFault(detail, where('/command'), 'Write "entrypoint" instead of "command".')]
  }
  return [folderFault('there is no entrypoint', where(''), `Add "entrypoint: [${exampleOf(pattern)}]".`)]
}

/** A program of the folder to name in a hint. */
function exampleOf(pattern: PatternFolder): string {
  return pattern.files.find((path) => (statSync(placeOf(pattern, path)).mode & 0o111) !== 0) ?? '/pattern'
}

function relative(pattern: PatternFolder, program: string): EntrypointLook {
  const { image, where } = pattern
  const folders = (
    image.environment?.['PATH'] ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  ).split(':')
  const found = folders.map((folder) => posix.join(folder, program)).find((path) => has(pattern, path))
  if (found !== undefined || !isWhole(pattern)) return { problems: [] }
  const detail = `no folder of PATH has a program ${program}`
  const hint = `Write its whole path: ${nearFile(pattern, `/${program}`) ?? `/${program}`}.`
  return { problems: [folderFault(detail, where('/entrypoint/0'), hint)] }
}

function startable(pattern: PatternFolder, path: string): EntrypointLook {
  const file = placeOf(pattern, path)
  const stats = statSync(file)
  const named = pattern.where('/entrypoint/0')
  if (stats.isDirectory()) {
    return { problems: [folderFault(`${path} is a folder`, named, `Name a program in it: ${path}/…`)] }
  }
  const head = headOf(file)
  const isBinary = head.toString('latin1', 1, 4) === 'ELF'
  const text = head.toString('utf8')
  if ((stats.mode & 0o111) === 0) {
    if (!isBinary && !text.includes('#!')) {
      const hint = `Name a program that is executable: ${exampleOf(pattern)}.`
      return { problems: [folderFault(`${path} is no program`, named, hint)] }
    }
    return { problems: [folderFault(`${path} is not executable`, { source: file }, `chmod 755 ${file}`)] }
  }
  const user = image(pattern)
  const needed = isBinary ? 0o001 : 0o005
  if (user !== undefined && (stats.mode & needed) !== needed) {
    const detail = `${path} belongs to root in the image, and user ${user} may not run it`
    return { problems: [folderFault(detail, { source: file }, `chmod 755 ${file}`)] }
  }
  const problems =
    isBinary || text.startsWith('#!') ? faultsOfStarter(pattern, path, head) : faultsOfText(file, text)
  return problems.length > 0 ? { problems } : { problems, program: path }
}

/** The user of the image, unless it may read everything. */
function image({ image: { user } }: PatternFolder): string | undefined {
  const name = user?.split(':')[0]
  return name === undefined || name === '' || name === '0' || name === 'root' ? undefined : name
}

function faultsOfStarter(pattern: PatternFolder, path: string, head: Buffer): readonly Problem[] {
  const file = placeOf(pattern, path)
  const starter = starterOf(head)
  const first = { source: file, line: 1 }
  if (starter.kind === 'carriage-return') {
    const hint = `Save it with the line ends of Unix: sed -i 's/\\r$//' ${file}`
    return [folderFault(starterFault(path, starter), first, hint)]
  }
  if (starter.kind === 'none' || !isWhole(pattern) || has(pattern, starter.path)) return []
  const detail = starterFault(path, starter)
  if (starter.what === 'loader') {
    const hint = 'Link it statically, or put the loader and its libraries below root.'
    return [folderFault(detail, { source: file }, hint)]
  }
  const name = posix.basename(starter.path)
  const shell = toolPaths(pattern).find((tool) => /\/(sh|bash|dash|ash)$/.test(tool))
  if (shell !== undefined)
    return [folderFault(detail, first, `Write #!${shell}, or add what it names to "tools".`)]
  const {
    image: { tools },
    where,
  } = pattern
  const hint = tools === undefined ? `Add "tools: [${name}]".` : `Add ${name} to the tools.`
  return [folderFault(detail, where('/tools'), hint)]
}

/** A text that the kernel takes for no script. */
function faultsOfText(file: string, text: string): readonly Problem[] {
  const first = { source: file, line: 1 }
  if (text.startsWith('\ufeff')) {
    const hint = 'Save it as UTF-8 without a byte order mark: sed -i "1s/^\\xEF\\xBB\\xBF//" '
    return [folderFault('a byte order mark stands before #!', first, `${hint}${file}`)]
  }
  const [line = '', ...rest] = text.split('\n')
  if (/^\s*#!/.test(line) || rest.slice(0, 5).some((one) => one.startsWith('#!'))) {
    return [
      folderFault('#! is not at the very beginning', first, 'Move it to the beginning of the first line.'),
    ]
  }
  return [folderFault('it does not begin with #! and an interpreter', first, 'Begin it with #!/bin/sh.')]
}
