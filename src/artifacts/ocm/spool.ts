/** Content put aside in a file, hashed on its way: for what must be read twice, or from its end. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../model/problem.ts'
import { asideOf, makeFolder, unwritable } from '../content/durable.ts'

export interface Spooled {
  readonly path: string
  readonly digest: string
  readonly size: number
  open(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** What is fetched from outside without a size known before may have this many bytes. */
const bytesMax = 64 * 1024 ** 3

/** Puts a stream aside; the caller closes it. Problems: artifact.too-large, artifact.unwritable, those of the stream. */
export async function spool(bytes: AsyncIterable<Uint8Array>, scratchFolder: string): Promise<Spooled> {
  await makeFolder(scratchFolder, 0o700)
  const path = asideOf(join(scratchFolder, 'blob'))
  const hash = createHash('sha256')
  let size = 0
  try {
    const handle = await open(path, 'wx', 0o600)
    try {
      for await (const piece of bytes) {
        size += piece.byteLength
        if (size > bytesMax) fail('artifact.too-large', `more than ${bytesMax} bytes`)
        hash.update(piece)
        await handle.writeFile(piece)
      }
    } finally {
      await handle.close()
    }
  } catch (error) {
    await rm(path, { force: true })
    throw unwritable(error, path)
  }
  return {
    path,
    size,
    digest: `sha256:${hash.digest('hex')}`,
    open: () => createReadStream(path, { highWaterMark: 512 * 1024 }),
    close: () => rm(path, { force: true }),
  }
}
