/** The cache of unpacked layers and of the stacks made of them. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, link, lstat, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { toProblem } from '../../model/problem.ts'
import { asideOf, makeFolder } from '../content/durable.ts'
import { splitDigest } from '../digest.ts'
import type { ArchiveLimits } from '../limits.ts'
import type { Compression } from '../oci/media-types.ts'
import { flatten } from './flatten.ts'
import { findCell, openCell } from './folder-cell.ts'
import type { UnpackedLayer } from './layer-look.ts'
import type { LayerNotes } from './layer-order.ts'
import { makeStack } from './stack.ts'
import { unpackInThread } from './worker-pool.ts'

/** overlay: one folder per layer, deletions as overlay knows them, which takes root. flat: one folder with everything. */
export type Stacking = 'overlay' | 'flat'

interface PackedLayer {
  readonly blob: string
  readonly compression: Compression
  readonly diffId: string
}

export interface LayerStore {
  readonly stacking: Stacking
  /** A layer that is unpacked already. */
  find(diffId: string): Promise<UnpackedLayer | undefined>
  /** Unpacks a layer unless it is there. */
  unpack(layer: PackedLayer, signal: AbortSignal): Promise<UnpackedLayer>
  /** The folders to stack for these layers, lowest first. */
  stack(diffIds: readonly string[], layers: readonly UnpackedLayer[]): Promise<readonly string[]>
}

export interface LayerStoreOptions {
  readonly folder: string
  readonly limits: ArchiveLimits
  /** Absent: overlay when we may make its deletion marks, else flat. */
  readonly stacking?: Stacking
}

/** Folder names stay short: overlay takes the list of all of them in one page of memory. */
const nameLength = 32

/** Opens the cache. Problems: artifact.unwritable. */
export async function openLayerStore({ folder, limits, stacking }: LayerStoreOptions): Promise<LayerStore> {
  await makeFolder(join(folder, 'layers'), 0o700)
  await makeFolder(join(folder, 'stacks'), 0o700)
  const mark = stacking === 'flat' ? undefined : await findWhiteout(join(folder, 'whiteout'))
  const style = stacking ?? (mark === undefined ? 'flat' : 'overlay')
  const owners = process.geteuid?.() === 0
  const busy = new Map<string, Promise<UnpackedLayer>>()

  const pathOf = (diffId: string): string => join(folder, 'layers', cellName(diffId))

  const unpackAnew = async (layer: PackedLayer, signal: AbortSignal): Promise<UnpackedLayer> => {
    const path = pathOf(layer.diffId)
    const notes = await openCell({
      path,
      make: async (aside) => {
        const root = join(aside, 'fs')
        await mkdir(root, { mode: 0o755 })
        await chmod(root, 0o755)
        const whiteout = mark === undefined ? {} : { whiteout: mark }
        return await unpackInThread({ ...layer, folder: root, limits, owners, ...whiteout }, signal)
      },
    })
    return { folder: join(path, 'fs'), notes }
  }

  const begin = (layer: PackedLayer, signal: AbortSignal): Promise<UnpackedLayer> => {
    const fresh = unpackAnew(layer, signal).finally(() => busy.delete(layer.diffId))
    busy.set(layer.diffId, fresh)
    return fresh
  }

  return {
    stacking: style,
    find: async (diffId) => {
      const notes = await findCell<LayerNotes>(pathOf(diffId))
      return notes === undefined ? undefined : { folder: join(pathOf(diffId), 'fs'), notes }
    },
    unpack: async (layer, signal) => {
      for (;;) {
        const busyNow = busy.get(layer.diffId)
        try {
          return await (busyNow ?? begin(layer, signal))
        } catch (error) {
          // The caller that began it has given up; this one has not.
          if (busyNow === undefined || signal.aborted || toProblem(error).code !== 'artifact.stopped')
            throw error
        }
      }
    },
    stack: async (allIds, allLayers) => {
      const { diffIds, layers } = withoutRepeats(allIds, allLayers)
      const path = join(folder, 'stacks', chainName(diffIds, style))
      if (style === 'flat' || mark === undefined) {
        await openCell({ path, make: (aside) => makeFlat(layers, aside) })
        return [join(path, 'fs')]
      }
      if (
        layers.length < 2 ||
        !layers.some(({ notes }) => notes.opaque.length > 0 || notes.implicit.length > 0)
      ) {
        return layers.map((layer) => layer.folder)
      }
      const order = await openCell({ path, make: (aside) => makeStack(layers, aside, mark) })
      return order.map((item) => (typeof item === 'string' ? join(path, item) : (layers[item]?.folder ?? '')))
    },
  }
}

/** The name of the folder of an unpacked layer. */
export function cellName(diffId: string): string {
  return splitDigest(diffId).hex.slice(0, nameLength)
}

/** The name of the folder for what a stack of layers needs besides them. */
export function chainName(diffIds: readonly string[], stacking: Stacking): string {
  const chain = createHash('sha256').update(diffIds.join(' ')).digest('hex').slice(0, nameLength)
  return stacking === 'flat' ? `${chain}-flat` : chain
}

/** Each layer once, at its topmost place: there it hides all that it could show further down, and overlay takes no folder twice. */
function withoutRepeats(
  diffIds: readonly string[],
  layers: readonly UnpackedLayer[],
): { readonly diffIds: readonly string[]; readonly layers: readonly UnpackedLayer[] } {
  const kept = diffIds.map((id, i) => diffIds.lastIndexOf(id) === i)
  return { diffIds: diffIds.filter((_, i) => kept[i]), layers: layers.filter((_, i) => kept[i]) }
}

async function makeFlat(layers: readonly UnpackedLayer[], aside: string): Promise<null> {
  await mkdir(join(aside, 'fs'), { mode: 0o755 })
  await flatten(layers, join(aside, 'fs'))
  return null
}

/** The character device 0/0 that overlay reads as "deleted"; undefined where we may not make one. */
async function findWhiteout(path: string): Promise<string | undefined> {
  const there = await lstat(path).catch(() => undefined)
  if (there?.isCharacterDevice() && there.rdev === 0) return path
  const aside = asideOf(path)
  const status = await new Promise<number | null>((resolve) => {
    const child = spawn('mknod', [aside, 'c', '0', '0'], { stdio: 'ignore' })
    child.once('error', () => resolve(null))
    child.once('exit', resolve)
  })
  if (status !== 0) return undefined
  await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
  return path
}
