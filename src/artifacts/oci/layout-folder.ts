/** The files of an image layout in a folder of this machine. */
import { join } from 'node:path'
import { openRegular, readBounded } from '../content/durable.ts'
import { documentBytesMax } from '../limits.ts'
import type { LayoutFiles } from './layout.ts'

const chunkBytes = 512 * 1024

/** Files below a folder; only regular ones are read. */
export function layoutFolder(folder: string): LayoutFiles {
  return {
    name: folder,
    read: (path) => readBounded(join(folder, path), documentBytesMax),
    stream: async (path, from) => {
      const handle = await openRegular(join(folder, path))
      return handle?.createReadStream({ start: from, highWaterMark: chunkBytes })
    },
    file: (path) => openRegular(join(folder, path)),
    close: async () => undefined,
  }
}
