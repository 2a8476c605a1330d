/** What `image.yml` says in the right form and cannot mean: programs that are not there, variables that will not hold. */
import { readdirSync, statSync } from 'node:fs'
import { findHostTools } from '../../artifacts/host-tools.ts'
import { parseReference } from '../../artifacts/reference.ts'
import { nearest } from '../../kit/text.ts'
import type { Problem } from '../../model/problem.ts'
import { ProblemError } from '../../model/problem.ts'
import { folderFault, type PatternFolder, placeOf } from './folder.ts'

export interface ImageLook {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** Looks it over. */
export async function lintImage(pattern: PatternFolder): Promise<ImageLook> {
  return {
    problems: [...(await faultsOfTools(pattern)), ...faultsOfBase(pattern)],
    warnings: [...doubtsOfEnvironment(pattern), ...doubtsOfFolder(pattern), ...doubtsOfModes(pattern)],
  }
}

async function faultsOfTools({ image, where }: PatternFolder): Promise<readonly Problem[]> {
  // Upon a base they are not put in.
  if (image.base !== undefined) return []
  const problems: Problem[] = []
  for (const [i, tool] of (image.tools ?? []).entries()) {
    if (await isHere(tool)) continue
    const near = nearest(tool, programsLike(tool))
    const hint = `${near === undefined ? '' : `Write "${near}", or install`}${near === undefined ? 'Install' : ''} it on this machine.`
    problems.push(folderFault(`there is no program ${tool} on this machine`, where(`/tools/${i}`), hint))
  }
  return problems
}

async function isHere(tool: string): Promise<boolean> {
  try {
    await findHostTools([tool])
    return true
  } catch (error) {
    if (error instanceof ProblemError) return false
    throw error
  }
}

/** Programs of this machine that begin alike: hundreds of others are near by chance. */
function programsLike(tool: string): readonly string[] {
  const folders = ['/usr/bin', '/bin'].filter((folder) => statSync(folder, { throwIfNoEntry: false }))
  const begins = tool.slice(0, 2)
  return folders.flatMap((folder) => readdirSync(folder)).filter((name) => name.startsWith(begins))
}

function faultsOfBase({ image: { base }, where }: PatternFolder): readonly Problem[] {
  if (base === undefined) return []
  try {
    parseReference(base)
    return []
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const name = base.includes('/') ? base : `docker.io/library/${base}`
    const hint = `Say where it is: base: docker://${name}`
    return [
      folderFault(`base ${base}: ${error.problem.detail ?? 'it is no reference'}`, where('/base'), hint),
    ]
  }
}

/** Set by every run, whatever the image says. */
const given = ['HOME', 'CREDSTORE', 'INPUTS', 'OUTPUTS', 'BINDING']

function doubtsOfEnvironment({ image, where }: PatternFolder): readonly Problem[] {
  const { environment = {}, tools = [], base } = image
  const named = Object.keys(environment)
    .filter((name) => given.includes(name))
    .map((name) =>
      folderFault(
        `${name} is set by the contract, and this value never holds`,
        where(`/environment/${name}`),
        'Remove it, or use another name.',
      ),
    )
  const path = environment['PATH']
  if (path === undefined || tools.length === 0 || base !== undefined || path.split(':').includes('/bin'))
    return named
  const hint = `Write PATH: ${path}:/bin`
  return [
    ...named,
    folderFault('the tools lie in /bin, which PATH does not have', where('/environment/PATH'), hint),
  ]
}

function doubtsOfFolder({ image: { workingFolder }, where }: PatternFolder): readonly Problem[] {
  if (workingFolder === undefined || workingFolder === '' || workingFolder.startsWith('/')) return []
  const detail = `${workingFolder} is no absolute path`
  return [folderFault(detail, where('/workingFolder'), `Write /${workingFolder.replace(/^\.\//, '')}.`)]
}

/** In the image everything belongs to root. */
function doubtsOfModes(pattern: PatternFolder): readonly Problem[] {
  const user = pattern.image.user?.split(':')[0] ?? ''
  if (['', '0', 'root'].includes(user)) return []
  return pattern.files.flatMap((path) => {
    if (path === pattern.image.entrypoint?.[0]) return []
    const file = placeOf(pattern, path)
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o777
    if ((mode & 0o004) !== 0) return []
    const detail = `${path} belongs to root in the image, and user ${user} may not read it`
    return [folderFault(detail, { source: file }, `chmod a+r ${file}`)]
  })
}
