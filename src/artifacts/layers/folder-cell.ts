/** Folders that take long to make: made aside, renamed into place, trusted after a power loss only when flushed. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unwritable, writeDurably } from '../content/durable.ts'

/**
 * A cell is a folder with what was made in it, `cell.json` with notes and the boot it was made in, and `flushed` once
 * the disk has it all: writing a layer and waiting for the disk each time would double the time to unpack.
 */
export interface CellMaker<Notes> {
  readonly path: string
  /** Fills an empty folder and answers the notes to keep with it. */
  make(folder: string): Promise<Notes>
}

const bootPath = '/proc/sys/kernel/random/boot_id'
const flushes = new Set<Promise<void>>()

/** The notes of a cell, made now unless it is there; of several makers the first wins. */
export async function openCell<Notes>({ path, make }: CellMaker<Notes>): Promise<Notes> {
  const there = await findCell<Notes>(path)
  if (there !== undefined) return there
  const aside = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  try {
    await mkdir(aside, { recursive: true, mode: 0o755 })
    const notes = await make(aside)
    await writeFile(join(aside, 'cell.json'), JSON.stringify({ boot: await bootId(), notes }))
    const winner = await moveIn<Notes>(aside, path)
    if (winner !== undefined) return winner
    flushLater(path)
    return notes
  } catch (error) {
    throw unwritable(error, path)
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/** The notes of a cell that is there and can be trusted; using it renews its time. */
export async function findCell<Notes>(path: string): Promise<Notes | undefined> {
  const text = await readFile(join(path, 'cell.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const safe = await readFile(join(path, 'flushed')).catch(() => undefined)
  try {
    const cell = JSON.parse(text) as { boot: string; notes: Notes }
    if (safe === undefined && cell.boot !== (await bootId())) return undefined
    const now = new Date()
    await utimes(join(path, 'cell.json'), now, now).catch(() => undefined)
    return cell.notes
  } catch {
    return undefined
  }
}

/** Removes a cell: first from sight, then from the disk. */
export async function dropCell(path: string): Promise<void> {
  const aside = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw unwritable(error, path)
  }
  await rm(aside, { recursive: true, force: true })
}

/** Waits until all that is being flushed has reached the disk. */
export async function flushed(): Promise<void> {
  await Promise.all(flushes)
}

/** Renames a folder into place; answers the notes of another that came first. */
async function moveIn<Notes>(aside: string, path: string): Promise<Notes | undefined> {
  for (;;) {
    try {
      await rename(aside, path)
      return undefined
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    }
    const winner = await findCell<Notes>(path)
    if (winner !== undefined) return winner
    await dropCell(path)
  }
}

function flushLater(path: string): void {
  const flush = flushCell(path).finally(() => flushes.delete(flush))
  flushes.add(flush)
}

/** Node has no call for it; without the program the cell is made again after a reboot, no worse. */
async function flushCell(path: string): Promise<void> {
  const status = await new Promise<number | null>((resolve) => {
    const child = spawn('sync', ['-f', join(path, 'cell.json')], { stdio: 'ignore' })
    child.once('error', () => resolve(null))
    child.once('exit', resolve)
  })
  if (status === 0) await writeDurably(join(path, 'flushed'), '').catch(() => undefined)
}

async function bootId(): Promise<string> {
  return (await readFile(bootPath, 'utf8').catch(() => '')).trim()
}
