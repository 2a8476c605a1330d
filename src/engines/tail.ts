/** Reads the log of a run as it grows, each stream from where the listener left it. */
import { constants, existsSync, fstatSync } from 'node:fs'
import { type FileHandle, open, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessAbsent } from './absent.ts'
import type { Watch } from './engine.ts'
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
  /** Beyond this the file is emptied now and then, so that it cannot fill the disk. */
  readonly bytesMax: number
}

const pieceBytes = 256 * 1024
/** Seldom, for what is written between the last read and the emptying is lost. */
const emptiedBytes = 64 * 1024 * 1024

interface Cursor {
  readonly stream: 'stdout' | 'stderr'
  readonly file: string
  /** Also read by somebody else, so it must stay whole. */
  readonly whole: boolean
  offset: number
  handle: FileHandle | undefined
}

/** Opens the log; each stream of each step goes on where the listener's knowledge of it ends. */
export function openTail({ folder, files, watch, bytesMax }: TailOptions): Tail {
  let at = 0
  let cursors: readonly Cursor[] | undefined
  let given = files.reduce(
    (sum, { step, logs }) => logs.reduce((more, { stream }) => more + watch.had(step, stream), sum),
    0,
  )

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
    cursor.handle ??= await openAt(cursor)
    if (cursor.handle === undefined || isAtEnd(cursor.handle, cursor)) return false
    const buffer = Buffer.allocUnsafe(pieceBytes)
    const { bytesRead } = await cursor.handle.read(buffer, 0, buffer.length, cursor.offset)
    if (bytesRead === 0) return false
    cursor.offset += bytesRead
    given += bytesRead
    await watch.log({ stream: cursor.stream, step, bytes: buffer.subarray(0, bytesRead) })
    if (bytesRead === buffer.length) return true
    if (given > bytesMax && cursor.offset > emptiedBytes && !cursor.whole) {
      await truncate(cursor.file, 0)
      cursor.offset = 0
    }
    return false
  }

  return { drain, close: () => closeAll(cursors ?? []) }
}

/** Asked at every change of anything: a thread would cost more than the look. */
function isAtEnd({ fd }: FileHandle, { offset }: Cursor): boolean {
  return fstatSync(fd).size === offset
}

/** A file that is shorter than what was had of it has been emptied since. */
async function openAt(cursor: Cursor): Promise<FileHandle | undefined> {
  const handle = await open(cursor.file, constants.O_RDONLY | constants.O_NOFOLLOW).catch(unlessAbsent)
  if (handle && (await handle.stat()).size < cursor.offset) cursor.offset = 0
  return handle
}

function cursorsOf({ step, logs, captured }: StepFiles, watch: Pick<Watch, 'had'>): readonly Cursor[] {
  return logs.map(({ stream, file }) => ({
    stream,
    file,
    whole: captured?.file === file,
    offset: watch.had(step, stream),
    handle: undefined,
  }))
}

async function closeAll(cursors: readonly Cursor[]): Promise<void> {
  for (const { handle } of cursors) await handle?.close()
}

/** The last bytes of some files, for a report. */
export async function lastLines(files: readonly string[], bytes: number): Promise<string> {
  const parts = await Promise.all(files.map((file) => lastBytes(file, bytes)))
  return Buffer.concat(parts).toString()
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
