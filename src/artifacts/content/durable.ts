/** Files that are there whole or not at all: written aside, flushed, then renamed. */
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { constants, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fail, ProblemError } from '../../model/problem.ts'

/** Writes a whole file so that a crash leaves the old one or the new one. Problems: artifact.unwritable. */
export async function writeDurably(path: string, bytes: Uint8Array | string): Promise<void> {
  const aside = asideOf(path)
  try {
    const handle = await open(aside, 'wx', 0o644)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(aside, path)
    await flushFolder(dirname(path))
  } catch (cause) {
    await rm(aside, { force: true })
    throw unwritable(cause, path)
  }
}

/** The same for bytes that come piece by piece. Problems: artifact.unwritable, those of the bytes. */
export async function streamDurably(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const aside = asideOf(path)
  try {
    await pipeline(bytes, createWriteStream(aside, { mode: 0o644 }))
    const handle = await open(aside, 'r+')
    await handle.sync().finally(() => handle.close())
    await rename(aside, path)
    await flushFolder(dirname(path))
  } catch (error) {
    await rm(aside, { force: true })
    throw unwritable(error, path)
  }
}

/** A name next to a file that no other process uses. */
export function asideOf(path: string): string {
  return `${path}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`
}

/** Whether a file has such a name. */
export function isAside(name: string): boolean {
  return /\.\d+-[0-9a-f]{12}\.tmp$/.test(name)
}

/** Makes renames inside a folder survive a power loss. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Opens a file for reading that must be a regular one: a pipe or device put in its place must not hang us. */
export async function openRegular(path: string | Buffer): Promise<FileHandle | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    return fail('file.unreadable', code, { where: { source: String(path) }, cause })
  }
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  return fail('file.unreadable', 'it is not a regular file', { where: { source: String(path) } })
}

/** A whole file up to a size; undefined when it is not there. Problems: file.unreadable, artifact.too-large. */
export async function readBounded(path: string, bytesMax: number): Promise<Uint8Array | undefined> {
  const handle = await openRegular(path)
  if (handle === undefined) return undefined
  try {
    if ((await handle.stat()).size > bytesMax) {
      return fail('artifact.too-large', `more than ${bytesMax} bytes`, { where: { source: path } })
    }
    return new Uint8Array(await handle.readFile())
  } finally {
    await handle.close()
  }
}

/** The bytes of a regular file as a stream. Problems: artifact.not-found, file.unreadable. */
export async function* fileBytes(path: string): AsyncIterable<Uint8Array> {
  const handle = await openRegular(path)
  if (handle === undefined) return fail('artifact.not-found', undefined, { where: { source: path } })
  yield* handle.createReadStream({ highWaterMark: 1024 * 1024 })
}

/** Makes folders with a mode of their own. Problems: artifact.unwritable. */
export async function makeFolder(path: string, mode = 0o755): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode })
  } catch (cause) {
    throw unwritable(cause, path)
  }
}

/** A failed write as a problem; problems stay what they are. */
export function unwritable(cause: unknown, path: string): ProblemError {
  if (cause instanceof ProblemError) return cause
  const { code } = cause as NodeJS.ErrnoException
  // Only the operating system's refusals have a code like ENOSPC; anything else came from the source.
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) {
    return new ProblemError({ code: 'internal.unexpected', cause })
  }
  return new ProblemError({ code: 'artifact.unwritable', detail: code, where: { source: path }, cause })
}
