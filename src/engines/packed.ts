/** Files and folders of a job as pieces of a tar, for engines that put them into a container that is there already. */
import type { TarEntry } from '../artifacts/archive/tar-header.ts'
import { tarHeader, tarPadding } from '../artifacts/archive/tar-writer.ts'
import type { FileIn, Folder } from '../model/job.ts'
import { fail } from '../model/problem.ts'
import type { Owner } from './tree.ts'
import { itemsOf } from './unpack-tar.ts'

/** Whose a file is. */
export function ownerOf(file: FileIn, user: Owner): { readonly uid: number; readonly gid: number } {
  return file.owner === 'root' ? { uid: 0, gid: 0 } : { uid: user.uid, gid: user.gid }
}

/** The bytes of a file that the job carries itself. */
export function contentOf({ content, path }: FileIn): Uint8Array {
  if (content.kind === 'bytes') return content.bytes
  if (content.kind === 'secret') return Buffer.from(content.secret.reveal())
  return fail('engine.refused', `${path}: large things are mounted read-only on this engine`)
}

/** A folder that is missing above a file, as a path without its first slash. */
export function packedParent(path: string, { uid, gid }: Owner): Uint8Array {
  return tarHeader(entryOf('folder', path, { uid, gid, mode: 0o755 }))
}

/** A folder of the job with what it holds at the start. */
export function packedFolder({ path, mode, content }: Folder, { uid, gid }: Owner): readonly Uint8Array[] {
  const top = Buffer.from(path.slice(1)).toString('latin1')
  const inner = content.kind === 'tar' ? itemsOf(content.tar).filter(({ path: below }) => below !== '') : []
  return [
    tarHeader(entryOf('folder', top, { uid, gid, mode })),
    ...inner.flatMap(({ path: below, entry, pieces }) => {
      const as = { uid, gid, mode: entry.mode & 0o777 }
      const bytes = Buffer.concat(pieces)
      const own = { ...entryOf(entry.kind, `${top}/${below}`, as), bytes: bytes.length }
      return [tarHeader(own), bytes, tarPadding(bytes.length)]
    }),
  ]
}

/** A file of the job, as small as it can be carried. */
export function packed(file: FileIn, user: Owner): readonly Uint8Array[] {
  const path = Buffer.from(file.path.slice(1)).toString('latin1')
  const { content, mode } = file
  const as = { ...ownerOf(file, user), mode }
  if (content.kind === 'link') {
    const target = Buffer.from(content.target).toString('latin1')
    return [tarHeader({ ...entryOf('link', path, { ...as, mode: 0o777 }), target })]
  }
  const bytes = contentOf(file)
  return [tarHeader({ ...entryOf('file', path, as), bytes: bytes.length }), bytes, tarPadding(bytes.length)]
}

/** The header of what has no content yet. */
export function entryOf(
  kind: TarEntry['kind'],
  path: string,
  { uid, gid, mode }: { readonly uid: number; readonly gid: number; readonly mode: number },
): TarEntry {
  return { kind, path, target: '', bytes: 0, mode, uid, gid, mtime: 0 }
}
