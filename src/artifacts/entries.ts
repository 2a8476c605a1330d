/** Files of kept archives, unpacked once: what every run of a package needs anew need not be inflated anew. */
import { constants, createWriteStream } from 'node:fs'
import { copyFile, link, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fail } from '../model/problem.ts'
import type { OpenArchive } from './archive/archive-artifact.ts'
import { asideOf, makeFolder, unwritable } from './content/durable.ts'
import { isThere } from './content/use.ts'
import { digestOf } from './digest.ts'

export interface EntryWish {
  /** Of the archive. */
  readonly digest: string
  readonly entry: string
  /** It will only be read: one file for all readers will do. */
  readonly shared?: boolean
}

export interface EntryContext {
  readonly folder: string
  archive(digest: string): Promise<OpenArchive | undefined>
}

/** Where they lie below the folder of the store. */
export const entryContext = 'entries'

/** Puts an entry at a path where nothing lies yet. Problems: artifact.not-found, artifact.unwritable, archive.*. */
export async function bringEntry(
  wish: EntryWish,
  to: string,
  { folder, archive }: EntryContext,
  signal: AbortSignal,
): Promise<void> {
  const room = join(folder, entryContext)
  const name = digestOf(Buffer.from(`${wish.digest}\n${wish.entry}`)).replace('sha256:', '')
  const kept = join(room, name)
  if (!(await isThere(kept))) {
    await makeFolder(room)
    await unpackEntry(wish, kept, { archive, signal })
  }
  try {
    if (wish.shared && (await isLinked(kept, to))) return
    // Where the file system can, both share their blocks until one is changed.
    await copyFile(kept, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  } catch (error) {
    throw unwritable(error, to)
  }
}

/** Not possible across file systems, and not beyond a number of links. */
async function isLinked(from: string, to: string): Promise<boolean> {
  return await link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error
      return false
    },
  )
}

async function unpackEntry(
  { digest, entry }: EntryWish,
  kept: string,
  { archive: find, signal }: { readonly archive: EntryContext['archive']; readonly signal: AbortSignal },
): Promise<void> {
  const archive = await find(digest)
  if (archive === undefined) return fail('artifact.not-found', `the archive ${digest}`)
  const aside = asideOf(kept)
  try {
    const bytes = archive.stream(entry)
    const found = archive.entries.find(({ path }) => path === entry)
    if (bytes === undefined || found === undefined)
      return fail('artifact.not-found', entry, { where: { source: digest } })
    const mode = (found.mode & 0o111) === 0 ? 0o644 : 0o755
    await pipeline(bytes, createWriteStream(aside, { flags: 'wx', mode }), { signal })
    const handle = await open(aside, 'r+')
    await handle.sync().finally(() => handle.close())
    await rename(aside, kept)
  } catch (error) {
    await rm(aside, { force: true })
    if (signal.aborted) fail('artifact.stopped')
    throw unwritable(error, kept)
  } finally {
    await archive.close()
  }
}
