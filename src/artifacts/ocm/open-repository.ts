/** Opens the repository that a specification names, whatever its kind, for reading. */
import { stat } from 'node:fs/promises'
import type { RepositorySpec } from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { archiveFormat } from '../archive/archive-artifact.ts'
import type { LayoutFiles } from '../oci/layout.ts'
import { layoutArchive } from '../oci/layout-archive.ts'
import { layoutFolder } from '../oci/layout-folder.ts'
import type { SourceOptions } from '../sources.ts'
import { isComponentArchive, openComponentArchive } from './component-archive.ts'
import { openCtf, withoutLinks } from './ctf.ts'
import { registryRepository } from './registry-repository.ts'
import type { ComponentRepository } from './repository.ts'

/** Opens a repository. Problems: artifact.not-found, ocm.repository.invalid, archive.*. */
export async function openRepository(
  spec: RepositorySpec,
  options: SourceOptions,
): Promise<ComponentRepository> {
  if (spec.kind === 'registry') return registryRepository(spec, options.registries)
  const files = await openFiles(spec.path, options.scratchFolder)
  try {
    const isArchive =
      spec.archive ||
      (spec.format === undefined &&
        (await files.read('artifact-index.json')) === undefined &&
        (await isComponentArchive(files)))
    return isArchive ? await openComponentArchive(files, spec) : await openCtf(files, spec)
  } catch (error) {
    await files.close()
    throw error
  }
}

async function openFiles(path: string, scratchFolder: string): Promise<LayoutFiles> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return fail('artifact.not-found', undefined, { where: { source: path } })
  if (found.isDirectory()) return withoutLinks(path, layoutFolder(path))
  if ((await archiveFormat(path)) === 'tar') return await layoutArchive(path, scratchFolder)
  return fail('ocm.repository.invalid', 'it is neither a folder nor a tar', { where: { source: path } })
}
