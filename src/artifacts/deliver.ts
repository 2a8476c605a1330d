/** Puts what a job names by reference or digest where its engine wants it. */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Artifact } from '../model/artifact.ts'
import { fail } from '../model/problem.ts'
import { archiveFormat, type OpenArchive } from './archive/archive-artifact.ts'
import { packFolder } from './archive/pack-folder.ts'
import { fileBytes, unwritable } from './content/durable.ts'
import type { ArtifactContext } from './context.ts'
import { bringEntry, type EntryWish } from './entries.ts'
import type { OpenComponent } from './ocm/component-artifact.ts'
import { parseReference } from './reference.ts'
import { webFile } from './registry/web-file.ts'

export type Delivery =
  | {
      readonly kind: 'artifact'
      readonly reference: string
      readonly as: 'transport-archive' | 'folder' | 'blob'
    }
  /** A file of an archive that was kept. */
  | ({ readonly kind: 'entry' } & EntryWish)

export interface DeliveryContext {
  readonly rooms: ArtifactContext
  open(reference: string, signal: AbortSignal): Promise<Artifact | OpenArchive | OpenComponent>
  archive(digest: string): Promise<OpenArchive | undefined>
}

/** Writes it to a path where nothing lies yet. Problems: artifact.not-found, artifact.kind, archive.*, registry.*. */
export async function deliver(
  what: Delivery,
  to: string,
  room: DeliveryContext,
  signal: AbortSignal,
): Promise<void> {
  if (what.kind === 'entry') {
    const { archive, rooms } = room
    return await bringEntry(what, to, { folder: rooms.folder, archive }, signal)
  }
  if (what.as === 'folder') return await deliverFolder(what.reference, to, room, signal)
  const reference = parseReference(what.reference, room.rooms.options.registries)
  if (reference.kind === 'url') {
    return await write(
      to,
      { bytes: webFile(reference.url, room.rooms.options.registries, signal), mode: 0o644 },
      signal,
    )
  }
  if (reference.kind === 'kept-archive') {
    const { content } = room.rooms
    if (!(await content.has(reference.path)))
      return fail('artifact.not-found', `the archive ${reference.path}`)
    return await write(to, { bytes: fileBytes(content.pathOf(reference.path)), mode: 0o644 }, signal)
  }
  if (reference.kind !== 'path') {
    return fail('artifact.kind', 'an image is no file', { where: { source: what.reference } })
  }
  const isFolder = (await archiveFormat(reference.path)) === 'folder'
  const bytes = isFolder ? packFolder(reference.path, { mtime: 0 }) : fileBytes(reference.path)
  await write(to, { bytes, mode: 0o644 }, signal)
}

async function deliverFolder(
  reference: string,
  to: string,
  room: DeliveryContext,
  signal: AbortSignal,
): Promise<void> {
  const artifact = await room.open(reference, signal)
  if (!('extract' in artifact))
    return fail('artifact.kind', 'it is no archive', { where: { source: reference } })
  try {
    await artifact.extract({ folder: to })
  } finally {
    await artifact.close()
  }
}

async function write(
  to: string,
  { bytes, mode }: { readonly bytes: AsyncIterable<Uint8Array>; readonly mode: number },
  signal: AbortSignal,
): Promise<void> {
  try {
    await pipeline(bytes, createWriteStream(to, { flags: 'wx', mode }), { signal })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(to, { force: true })
    if (signal.aborted) fail('artifact.stopped')
    throw unwritable(error, to)
  }
}
