/** Image layouts on this machine: a folder that is one, by the names in it, or the folders in a folder. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../model/problem.ts'
import { readBounded } from '../content/durable.ts'
import { documentBytesMax } from '../limits.ts'
import { refName } from '../oci/layout.ts'
import { parseManifest } from '../oci/manifest.ts'
import { ociIndex } from '../oci/media-types.ts'
import type { ListedImage } from './place.ts'

/** The images of a folder. Problems: artifact.not-found, image.manifest-invalid. */
export async function listLayouts(folder: string): Promise<readonly ListedImage[]> {
  const names = await namesIn(folder)
  if (names !== undefined)
    return names.map((name) => ({ name, reference: `oci:${folder}:${name}`, tagged: false }))
  const inner = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) =>
    fail('artifact.not-found', undefined, { where: { source: folder }, cause }),
  )
  const found: ListedImage[] = []
  for (const { name } of inner.filter((entry) => entry.isDirectory())) {
    if ((await readBounded(join(folder, name, 'oci-layout'), documentBytesMax)) !== undefined)
      found.push({ name, reference: `oci:${join(folder, name)}`, tagged: false })
  }
  return found
}

/** The names in the index of a layout; undefined where there is none. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  const bytes = await readBounded(join(folder, 'index.json'), documentBytesMax)
  if (bytes === undefined) return undefined
  const index = parseManifest(bytes, ociIndex, join(folder, 'index.json'))
  if (index.kind !== 'index') return []
  return [...new Set(index.manifests.flatMap(({ annotations }) => annotations?.[refName] ?? []))]
}
