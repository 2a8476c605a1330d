/** Folders that describe images: each has a file of a contract, which stands in for the labels of its image. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { contracts } from '../contracts/index.ts'
import { fail } from '../model/problem.ts'

export interface DescribedImage {
  /** Of its folder. */
  readonly name: string
  /** As references write it; absent where the file names none. */
  readonly image?: string
  readonly labels: Readonly<Record<string, string>>
}

/** No description is larger. */
const bytesMax = 4 * 1024 * 1024

/** The images that folders in a folder describe. Problems: artifact.not-found, artifact.too-large. */
export async function listDescribed(folder: string): Promise<readonly DescribedImage[]> {
  const inner = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) =>
    fail('artifact.not-found', undefined, { where: { source: folder }, cause }),
  )
  const found: DescribedImage[] = []
  for (const { name } of inner.filter((entry) => entry.isDirectory())) {
    for (const { description } of contracts) {
      const path = description && join(folder, name, description.file)
      if (description === undefined || path === undefined) continue
      const there = await stat(path).catch(() => undefined)
      if (!there?.isFile()) continue
      if (there.size > bytesMax) fail('artifact.too-large', undefined, { where: { source: path } })
      found.push({ name, ...description.read(await readFile(path, 'utf8')) })
    }
  }
  return found
}
