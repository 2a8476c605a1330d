/** One lint for the packages of all contracts: what keeps one out of a catalog, and what users would trip over. */

import type { Listener } from '../../host/workshop.ts'
import { present } from '../../kit/present.ts'
import { apart, type Problem, ProblemError } from '../../model/problem.ts'
import { lintBundle } from '../apb/lint.ts'
import { lintDocument } from '../cnab/look.ts'
import { inspectPackage } from '../package-tools.ts'
import { readPak } from '../pak-tools.ts'
import { lintPattern } from '../tweed/lint.ts'
import { runnablePackage } from './build.ts'
import { inSources } from './component-sources.ts'
import { firstFileOf, sourcesAt } from './kind.ts'

export interface PathLint {
  readonly contract?: string
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** Everything at once. Problems: those of reading what is no package at all. */
export async function lintPath(path: string, dataDir: string, listener: Listener): Promise<PathLint> {
  const contract = sourcesAt(path)?.kind
  try {
    const { errors, warnings } = await findingsAt(path, dataDir, listener)
    return present({ contract, errors, warnings })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return present({ contract, errors: apart(error.problem), warnings: [] })
  }
}

async function findingsAt(
  path: string,
  dataDir: string,
  listener: Listener,
): Promise<Omit<PathLint, 'contract'>> {
  const sources = sourcesAt(path)
  switch (sources?.kind) {
    case 'apb': {
      const { problems, warnings } = await lintBundle({
        reference: sources.folder,
        dataDir,
        registry: 'local',
      })
      return { errors: problems, warnings }
    }
    case 'brokerpak':
      return { errors: [], warnings: (await readPak(sources.folder, { engine: 'host' })).warnings }
    case 'cnab': {
      const { problems, warnings } = await lintDocument({ reference: firstFileOf(sources), dataDir })
      // Sources get the digests of their images when they are built.
      const ofBundle = warnings.filter(({ code }) => code !== 'cnab.image.unpinned')
      return { errors: problems, warnings: ofBundle }
    }
    case 'toi': {
      const file = firstFileOf(sources)
      try {
        const { errors, warnings } = await inspected(path, dataDir, listener)
        const told = inSources(warnings, file)
        const isScheme = ({ where }: Problem): boolean => where?.pointer?.startsWith('/configScheme') === true
        // What platforms refuse of a scheme is told where it is written.
        const others = told.some(isScheme) ? errors.filter((one) => !isOfSchema(one)) : errors
        return {
          errors: [...inSources(others, file), ...(others === errors ? [] : told.filter(isScheme))],
          warnings: others === errors ? told : told.filter((one) => !isScheme(one)),
        }
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error
        return { errors: inSources([error.problem], file), warnings: [] }
      }
    }
    case 'tweed':
      return lintPattern({ folder: sources.folder, dataDir }, listener)
    case undefined:
      return await inspected(path, dataDir, listener)
  }
}

function isOfSchema({ detail = '' }: Problem): boolean {
  return /, schemas\/service_(?:instance|binding)\//.test(detail)
}

/** What is said of a package that was built first where its path leads to sources. */
async function inspected(
  path: string,
  dataDir: string,
  listener: Listener,
): Promise<Omit<PathLint, 'contract'>> {
  const { signal, progress } = listener
  const { options: _, ...wish } = await runnablePackage(path, { dataDir, signal, progress })
  // Patterns describe themselves; components are read.
  const engine = wish.contract === 'toi' ? 'none' : 'auto'
  let doubts: readonly Problem[] = []
  const doubted = (warnings: readonly Problem[]) => {
    doubts = warnings
  }
  try {
    const { warnings, refusals } = await inspectPackage({ ...wish, dataDir, doubted }, listener, engine)
    return { errors: refusals, warnings }
  } catch (error) {
    if (!(error instanceof ProblemError) || doubts.length === 0) throw error
    return { errors: apart(error.problem), warnings: doubts }
  }
}
