/** What a run finds in its container: folders and fixed files mounted from the ticket, the rest uploaded before the start. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TarEntry } from '../../artifacts/archive/tar-header.ts'
import { tarEnd, tarHeader, tarPadding } from '../../artifacts/archive/tar-writer.ts'
import type { FileIn, Folder, Job } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import { run } from '../run-program.ts'
import type { Supplies } from '../supplies.ts'
import { dress, type Owner, putFile, putLink } from '../tree.ts'
import { itemsOf, unpackTar } from '../unpack-tar.ts'
import type { User } from '../user.ts'
import { type Docker, expectSuccess } from './client.ts'
import { readOut, statInside } from './container.ts'
import type { TicketPaths } from './ticket.ts'

/** Decided before anything is there, so that it can be decided again after a crash. */
export interface ContainerFilePlan {
  /** Files and folders that the ticket holds from the beginning, so that they can be mounted. */
  readonly folders: readonly string[]
  readonly files: readonly string[]
  readonly mounts: readonly { readonly from: string; readonly to: string; readonly readOnly: boolean }[]
  readonly places: readonly { readonly path: string; readonly host: string }[]
  readonly sized: readonly { readonly host: string; readonly folder: Folder }[]
  readonly checked: readonly { readonly path: string; readonly bytesMax: number }[]
  /** Folders in the container itself, uploaded: what its user makes in a folder of ours only root could read and remove. */
  readonly inside: readonly Folder[]
  readonly rooms: readonly { readonly host: string; readonly folder: Folder }[]
  /** Files of the job with where they lie in the ticket; the others are uploaded. */
  readonly kept: readonly { readonly host: string; readonly file: FileIn }[]
  /** Files below a folder of the job, by their path in it. */
  readonly inRooms: readonly { readonly host: string; readonly path: string; readonly file: FileIn }[]
  readonly uploads: readonly FileIn[]
  /** Whether the path is one of ours. */
  brings(path: string): boolean
}

/** Plans what goes where. */
export function planContainerFiles(job: Job, isRoot: boolean): ContainerFilePlan {
  const all = [...job.folders].sort((a, b) => a.path.length - b.path.length)
  const inside = isRoot ? [] : all.filter(({ readOnly }) => !readOnly)
  const rooms = all
    .filter((folder) => !inside.includes(folder))
    .map((folder, i) => ({ host: `f${i}`, folder }))
  const kept: { host: string; file: FileIn }[] = []
  const inRooms: { host: string; path: string; file: FileIn }[] = []
  const uploads: FileIn[] = []
  for (const [i, file] of job.files.entries()) {
    const room = rooms.findLast(({ folder }) => file.path.startsWith(`${folder.path}/`))
    // Nothing can be put into a root that is read-only, or below a mount.
    const mounted = file.readOnly || job.needs.readOnlyRoot || /^\/(dev|proc|sys)\//.test(file.path)
    const isLink = file.content.kind === 'link'
    if (mounted && !isLink) kept.push({ host: `in.${i}`, file })
    else if (room) inRooms.push({ host: room.host, path: file.path.slice(room.folder.path.length), file })
    else uploads.push(file)
  }
  const isFolder = ({ content }: FileIn): boolean => content.kind === 'artifact' && content.as === 'folder'
  return {
    folders: [
      ...rooms.map(({ host }) => host),
      ...kept.flatMap(({ host, file }) => (isFolder(file) ? [host] : [])),
    ],
    files: kept.flatMap(({ host, file }) => (isFolder(file) ? [] : [host])),
    mounts: [
      ...rooms.map(({ host, folder }) => ({ from: host, to: folder.path, readOnly: folder.readOnly })),
      ...kept.map(({ host, file }) => ({ from: host, to: file.path, readOnly: file.readOnly })),
    ],
    places: [
      ...rooms.map(({ host, folder }) => ({ path: folder.path, host })),
      ...kept.map(({ host, file }) => ({ path: file.path, host })),
    ],
    sized: rooms.filter(({ folder }) => folder.bytesMax !== undefined && !folder.readOnly),
    checked: inside.flatMap(({ path, bytesMax }) => (bytesMax === undefined ? [] : { path, bytesMax })),
    inside,
    rooms,
    kept,
    inRooms,
    uploads,
    brings: (path) =>
      job.files.some((file) => file.path === path) ||
      job.folders.some((folder) => path.startsWith(`${folder.path}/`)),
  }
}

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

function ownerOf(file: FileIn, user: User): { readonly uid: number; readonly gid: number } {
  return file.owner === 'root' ? { uid: 0, gid: 0 } : { uid: user.uid, gid: user.gid }
}

function dressOf(file: FileIn, user: User): Owner & { readonly mode: number } {
  return { ...ownerOf(file, user), mode: file.owner === 'root' ? file.mode : modeFor(user, file.mode) }
}

function contentOf({ content, path }: FileIn): Uint8Array {
  if (content.kind === 'bytes') return content.bytes
  if (content.kind === 'secret') return Buffer.from(content.secret.reveal())
  return fail('engine.refused', `${path}: large things are mounted read-only on this engine`)
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
      parts.push(tarHeader(entryOf('folder', folder, { uid: user.uid, gid: user.gid, mode: 0o755 })))
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

function packedFolder({ path, mode, content }: Folder, { uid, gid }: User): readonly Uint8Array[] {
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

function packed(file: FileIn, user: User): readonly Uint8Array[] {
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

function entryOf(
  kind: TarEntry['kind'],
  path: string,
  { uid, gid, mode }: { readonly uid: number; readonly gid: number; readonly mode: number },
): TarEntry {
  return { kind, path, target: '', bytes: 0, mode, uid, gid, mtime: 0 }
}
