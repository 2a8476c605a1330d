/** One lint for the packages of all contracts: what keeps one out of a catalog, and what users would trip over. */

import type { Listener } from '../../host/workshop.ts'
import { present } from '../../kit/present.ts'
import { apart, type Problem, ProblemError } from '../../model/problem.ts'
import { lintBundle } from '../apb/lint.ts'
import { lintDocument } from '../cnab/look.ts'
import { inspectPackage } from '../package-tools.ts'
import { readPak } from '../pak-tools.ts'
import { runnablePackage } from './build.ts'
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
    case 'tweed':
    case 'toi':
    case undefined: {
      const { signal, progress } = listener
      const { options: _, ...wish } = await runnablePackage(path, { dataDir, signal, progress })
      const { warnings, refusals } = await inspectPackage({ ...wish, dataDir }, listener)
      return { errors: refusals, warnings }
    }
  }
}
