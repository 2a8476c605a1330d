/** What runs of one shape stand on: places to mount over, and short names of layers. It is only read, so it is made once. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { sha256 } from '../../kit/hash.ts'
import { present } from '../../kit/present.ts'
import { unlessAbsent } from '../absent.ts'
import { resolveInLayers } from '../layer-view.ts'
import { sweepOld } from '../sweep-old.ts'
import { dress, makeFolderIn, makeMountPoint, type Owner, putLink, system, type Tree } from '../tree.ts'
import type { ArtifactContext } from './run-folder.ts'
import type { Trash } from './trash.ts'

/** What a skeleton is to have; kept as a plan, since most often it is there already. */
export interface RunSkeleton {
  /** A folder, or something to mount over; a folder of the image stays as it is. Answers its path without links. */
  place(path: string, kind: 'file' | 'folder', as: Owner & { readonly mode?: number }): string
  link(path: string, target: string): void
  /** The folder of the skeleton, made where it is missing. */
  lay(at: SkeletonFolders): string
}

export interface SkeletonFolders {
  readonly rooms: ArtifactContext
  /** After a loss of power it is unknown what of a folder has reached the disk: each boot has its own. */
  readonly boot: string
  readonly clock: Clock
}

/** In the folder of a skeleton: the places, as the topmost of its layers or the root itself. */
export const placesFolder = 'places'

type Item =
  | { readonly kind: 'file' | 'folder'; readonly path: string; readonly as: Owner; readonly mode?: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }

/** Plans a skeleton over layers, topmost first; what is seen is those and what the run itself has put above. */
export function planSkeleton(layers: readonly string[], seen: readonly string[]): RunSkeleton {
  const items = new Map<string, Item>()
  return {
    place(path, kind, { uid, gid, mode }) {
      const spot = resolveInLayers(seen, path)
      const fits = kind === 'folder' ? spot.there?.stats.isDirectory() : spot.there?.stats.isFile()
      if (mode === undefined && fits) return spot.path
      const item = { kind, path: spot.path, as: { uid, gid }, ...present({ mode }) }
      if (!items.has(spot.path)) items.set(spot.path, item)
      return spot.path
    },
    link(path, target) {
      items.set(path, { kind: 'link', path, target })
    },
    lay({ rooms, boot, clock }) {
      const plan = [...items.values()]
      const name = sha256(JSON.stringify([boot, layers, plan])).slice(0, nameLength)
      const folder = join(rooms.grounds, name)
      if (isThere(folder, clock)) return folder
      const aside = join(rooms.aside, `${name}~${randomBytes(6).toString('hex')}`)
      try {
        makeGround(aside, layers, plan)
        renameSync(aside, folder)
      } catch (error) {
        rmSync(aside, { recursive: true, force: true })
        // Another process made the same one meanwhile.
        if (!existsSync(folder)) throw error
      }
      return folder
    },
  }
}

const nameLength = 40
const hourMs = 3_600_000

/** Whether it is there; that it is needed is noted now and then. */
function isThere(folder: string, clock: Clock): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) return false
  const now = clock.now()
  if (now - stats.mtimeMs > hourMs) utimesSync(folder, now / 1000, now / 1000)
  return true
}

function makeGround(folder: string, layers: readonly string[], plan: readonly Item[]): void {
  const top = join(folder, placesFolder)
  for (const path of [folder, top]) mkdirSync(path, { mode: 0o755 })
  const tree: Tree = { top, layers: [top, ...layers] }
  for (const item of plan) {
    if (item.kind === 'link') putLink(tree, item.path, item.target, system)
    else {
      const path = makeMountPoint(tree, item.path, item.kind, item.as)
      if (item.mode === undefined) continue
      makeFolderIn(tree, path, item.as)
      dress(join(top, path), { ...item.as, mode: item.mode })
    }
  }
  // Short names: overlay takes the list of all layers in one page of memory.
  for (const [i, layer] of layers.entries()) symlinkSync(layer, join(folder, String(i)))
}

/** Takes away skeletons that no run has used for a day; `inUse` names those of the runs that are there. */
export async function sweepSkeletons(
  { rooms, trash, clock }: { readonly rooms: ArtifactContext; readonly trash: Trash; readonly clock: Clock },
  inUse: () => Promise<ReadonlySet<string>>,
): Promise<void> {
  await sweepOld(rooms.grounds, clock, async (folder) => {
    const aside = join(rooms.aside, `${basename(folder)}~${randomBytes(6).toString('hex')}`)
    await rename(folder, aside).catch(unlessAbsent)
    // A run that is laid out after this look finds it missing and makes it anew.
    if ((await inUse()).has(folder)) await rename(aside, folder).catch(() => undefined)
    await trash.take(aside)
  })
}
