/** Builds a bundle into a place that a source of a broker lists. */
import { openWorkshop } from '../../host/workshop.ts'
import { failAll } from '../../model/problem.ts'
import { type BundleBuild, buildBundle } from './build.ts'
import { lintBundle } from './lint.ts'

/** A bundle's image where it was pushed to. */
export interface PushedBundle {
  readonly reference: string
  /** By which the broker's catalog names it. */
  readonly digest: string
}

/** Nothing is pushed that would not be listed. Problems: those of the spec, of building and of the registry. */
export async function pushBundle(build: BundleBuild & { readonly to: string }): Promise<PushedBundle> {
  const { folder, dataDir } = build
  const { problems } = await lintBundle({ reference: folder, dataDir, registry: 'local' })
  failAll(problems)
  const reference = await buildBundle(build)
  const workshop = await openWorkshop(dataDir, 'none')
  try {
    const artifact = await workshop.artifacts.open(reference, new AbortController().signal)
    if ('close' in artifact) await artifact.close()
    return { reference, digest: artifact.digest }
  } finally {
    await workshop.close()
  }
}
