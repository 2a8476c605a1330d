/** Brings the files and folders of a job into its root: written into our layer, or mounted where they must not change. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { FileContent, FileIn, Folder, Job } from '../../model/job.ts'
import type { Supplies } from '../supplies.ts'
import { dress, makeFolderIn, makeMountPoint, type Owner, putFile, putLink, type Tree } from '../tree.ts'
import { unpackTar } from '../unpack-tar.ts'
import type { User } from '../user.ts'
import type { Root } from './root.ts'
import type { SizedFolder } from './shim.ts'
import type { Mount } from './step-plan.ts'

export interface Furniture {
  readonly mounts: readonly Mount[]
  readonly sized: readonly SizedFolder[]
  /** Where mounts that are wanted from lie, by their path inside, relative to the run. */
  readonly places: readonly { readonly path: string; readonly host: string }[]
}

export interface Furnishing {
  readonly root: Root
  readonly user: User
  readonly aside: string
  readonly final: string
  readonly private: string
  readonly supplies: Supplies
  readonly signal: AbortSignal
}

interface Room {
  /** As the job names it, and where that leads. */
  readonly path: string
  readonly to: string
  /** Its contents while the layout is made. */
  readonly tree: Tree
}

const root: Owner = { uid: 0, gid: 0 }

/** Furnishes the root. Folders come first, so that files can lie in them. */
export async function furnish(job: Job, at: Furnishing): Promise<Furniture> {
  const mounts: Mount[] = []
  const sized: SizedFolder[] = []
  const places: { path: string; host: string }[] = []
  const rooms: Room[] = []
  const sorted = [...job.folders].sort((a, b) => a.path.length - b.path.length)
  for (const [i, folder] of sorted.entries()) {
    const { room, mount, limit } = await makeRoom(folder, i, { at, rooms })
    rooms.push(room)
    mounts.push(mount)
    places.push({ path: mount.to, host: `f${i}` })
    if (limit) sized.push(limit)
  }
  for (const [i, file] of job.files.entries()) {
    const { mount, place } = await bring(file, i, { at, rooms })
    if (mount) mounts.push(mount)
    if (place) places.push(place)
  }
  return { mounts, sized, places }
}

interface Making {
  readonly at: Furnishing
  readonly rooms: readonly Room[]
}

async function makeRoom(
  folder: Folder,
  i: number,
  { at, rooms }: Making,
): Promise<{ readonly room: Room; readonly mount: Mount; readonly limit?: SizedFolder }> {
  const { user, aside, final } = at
  const limited = folder.bytesMax !== undefined && !folder.readOnly
  const name = `f${i}`
  const host = limited ? join(at.private, name) : join(aside, name)
  mkdirSync(host, { mode: 0o700 })
  if (folder.content.kind === 'tar') await unpackTar(folder.content.tar, host, user)
  dress(host, { uid: user.uid, gid: user.gid, mode: folder.mode })
  if (limited) mkdirSync(join(aside, name))
  const path = absolute(folder.path, at)
  const to = mountPoint(path, 'folder', { at, rooms })
  const mount: Mount = { to, from: { kind: 'bind', path: join(final, name) }, readOnly: folder.readOnly }
  const room: Room = { path, to, tree: { top: host, layers: [host] } }
  if (!limited) return { room, mount }
  const limit: SizedFolder = {
    folder: name,
    filledFrom: host,
    bytes: folder.bytesMax ?? 0,
    // The folder itself takes one.
    entries: (folder.entriesMax ?? entriesUsual) + 1,
    mode: folder.mode,
    uid: user.uid,
    gid: user.gid,
  }
  return { room, mount, limit }
}

const entriesUsual = 4096

/** Puts one file. Only a mount withstands root, and only a mount is seen below /dev and /proc. */
async function bring(
  file: FileIn,
  i: number,
  making: Making,
): Promise<{ readonly mount?: Mount; readonly place?: { path: string; host: string } }> {
  const { at } = making
  const path = absolute(file.path, at)
  const owner = file.owner === 'root' ? root : at.user
  const as = { uid: owner.uid, gid: owner.gid, mode: file.mode }
  const { tree, inner } = roomOf(path, making)
  if (file.content.kind === 'link') {
    putLink(tree, inner, file.content.target, owner)
    return {}
  }
  const ofSystem = /^\/(dev|proc|sys)\//.test(path)
  const bytes = bytesOf(file.content)
  if (!file.readOnly && !ofSystem && bytes !== undefined) {
    putFile(tree, inner, bytes, as)
    return {}
  }
  const aside = bytes === undefined ? join(at.aside, `in.${i}`) : join(at.private, `in.${i}`)
  const final = bytes === undefined ? join(at.final, `in.${i}`) : aside
  const kind = file.content.kind === 'artifact' && file.content.as === 'folder' ? 'folder' : 'file'
  if (bytes !== undefined) writeFileSync(aside, bytes, { flag: 'wx', mode: 0o600 })
  else if (file.content.kind === 'artifact' || file.content.kind === 'entry')
    await at.supplies.deliver(file.content, aside, at.signal)
  if (bytes === undefined && !file.readOnly && !ofSystem) {
    moveIn(tree, inner, { aside, as })
    return {}
  }
  dress(aside, as)
  const to = ofSystem ? path : mountPoint(path, kind, making)
  return {
    mount: { to, from: { kind: 'bind', path: final }, readOnly: file.readOnly },
    place: { path: to, host: bytes === undefined ? `in.${i}` : `private/in.${i}` },
  }
}

function moveIn(
  tree: Tree,
  path: string,
  { aside, as }: { readonly aside: string; readonly as: Owner & { readonly mode: number } },
): void {
  const place = join(tree.top, makeFolderIn(tree, dirname(path), as), basename(path))
  rmSync(place, { recursive: true, force: true })
  renameSync(aside, place)
  dress(place, as)
}

function mountPoint(path: string, kind: 'file' | 'folder', making: Making): string {
  const { tree, inner, room } = roomOf(path, making)
  const plain = makeMountPoint(tree, inner, kind, making.at.user)
  return room === undefined ? plain : join(room.to, plain)
}

/** The folder of the job that the path lies in, or else the root itself. */
function roomOf(
  path: string,
  { at, rooms }: Making,
): { readonly tree: Tree; readonly inner: string; readonly room?: Room } {
  const room = rooms.findLast(({ path: above }) => path.startsWith(`${above}/`))
  if (room === undefined) return { tree: at.root.tree, inner: path }
  return { tree: room.tree, inner: path.slice(room.path.length), room }
}

function absolute(path: string, { root: { base } }: Furnishing): string {
  return path.startsWith('/') ? join('/', path) : join(base, path)
}

function bytesOf(content: FileContent): Uint8Array | string | undefined {
  if (content.kind === 'bytes') return content.bytes
  return content.kind === 'secret' ? content.secret.reveal() : undefined
}
