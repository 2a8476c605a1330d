/** Writes members of an archive into a folder that appears whole or not at all. */
import { chmod, mkdir, open, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail } from '../../model/problem.ts'
import { asideOf, makeFolder, unwritable } from '../content/durable.ts'
import type { ArchiveReader, Member } from './member.ts'

export interface Extraction {
  /** Must not exist yet. */
  readonly folder: string
  /** Which members, and under which path; undefined leaves one out. Absent: all as they are. */
  place?(member: Member): string | undefined
}

/** Extracts. Problems: archive.*, artifact.unwritable. */
export async function extract<Kind extends Member>(
  archive: ArchiveReader<Kind>,
  { folder, place = ({ path }) => path }: Extraction,
): Promise<void> {
  await makeFolder(dirname(folder))
  const aside = asideOf(folder)
  try {
    await mkdir(aside, { mode: 0o755 })
    const links: { readonly path: string; readonly target: string }[] = []
    for (const member of archive.members) {
      const path = place(member)
      if (path === undefined) continue
      if (member.kind === 'link') links.push({ path: join(aside, path), target: member.target })
      else await writeMember(archive, member, join(aside, path))
    }
    // Last, so that no file can be written through one.
    for (const { path, target } of links) {
      await mkdir(dirname(path), { recursive: true })
      await symlink(target, path)
    }
    await rename(aside, folder)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    throw unwritable(error, folder)
  }
}

async function writeMember<Kind extends Member>(
  archive: ArchiveReader<Kind>,
  member: Kind,
  path: string,
): Promise<void> {
  if (member.kind === 'folder') {
    await mkdir(path, { recursive: true, mode: 0o755 })
    return
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
  const handle = await open(path, 'wx', 0o600)
  let bytes = 0
  try {
    for await (const piece of archive.open(member, 0)) {
      bytes += piece.byteLength
      if (bytes > member.bytes) fail('archive.limit', `${member.path} is larger than announced`)
      await handle.writeFile(piece)
    }
  } finally {
    await handle.close()
  }
  // Never setuid, never unwritable for the process that has to delete it; what may be executed may be.
  await chmod(path, (member.mode & 0o111) !== 0 ? 0o755 : 0o644)
}
