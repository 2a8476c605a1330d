/** The files of an image layout inside a tar. */
import { collect } from '../archive/collect.ts'
import { findMember } from '../archive/member.ts'
import { openTarFile } from '../archive/tar-file.ts'
import { documentBytesMax, usualLayerLimits } from '../limits.ts'
import type { LayoutFiles } from './layout.ts'

/** Opens `oci-archive:` files, compressed or not. Problems: artifact.not-found, archive.*. */
export async function layoutArchive(path: string, scratchFolder: string): Promise<LayoutFiles> {
  const tar = await openTarFile(path, scratchFolder, usualLayerLimits)
  const members = new Map(tar.members.map((member) => [member.path, member]))
  return {
    name: path,
    read: async (inner) => {
      const member = findMember(members, inner)
      return member?.kind === 'file' ? await collect(tar.open(member, 0), documentBytesMax) : undefined
    },
    stream: async (inner, from) => {
      const member = findMember(members, inner)
      return member?.kind === 'file' ? tar.open(member, from) : undefined
    },
    close: () => tar.close(),
  }
}
