/** Brings the files and folders of a job into its root: written into our layer, or mounted where they must not change. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { FileContent, FileIn, Folder, Job } from '../../model/job.ts'
import type { Supplies } from '../supplies.ts'
import {
  dress,
  makeFolderIn,
  makeMountPoint,
  type Owner,
  putFile,
  putLink,
  system,
  type Tree,
} from '../tree.ts'
import { unpackTar } from '../unpack-tar.ts'
import type { User } from '../user.ts'
import type { Root } from './root.ts'
import type { SizedFolder } from './shim.ts'
import type { Mount } from './step-plan.ts'

export interface PlacedFiles {
  readonly mounts: readonly Mount[]
  readonly sized: readonly SizedFolder[]
  /** Where mounts that are wanted from lie, by their path inside, relative to the run. */
  readonly places: readonly Place[]
}

export interface Place {
  readonly path: string
  readonly host: string
}

export interface JobFileTarget {
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
  /** Whether the program may write to it as much as it likes. */
  readonly open: boolean
}

/** Furnishes the root. Folders come first, so that files can lie in them. */
export async function placeJobFiles(job: Job, at: JobFileTarget): Promise<PlacedFiles> {
  const { own } = at.root
  const mounts: Mount[] = []
  const sized: SizedFolder[] = []
  const places: Place[] = own.kind === 'workspace' ? [{ path: own.path, host: own.host }] : []
  const rooms: Room[] = places.map(({ path, host }) => roomAt(path, join(at.aside, host)))
  const sorted = [...job.folders].sort((a, b) => a.path.length - b.path.length)
  for (const [i, folder] of sorted.entries()) {
    const { room, mount, limit } = await makeRoom(folder, i, { at, rooms })
    rooms.push(room)
    if (limit) sized.push(limit)
    if (mount === undefined) continue
    mounts.push(mount)
    places.push({ path: mount.to, host: `f${i}` })
  }
  for (const [i, file] of job.files.entries()) {
    const { mount, place } = await bring(file, i, { at, rooms })
    if (mount) mounts.push(mount)
    if (place) places.push(place)
  }
  return { mounts, sized, places }
}

interface Making {
  readonly at: JobFileTarget
  readonly rooms: readonly Room[]
}

function roomAt(path: string, host: string): Room {
  return { path, to: path, tree: { top: host, layers: [host] }, open: true }
}

interface RoomMade {
  readonly room: Room
  readonly mount?: Mount
  readonly limit?: SizedFolder
}

async function makeRoom(folder: Folder, i: number, { at, rooms }: Making): Promise<RoomMade> {
  const { user, aside, final } = at
  const limited = folder.bytesMax !== undefined && !folder.readOnly
  const path = absolute(folder.path, at)
  const open = !limited && !folder.readOnly
  const above = roomAbove(path, { at, rooms })
  if (open && above?.open === true) return await makePart(folder, path, { above, user })
  const name = `f${i}`
  const host = limited ? join(at.private, name) : join(aside, name)
  mkdirSync(host, { mode: 0o700 })
  await fill(host, folder, user)
  if (limited) mkdirSync(join(aside, name))
  const to = mountPoint(path, 'folder', { at, rooms })
  const mount: Mount = { to, from: { kind: 'bind', path: join(final, name) }, readOnly: folder.readOnly }
  const room: Room = { ...roomAt(path, host), to, open }
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

/** Where the program may write anyway a folder needs no mount of its own. */
async function makePart(
  folder: Folder,
  path: string,
  { above, user }: { readonly above: Room; readonly user: User },
): Promise<RoomMade> {
  const inner = makeFolderIn(above.tree, path.slice(above.path.length), user)
  const host = join(above.tree.top, inner)
  await fill(host, folder, user)
  return { room: { ...roomAt(path, host), to: join(above.to, inner) } }
}

async function fill(host: string, { content, mode }: Folder, { uid, gid }: Owner): Promise<void> {
  if (content.kind === 'tar') await unpackTar(content.tar, host, { uid, gid })
  dress(host, { uid, gid, mode })
}

/** Puts one file. Only a mount withstands root, and only a mount is seen below /dev and /proc. */
async function bring(
  file: FileIn,
  i: number,
  making: Making,
): Promise<{ readonly mount?: Mount; readonly place?: Place }> {
  const { at } = making
  const path = absolute(file.path, at)
  const owner = file.owner === 'root' ? system : at.user
  const as = { uid: owner.uid, gid: owner.gid, mode: file.mode }
  const { tree, inner } = roomOf(path, making)
  if (file.content.kind === 'link') {
    if (tree === undefined) at.root.ground.link(path, file.content.target)
    else putLink(tree, inner, file.content.target, owner)
    return {}
  }
  const ofSystem = /^\/(dev|proc|sys)\//.test(path)
  const bytes = contentOf(file.content)
  const own = file.readOnly || ofSystem ? undefined : tree
  if (own !== undefined && bytes !== undefined) {
    putFile(own, inner, bytes, as)
    return {}
  }
  const aside = bytes === undefined ? join(at.aside, `in.${i}`) : fixedFile(at.private, i)
  const final = bytes === undefined ? join(at.final, `in.${i}`) : aside
  const kind = file.content.kind === 'artifact' && file.content.as === 'folder' ? 'folder' : 'file'
  if (bytes !== undefined) writeFileSync(aside, bytes, { flag: 'wx', mode: 0o600 })
  else if (file.content.kind === 'artifact' || file.content.kind === 'entry')
    await at.supplies.deliver(file.content, aside, at.signal)
  if (own !== undefined && bytes === undefined) {
    moveIn(own, inner, { aside, as })
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
  const room = roomAbove(path, making)
  if (room === undefined) return making.at.root.ground.place(path, kind, making.at.user)
  return join(room.to, makeMountPoint(room.tree, path.slice(room.path.length), kind, making.at.user))
}

/** What a path is put into, if anything that is the run's own. */
function roomOf(path: string, making: Making): { readonly tree: Tree | undefined; readonly inner: string } {
  const room = roomAbove(path, making)
  const { own } = making.at.root
  if (room === undefined) return { tree: own.kind === 'layer' ? own.tree : undefined, inner: path }
  return { tree: room.tree, inner: path.slice(room.path.length) }
}

/** The folder of the job that the path lies in. */
function roomAbove(path: string, { rooms }: Making): Room | undefined {
  return rooms.findLast(({ path: above }) => path.startsWith(`${above}/`))
}

/** A path as the job names it, seen from the workspace. */
export function insideWorkspace(path: string, root: Root): string {
  return absolute(path, { root }).slice(root.base.length)
}

function absolute(path: string, { root: { base } }: Pick<JobFileTarget, 'root'>): string {
  return path.startsWith('/') ? join('/', path) : join(base, path)
}

/** Where a file lies that is mounted from memory, by its place in the job. */
export function fixedFile(secret: string, i: number): string {
  return join(secret, `in.${i}`)
}

/** What a file is to hold, where the job itself says it. */
export function contentOf(content: FileContent): Uint8Array | string | undefined {
  if (content.kind === 'bytes') return content.bytes
  return content.kind === 'secret' ? content.secret.reveal() : undefined
}
