/** Reads the log of a run as it grows, each stream from where the listener left it. */
import { constants, existsSync, fstatSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessAbsent } from './absent.ts'
import type { Watch } from './engine.ts'
import { fileAfter, type SpoolFile, spoolFiles } from './spool.ts'
import type { StepFiles } from './step-files.ts'

export interface Tail {
  /** Hands over what is new. */
  drain(): Promise<void>
  close(): Promise<void>
}

export interface TailOptions {
  /** Where the steps leave the marks of their beginning. */
  readonly folder: string
  readonly files: readonly StepFiles[]
  readonly watch: Pick<Watch, 'had' | 'log'>
}

const pieceBytes = 256 * 1024

interface Cursor {
  readonly stream: 'stdout' | 'stderr'
  readonly name: string
  /** Position in the stream. */
  position: number
  reading: Reading | undefined
  /** What was read to its end; it stays until the next one was, since what the listener took last may not be kept yet. */
  read: SpoolFile | undefined
}

interface Reading {
  readonly file: SpoolFile
  readonly handle: FileHandle
}

/** Opens the log; each stream of each step goes on where the listener's knowledge of it ends. */
export function openTail({ folder, files, watch }: TailOptions): Tail {
  let at = 0
  let cursors: readonly Cursor[] | undefined

  async function drain(): Promise<void> {
    for (let step = files[at]; step !== undefined; step = files[at]) {
      // Asked before reading: when the next one has begun, this one writes no more.
      const isOver = existsSync(join(folder, `began.${at + 1}`))
      cursors ??= cursorsOf(step, watch)
      for (let more = true; more; ) {
        more = false
        for (const cursor of cursors) more = (await hand(step, cursor)) || more
      }
      if (!isOver) return
      await closeAll(cursors)
      cursors = undefined
      at++
    }
  }

  /** Answers whether there may be more. */
  async function hand({ step }: StepFiles, cursor: Cursor): Promise<boolean> {
    cursor.reading ??= await openFirst(cursor)
    if (cursor.reading === undefined) return false
    const { file, handle } = cursor.reading
    if (isAtEnd(cursor.reading, cursor.position)) return await goOn(cursor)
    const buffer = Buffer.allocUnsafe(pieceBytes)
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, cursor.position - file.start)
    if (bytesRead === 0) return false
    cursor.position += bytesRead
    await watch.log({ stream: cursor.stream, step, bytes: buffer.subarray(0, bytesRead) })
    return true
  }

  return { drain, close: () => closeAll(cursors ?? []) }
}

/** Asked at every change of anything: a thread would cost more than the look. */
function isAtEnd({ file, handle }: Reading, position: number): boolean {
  return fstatSync(handle.fd).size <= position - file.start
}

/** Where the listener stands; what it has missed is gone when others have read it before. */
async function openFirst(cursor: Cursor): Promise<Reading | undefined> {
  const files = await spoolFiles(cursor.name)
  const file = files.findLast(({ start }) => start <= cursor.position) ?? files[0]
  if (file === undefined) return undefined
  cursor.position = Math.max(cursor.position, file.start)
  return await openFile(file)
}

/** Goes on with the next file of the row; the one that is no longer needed makes room for more. */
async function goOn(cursor: Cursor): Promise<boolean> {
  const { reading, position } = cursor
  // What follows an empty file would have its name.
  if (reading?.file.start === position) return false
  const next = await openFile(fileAfter(cursor.name, position))
  if (reading === undefined || next === undefined) return false
  await reading.handle.close()
  if (cursor.read !== undefined) await rm(cursor.read.path, { force: true })
  cursor.read = reading.file
  cursor.reading = next
  return true
}

async function openFile(file: SpoolFile): Promise<Reading | undefined> {
  const handle = await open(file.path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(unlessAbsent)
  return handle && { file, handle }
}

function cursorsOf({ step, logs }: StepFiles, watch: Pick<Watch, 'had'>): readonly Cursor[] {
  return logs.map(({ stream, file }) => ({
    stream,
    name: file,
    position: watch.had(step, stream),
    reading: undefined,
    read: undefined,
  }))
}

async function closeAll(cursors: readonly Cursor[]): Promise<void> {
  for (const { reading } of cursors) await reading?.handle.close()
}

/** The last bytes of some streams, for a report. */
export async function lastLines(streams: readonly string[], bytes: number): Promise<string> {
  const parts = await Promise.all(streams.map((stream) => lastOfStream(stream, bytes)))
  return Buffer.concat(parts).toString()
}

async function lastOfStream(stream: string, bytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let left = bytes
  for (const { path } of (await spoolFiles(stream)).toReversed()) {
    const part = await lastBytes(path, left)
    parts.unshift(part)
    left -= part.length
    if (left <= 0) break
  }
  return Buffer.concat(parts)
}

async function lastBytes(file: string, bytes: number): Promise<Uint8Array> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch(unlessAbsent)
  if (handle === undefined) return new Uint8Array()
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(Math.min(size, bytes))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
