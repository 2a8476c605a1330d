/** A folder looked into as if it were an archive: the same checks, and no link is followed out of it. */
import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../model/problem.ts'
import { openRegular } from '../content/durable.ts'
import type { ArchiveLimits } from '../limits.ts'
import { type ArchiveReader, type Member, MemberList } from './member.ts'
import { shownPath } from './names.ts'

/** Opens a folder. Problems: artifact.not-found, archive.*. */
export async function openFolder(folder: string, limits: ArchiveLimits): Promise<ArchiveReader> {
  const there = await stat(folder).catch(() => undefined)
  if (!there?.isDirectory()) return fail('artifact.not-found', undefined, { where: { source: folder } })
  const list = new MemberList<Member>(limits)
  await gather(folder, '', list)
  return {
    members: list.finish(),
    open: (member, from) => readFrom(join(folder, member.path), from),
    close: async () => undefined,
  }
}

async function gather(folder: string, path: string, list: MemberList<Member>): Promise<void> {
  for (const name of (await readdir(join(folder, path))).sort()) {
    const inner = path === '' ? name : `${path}/${name}`
    const found = await lstat(join(folder, inner))
    const mode = found.mode & 0o777
    if (found.isDirectory()) {
      list.add(inner, (plain) => ({ path: plain, kind: 'folder', bytes: 0, mode, target: '' }))
      await gather(folder, inner, list)
    } else if (found.isSymbolicLink()) {
      const target = await readlink(join(folder, inner))
      list.add(inner, (plain) => ({ path: plain, kind: 'link', bytes: 0, mode, target }))
    } else if (found.isFile()) {
      list.add(inner, (plain) => ({ path: plain, kind: 'file', bytes: found.size, mode, target: '' }))
    } else {
      fail('archive.special-file', shownPath(inner))
    }
  }
}

async function* readFrom(path: string, from: number): AsyncIterable<Uint8Array> {
  const handle = await openRegular(path)
  if (handle === undefined) return fail('artifact.not-found', undefined, { where: { source: path } })
  yield* handle.createReadStream({ start: from })
}
