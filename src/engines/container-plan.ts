/** What a run finds in its container: which folders and fixed files are mounted from a room of its own, and what is put in before the start. */
import type { FileIn, Folder, Job } from '../model/job.ts'

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
