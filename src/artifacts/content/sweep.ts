/** Throws away what nothing that lives refers to: blobs, unpacked layers, stacks, and what crashes left. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../../kit/json.ts'
import { isDigest } from '../digest.ts'
import { entryContext } from '../entries.ts'
import { dropCell } from '../layers/folder-cell.ts'
import { cellName, chainName } from '../layers/layer-store.ts'
import { childrenOf, type Manifest, parseManifest } from '../oci/manifest.ts'
import type { ContentStore } from './content-store.ts'
import { isIdle } from './download.ts'
import { findRenewal, sweepRenewals } from './renewals.ts'

export interface Sweep {
  /** Digests of the manifests, indexes and archives that live instances, packages and runs need. */
  readonly keep: readonly string[]
  /** What was used more recently stays: others may be about to use it. */
  readonly unusedMs: number
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface Swept {
  readonly blobs: number
  readonly layers: number
  readonly bytes: number
}

/** Unfinished transfers are worth keeping for a while: the next attempt resumes them. */
const unfinishedMs = 7 * 24 * 3_600_000

interface Round {
  readonly order: Sweep
  readonly folder: string
  readonly marks: Marks
}

/** Sweeps once. Problems: artifact.unwritable. */
export async function sweep(
  order: Sweep,
  { folder, content }: { readonly folder: string; readonly content: ContentStore },
): Promise<Swept> {
  const round: Round = { order, folder, marks: await mark(order.keep, content) }
  const blobs = await sweepBlobs(round)
  const stacks = await sweepCells(round, 'stacks')
  const layers = await sweepCells(round, 'layers')
  await sweepEntries(round)
  await sweepUnfinished(round)
  await sweepRenewals(
    folder,
    async (digest, path) => round.marks.blobs.has(digest) || !(await isOld(path, order.now, order.unusedMs)),
  )
  return { ...blobs, layers: layers + stacks }
}

async function sweepBlobs({
  order,
  folder,
  marks,
}: Round): Promise<{ readonly blobs: number; readonly bytes: number }> {
  const count = { blobs: 0, bytes: 0 }
  for (const algorithm of ['sha256', 'sha512']) {
    for (const hex of await list(join(folder, 'blobs', algorithm))) {
      const path = join(folder, 'blobs', algorithm, hex)
      const digest = `${algorithm}:${hex}`
      // What has another name was being written when a process died.
      const patience = isDigest(digest) ? order.unusedMs : unfinishedMs
      if (marks.blobs.has(digest) || !(await isOld(path, order.now, patience))) continue
      count.bytes += (await stat(path).catch(() => undefined))?.size ?? 0
      count.blobs++
      await rm(path, { force: true })
    }
  }
  return count
}

async function sweepCells({ order, folder, marks }: Round, room: 'layers' | 'stacks'): Promise<number> {
  let count = 0
  for (const name of await list(join(folder, room))) {
    const path = join(folder, room, name)
    if (name.includes('.')) {
      if (isIdle(name) && (await isOld(path, order.now, order.unusedMs)))
        await rm(path, { recursive: true, force: true })
    } else if (!marks[room].has(name) && (await isOld(join(path, 'cell.json'), order.now, order.unusedMs))) {
      count++
      await dropCell(path)
    }
  }
  return count
}

/** Made again from their archives when they are needed again. */
async function sweepEntries({ order, folder }: Round): Promise<void> {
  for (const name of await list(join(folder, entryContext))) {
    const path = join(folder, entryContext, name)
    const patience = name.includes('.') ? unfinishedMs : order.unusedMs
    if (await isOld(path, order.now, patience)) await rm(path, { force: true })
  }
}

async function sweepUnfinished({ order, folder }: Round): Promise<void> {
  for (const room of ['partial', 'scratch']) {
    for (const name of await list(join(folder, room))) {
      const path = join(folder, room, name)
      if (isIdle(name) && (await isOld(path, order.now, unfinishedMs)))
        await rm(path, { recursive: true, force: true })
    }
  }
}

async function isOld(path: string, now: number, ms: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && now - found.mtimeMs > ms
}

interface Marks {
  readonly blobs: Set<string>
  /** Names of cells. */
  readonly layers: Set<string>
  readonly stacks: Set<string>
}

/** Everything that the kept digests lead to, as far as it is here. */
async function mark(keep: readonly string[], content: ContentStore): Promise<Marks> {
  const marks: Marks = { blobs: new Set(), layers: new Set(), stacks: new Set() }
  const queue = keep.filter(isDigest)
  for (let digest = queue.pop(); digest !== undefined; digest = queue.pop()) {
    if (marks.blobs.has(digest)) continue
    marks.blobs.add(digest)
    const document = await readJson(digest, content)
    if (document === undefined) continue
    markLayers(document, marks)
    try {
      const bytes = Buffer.from(JSON.stringify(document))
      queue.push(...(await namedBy(parseManifest(bytes, undefined, digest), content)))
    } catch {
      // A configuration or a document of a package: it names nothing more.
    }
  }
  return marks
}

async function namedBy(manifest: Manifest, { folder }: ContentStore): Promise<readonly string[]> {
  if (manifest.kind !== 'schema-1') return childrenOf(manifest).map(({ digest }) => digest)
  const renewal = await findRenewal(folder, manifest.digest)
  return renewal === undefined ? manifest.layers : [...manifest.layers, renewal]
}

/** Of a configuration its layers, and the stacks made of them. */
function markLayers(document: Readonly<Record<string, unknown>>, { layers, stacks }: Marks): void {
  const rootfs = document['rootfs']
  const ids = isObject(rootfs) && Array.isArray(rootfs['diff_ids']) ? rootfs['diff_ids'].filter(isDigest) : []
  for (const id of ids) layers.add(cellName(id))
  if (ids.length === 0) return
  stacks.add(chainName(ids, 'overlay'))
  stacks.add(chainName(ids, 'flat'))
}

async function readJson(
  digest: string,
  content: ContentStore,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const size = (await stat(content.pathOf(digest)).catch(() => undefined))?.size ?? 0
  // Layers and paks are no documents; reading them here would only take time.
  if (size === 0 || size > 4 * 1024 * 1024) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(await content.document(digest)))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

async function list(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => [])
}
