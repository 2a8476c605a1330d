/** Fills what a container finds: folders and fixed files mounted from the ticket, the rest uploaded before the start. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tarEnd } from '../../artifacts/archive/tar-writer.ts'
import type { FileIn, Folder } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import type { ContainerFilePlan } from '../container-plan.ts'
import { contentOf, ownerOf, packed, packedFolder, packedParent } from '../packed.ts'
import { run } from '../run-program.ts'
import type { Supplies } from '../supplies.ts'
import { dress, type Owner, putFile, putLink } from '../tree.ts'
import { unpackTar } from '../unpack-tar.ts'
import type { User } from '../user.ts'
import { type Docker, expectSuccess } from './client.ts'
import { readOut, statInside } from './container.ts'
import type { TicketPaths } from './ticket.ts'

export interface ContainerFileTarget {
  readonly user: User
  readonly paths: TicketPaths
  readonly supplies: Supplies
  readonly signal: AbortSignal
}

const usualEntries = 4096

/** We cannot give files to others when we are not root; they read what is for them as others, which only a container sees. */
export function modeFor({ uid }: User, mode: number): number {
  const isOurs = process.geteuid?.() === 0 || uid === 0
  return isOurs ? mode : mode | ((mode >> 6) & 0o7)
}

/** Fills the ticket; done again it comes to the same. */
export async function placeContainerFiles(plan: ContainerFilePlan, at: ContainerFileTarget): Promise<void> {
  const { user, paths } = at
  const modeOf = (mode: number): number => modeFor(user, mode)
  for (const { host, folder } of plan.sized) await mountSized(join(paths.folder, host), folder, user)
  for (const { host, folder } of plan.rooms) {
    const place = join(paths.folder, host)
    if (folder.content.kind === 'tar') await unpackTar(folder.content.tar, place, { ...user, modeOf })
    dress(place, { ...user, mode: modeOf(folder.mode) })
  }
  for (const { host, path, file } of plan.inRooms) {
    const top = join(paths.folder, host)
    const tree = { top, layers: [top] }
    if (file.content.kind === 'link') putLink(tree, path, file.content.target, user)
    else putFile(tree, path, contentOf(file), dressOf(file, user))
  }
  for (const { host, file } of plan.kept) {
    const place = join(paths.folder, host)
    // Written in place: what is mounted is this very file.
    const { content } = file
    if (content.kind === 'artifact' || content.kind === 'entry')
      await at.supplies.deliver(content, place, at.signal)
    else await writeFile(place, contentOf(file))
    dress(place, dressOf(file, user))
  }
}

async function mountSized(
  place: string,
  { bytesMax = 0, entriesMax, mode }: Folder,
  user: User,
): Promise<void> {
  const isMounted = (await run('mountpoint', ['-q', place])).exit === 0
  if (isMounted) return
  await mkdir(place, { recursive: true })
  const entries = (entriesMax ?? usualEntries) + 1
  const owner = `uid=${user.uid},gid=${user.gid}`
  const options = `size=${bytesMax},nr_inodes=${entries},mode=${mode.toString(8)},${owner},nosuid,nodev`
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', place])
  if (mounted.exit !== 0) fail('engine.start-failed', `mount a limited folder: ${mounted.stderr.trim()}`)
}

function dressOf(file: FileIn, user: User): Owner & { readonly mode: number } {
  return { ...ownerOf(file, user), mode: file.owner === 'root' ? file.mode : modeFor(user, file.mode) }
}

/** Uploads what the program may change, with the folders that are missing above it. */
export async function uploadFiles(
  docker: Docker,
  name: string,
  { plan, user }: { readonly plan: ContainerFilePlan; readonly user: User },
): Promise<void> {
  const { inside, uploads } = plan
  if (inside.length + uploads.length === 0) return
  const known = new Set<string>([''])
  const parts: Uint8Array[] = []
  const addParents = async (path: string): Promise<void> => {
    const parents = path.split('/').slice(1, -1)
    for (const [i] of parents.entries()) {
      const folder = parents.slice(0, i + 1).join('/')
      if (known.has(folder)) continue
      known.add(folder)
      if (await statInside(docker, name, `/${folder}`)) continue
      parts.push(packedParent(folder, user))
    }
  }
  for (const folder of inside) {
    await expectEmpty(docker, name, folder)
    await addParents(folder.path)
    known.add(folder.path.slice(1))
    parts.push(...packedFolder(folder, user))
  }
  for (const file of uploads) {
    await addParents(file.path)
    parts.push(...packed(file, user))
  }
  const body = Buffer.concat([...parts, tarEnd()])
  // Owners are those of the tar; what the API calls copyUIDGID would give everything to the user.
  const query = { path: '/' }
  expectSuccess(
    await docker.ask({ method: 'PUT', path: `/containers/${name}/archive`, query, body }),
    'put files into the container',
  )
}

/** A mount would hide what the image has there. */
async function expectEmpty(docker: Docker, name: string, { path }: Folder): Promise<void> {
  const out = await readOut(docker, name, { path, bytesMax: 64 * 1024 })
  if (out !== undefined && (out.cut || out.items.length > 1)) {
    fail('engine.refused', `the image has files below ${path}, which only a broker that is root can hide`)
  }
}
