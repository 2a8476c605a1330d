/** Blobs in a folder as archives and artifact sets keep them: flat, by digest, each there only when it is complete. */
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { packFolder } from '../archive/pack-folder.ts'
import { copyBlobFile } from '../content/copy-file.ts'
import { asideOf, makeFolder, unwritable, writeDurably } from '../content/durable.ts'
import type { Descriptor, Manifest } from '../oci/manifest.ts'
import type { BlobContent, Target } from '../oci/place.ts'
import { flatPath } from './ctf.ts'

/** Blobs below a folder, as archives and artifact sets keep them. */
export function ctfBlobs(folder: string): Target {
  return {
    name: folder,
    has: async ({ digest, size }) =>
      (await stat(join(folder, flatPath(digest))).catch(() => undefined))?.size === size,
    writeBlob: (descriptor, content) => writeContent(folder, descriptor, content),
    writeManifest: (manifest) => writeManifestBlob(folder, manifest),
    finish: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

async function writeContent(folder: string, descriptor: Descriptor, content: BlobContent): Promise<void> {
  const path = join(folder, flatPath(descriptor.digest))
  const file = await content.file?.()
  if (file === undefined) return await writePlain(path, content.open())
  try {
    await makeFolder(dirname(path))
    await whenWhole(path, (aside) => copyBlobFile(descriptor, file, aside))
  } finally {
    await file.close()
  }
}

/** Writes the bytes of a manifest. */
export async function writeManifestBlob(folder: string, { digest, bytes }: Manifest): Promise<void> {
  const path = join(folder, flatPath(digest))
  await mkdir(dirname(path), { recursive: true })
  await writeDurably(path, bytes)
}

/** Under its name only when it is complete; a power loss may take it, and reading it would show that. */
export async function writePlain(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await makeFolder(dirname(path))
  await whenWhole(path, async (aside) => {
    const handle = await open(aside, 'wx', 0o644)
    try {
      // What comes next is fetched and hashed while this is being written.
      let writing: Promise<unknown> = Promise.resolve()
      for await (const piece of bytes) {
        await writing
        writing = handle.writeFile(piece)
        writing.catch(() => undefined)
      }
      await writing
    } finally {
      await handle.close()
    }
  })
}

async function whenWhole(path: string, write: (aside: string) => Promise<void>): Promise<void> {
  const aside = asideOf(path)
  try {
    await write(aside)
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw unwritable(error, path)
  }
}

/** Times of archives are fixed, so that the same content is the same bytes. */
const archiveTime = Date.UTC(2022, 0, 1) / 1000

/** A folder as a tgz; most of what is in it is compressed already. */
export function packedFolder(folder: string, format: 'tar' | 'tgz' = 'tgz'): AsyncIterable<Uint8Array> {
  const tar = packFolder(folder, { mtime: archiveTime, plainModes: true })
  if (format === 'tar') return tar
  // A failure reaches the reader of the output.
  return pipeline(
    Readable.from(tar),
    createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 256 * 1024 }),
    () => undefined,
  )
}
