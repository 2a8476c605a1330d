/** Packs a folder as a zip: sorted, with fixed times, so that the same contents are the same bytes. */
import { type PassThrough, Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { ArchiveLimits } from '../limits.ts'
import { openFolder } from './folder-files.ts'
import { findMember } from './member.ts'

export interface ZipPacking {
  readonly limits: ArchiveLimits
  /** Store files as they are, which is faster to read and twice as large. */
  readonly stored?: boolean
  /** Paths for which it answers true are left out. */
  leaveOut?(path: string): boolean
}

/** The bytes of the zip; links inside the folder are packed as what they lead to. Problems: archive.*, artifact.not-found. */
export async function* packZip(
  folder: string,
  { limits, stored, leaveOut }: ZipPacking,
): AsyncIterable<Uint8Array> {
  const reader = await openFolder(folder, limits)
  const members = new Map(reader.members.map((member) => [member.path, member]))
  const zip = new ZipFile()
  const output = zip.outputStream as PassThrough
  // The oldest time a zip can say; it knows no time zones, and more would be said in ours.
  const times = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true }
  for (const { path, kind } of reader.members) {
    if (leaveOut?.(path)) continue
    if (kind === 'folder') {
      zip.addEmptyDirectory(path, { ...times, mode: 0o40755 })
      continue
    }
    const file = findMember(members, path)
    if (file?.kind !== 'file') continue
    const mode = (file.mode & 0o111) === 0 ? 0o100644 : 0o100755
    const options = { ...times, mode, compress: stored !== true, size: file.bytes }
    zip.addReadStreamLazy(path, options, (give) => {
      const bytes = Readable.from(reader.open(file, 0), { objectMode: false })
      give(
        null,
        bytes.once('error', (error) => output.destroy(error)),
      )
    })
  }
  zip.end()
  for await (const piece of output) yield piece as Buffer
}
