/** The content store: blobs by digest, shared by all packages and processes, each complete and verified or absent. */
import { createHash } from 'node:crypto'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Chance, type Clock, systemChance, systemClock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import { checkBytes, digestOf, hashFor, splitDigest } from '../digest.ts'
import { documentBytesMax } from '../limits.ts'
import type { Descriptor } from '../oci/manifest.ts'
import { download, type Origin } from './download.ts'
import { asideOf, flushFolder, makeFolder, readBounded, unwritable, writeDurably } from './durable.ts'
import { type FetchWatch, makeFlights, type Transfer } from './flights.ts'
import { isThere } from './use.ts'

export interface ContentStore {
  readonly folder: string
  /** Where content lies, or would lie. */
  pathOf(digest: string): string
  /** Whether it is there; what is there was verified when it came. */
  has(digest: string): Promise<boolean>
  /** A document (manifest, configuration), verified again as it is read. */
  document(digest: string): Promise<Uint8Array | undefined>
  /** Puts bytes in and answers their digest. */
  keep(bytes: Uint8Array): Promise<string>
  /** Puts in what a stream brings, whose digest is not known before. Problems: artifact.too-large. */
  keepStream(bytes: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string>
  /** Brings content in unless it is there; two asking for the same share one transfer. Answers its file. */
  fetch(wanted: Descriptor, origin: Origin, watch: FetchWatch): Promise<string>
  /** Throws content out that proved damaged. */
  drop(digest: string): Promise<void>
  /** Bytes of all that is there. */
  size(): Promise<number>
}

/** Opens the store in a folder, which is made if need be. Problems: artifact.unwritable. */
export async function openContentStore(
  folder: string,
  clock: Clock = systemClock,
  chance: Chance = systemChance,
  arrived: (bytes: number) => void = () => undefined,
): Promise<ContentStore> {
  await makeFolder(join(folder, 'blobs', 'sha256'), 0o700)
  await makeFolder(join(folder, 'blobs', 'sha512'), 0o700)
  const partialFolder = join(folder, 'partial')
  await makeFolder(partialFolder, 0o700)
  const flights = makeFlights()

  const pathOf = (digest: string): string => {
    // Also refuses what is no digest and so might name another place.
    hashFor(digest)
    const { algorithm, hex } = splitDigest(digest)
    return join(folder, 'blobs', algorithm, hex)
  }

  return {
    folder,
    pathOf,
    has: (digest) => isThere(pathOf(digest)),
    document: async (digest) => {
      const bytes = await readBounded(pathOf(digest), documentBytesMax)
      if (bytes !== undefined) checkBytes(bytes, digest, pathOf(digest))
      return bytes
    },
    keep: async (bytes) => {
      const digest = digestOf(bytes)
      if (!(await isThere(pathOf(digest)))) await writeDurably(pathOf(digest), bytes)
      return digest
    },
    keepStream: async (bytes, bytesMax) => {
      const aside = asideOf(join(partialFolder, 'stream'))
      try {
        const digest = await writeHashed(aside, bytes, bytesMax)
        await rename(aside, pathOf(digest))
        await flushFolder(dirname(pathOf(digest)))
        return digest
      } finally {
        await rm(aside, { force: true })
      }
    },
    fetch: async (wanted, origin, watch) => {
      const path = pathOf(wanted.digest)
      if (await isThere(path)) return path
      const start: Transfer = async (shared) => {
        // It may have come while we looked.
        if (await isThere(path)) return path
        const progress = (bytes: number): void => {
          arrived(bytes)
          shared.progress(bytes)
        }
        await download({ wanted, origin, partialFolder, path, clock, chance, ...shared, progress })
        return path
      }
      return await flights.join(wanted.digest, start, watch)
    },
    drop: (digest) => rm(pathOf(digest), { force: true }),
    size: () => sizeOf(join(folder, 'blobs')),
  }
}

async function sizeOf(folder: string): Promise<number> {
  let size = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    // What is swept meanwhile takes no room.
    const found = entry.isFile()
      ? await stat(join(entry.parentPath, entry.name)).catch(() => undefined)
      : undefined
    size += found?.size ?? 0
  }
  return size
}

async function writeHashed(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string> {
  const hash = createHash('sha256')
  let size = 0
  const handle = await open(path, 'wx', 0o644)
  try {
    for await (const piece of bytes) {
      size += piece.byteLength
      if (size > bytesMax) fail('artifact.too-large', `more than ${bytesMax} bytes`)
      hash.update(piece)
      await handle.writeFile(piece)
    }
    await handle.sync()
  } catch (error) {
    throw unwritable(error, path)
  } finally {
    await handle.close()
  }
  return `sha256:${hash.digest('hex')}`
}
