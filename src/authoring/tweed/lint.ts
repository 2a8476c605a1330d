/** Lints the folder of a pattern: looks at its files first, then builds its image and asks it for its metadata. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import type { Listener } from '../../host/workshop.ts'
import type { Package } from '../../model/package.ts'
import { apart, type Problem, ProblemError } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import { buildFolder } from '../build-folder.ts'
import { inspectPackage } from '../package-tools.ts'
import { lintContainerfile } from './container-lint.ts'
import { lookAtEntrypoint } from './entrypoint-lint.ts'
import { examplesIn, lintExamples } from './examples-lint.ts'
import { lookAtFolder, type PatternFolder, placeOf } from './folder.ts'
import { lintImage } from './image-lint.ts'
import { lintScript } from './script-lint.ts'

export interface PatternLint {
  /** Each keeps the pattern out of a catalog. */
  readonly errors: readonly Problem[]
  /** What users would trip over. */
  readonly warnings: readonly Problem[]
  /** As it was read, and the reference of the image that was built; absent where that failed or was not tried. */
  readonly read?: { readonly reference: string; readonly package: Package }
}

export interface FolderWish {
  readonly folder: string
  readonly dataDir: string
}

/** Everything that can be said of it. Problems: file.unreadable, those of building. */
export async function lintPattern(wish: FolderWish, listener: Listener): Promise<PatternLint> {
  const pattern = lookAtFolder(wish.folder)
  const examples = examplesIn(wish.folder)
  const ofExamples = examples?.problems ?? []
  if (pattern.problems.length > 0) return { errors: pattern.problems, warnings: ofExamples }
  const image = await lintImage(pattern)
  const { problems, program } = lookAtEntrypoint(pattern)
  const { describing, operating } = program === undefined ? noFindings : lintScript(pattern, program)
  const errors = [...image.problems, ...problems]
  const around = [...operating, ...lintContainerfile(pattern), ...ofExamples]
  if (errors.length > 0) return { errors, warnings: [...image.warnings, ...describing, ...around] }
  const described = await describe(pattern, wish, listener)
  const doubts = [...image.warnings, ...describing]
  const { read } = described
  if (read === undefined) {
    // What was seen in the files says better why it failed than the failure does.
    const reasons = [...doubts, ...described.errors.filter(({ code }) => code === 'tweed.entrypoint-shell')]
    return reasons.length > 0 && described.errors.some(isUnexplained)
      ? { errors: reasons, warnings: around }
      : { errors: described.errors, warnings: [...doubts, ...around] }
  }
  const ofParameters =
    examples === undefined || described.warnings.some(isOfInputs) ? [] : lintExamples(examples, read.package)
  const warnings = [...described.warnings, ...doubts, ...around, ...ofParameters]
  return { errors: described.errors, warnings, read }
}

const noFindings = { describing: [], operating: [] }

function isUnexplained({ code }: Problem): boolean {
  return (
    code.startsWith('tweed.run.') || code === 'tweed.metadata.not-yaml' || code === 'tweed.metadata.not-a-map'
  )
}

/** Examples that suit what was meant may not suit what is written. */
function isOfInputs({ code, where }: Problem): boolean {
  return code === 'tweed.metadata.unknown-key' || where?.pointer?.startsWith('/inputs/') === true
}

async function describe(
  pattern: PatternFolder,
  { folder, dataDir }: FolderWish,
  listener: Listener,
): Promise<PatternLint> {
  let printed: Uint8Array = new Uint8Array()
  const described = ({ steps }: Report): void => {
    printed = steps[0]?.stdout ?? printed
  }
  const located = (problem: Problem): Problem => locate(problem, pattern, printed)
  try {
    const reference = await buildFolder({ folder, dataDir })
    const read = await inspectPackage({ reference, contract: 'tweed', dataDir, described }, listener)
    return {
      read: { reference, package: read.package },
      errors: read.refusals.map(located),
      warnings: read.warnings.map(located),
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { errors: apart(error.problem).map(located), warnings: [] }
  }
}

/** The author's file in place of what the contract calls it. */
function locate(problem: Problem, pattern: PatternFolder, printed: Uint8Array): Problem {
  const { code, where } = problem
  if (where?.source === 'metadata') {
    const file = pattern.files.find((path) => isSame(placeOf(pattern, path), printed))
    return file === undefined ? problem : { ...problem, where: { ...where, source: placeOf(pattern, file) } }
  }
  if (code === 'tweed.reserved-folder') return { ...problem, where: { source: placeOf(pattern, '/tweed') } }
  const program = placeOf(pattern, pattern.image.entrypoint?.[0] ?? '')
  const inProgram = code.startsWith('tweed.run.') && where === undefined && existsSync(program)
  if (inProgram) return { ...problem, where: { source: program } }
  return code === 'tweed.entrypoint-shell' ? { ...problem, where: pattern.where('/entrypoint') } : problem
}

/** Whether the file is what was printed: its lines are those of the document. */
function isSame(file: string, printed: Uint8Array): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats?.isFile() === true && stats.size === printed.length && readFileSync(file).equals(printed)
}
