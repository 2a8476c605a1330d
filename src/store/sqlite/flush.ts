/** Brings what was committed to the disk, in the pool of threads that file work has: the requests go on meanwhile. */
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { shareNext } from '../../kit/share-next.ts'

export interface Flush {
  /** Resolves when the disk has everything that was committed before it was asked. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** For the log of the database at a path; it is there from its first commit until the database is closed. */
export function openFlush(path: string): Flush {
  let log: FileHandle | undefined
  return {
    flush: shareNext(async () => {
      if (log === undefined) {
        log = await open(`${path}-wal`, 'r')
        await flushName(path)
      }
      await log.datasync()
    }),
    close: async () => log?.close(),
  }
}

/** That the log is there is an entry of its folder. */
async function flushName(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
