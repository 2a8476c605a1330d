/** A disk under the real store on SQLite: what was not flushed is lost with the power, or torn; it fills up, and it fails. */
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import workers from 'node:worker_threads'
import { openStore } from '../../src/store/index.ts'
import { openKeyRing } from '../../src/store/keys.ts'
import type { Store } from '../../src/store/store.ts'
import { chanceOf, type Random, type World } from './world.ts'

/** What dies: the process, and the system goes on writing what it was given; or the whole machine. */
export type Death = 'process' | 'power'

export interface Wall {
  /** How far the wall clock is from virtual time. */
  stepMs: number
}

export interface DiskModel {
  readonly keyFile: string
  /** The store as the disk has it after such a death. */
  reopen(death: Death): Promise<Store>
  /** Until then it answers at once: virtual time does not run yet. */
  begin(): void
  fillUp(ms: number): void
  /** How often a flush fails. */
  failsAt(rate: number): void
  close(): Promise<void>
}

interface Around {
  readonly world: World
  readonly random: Random
  readonly wall: Wall
  /** A flush has failed: the process that wrote must end. */
  lost(): void
}

/** The disk of the life that is being lived; calls of the store for files of others pass by. */
let current:
  | { flush(handle: FileHandle): Promise<void>; flushed(inode: number): void; isFull(): boolean }
  | undefined
let isInstalled = false

/** Makes an empty disk with a store on it. */
export async function makeDisk({ world, random, wall, lost }: Around): Promise<DiskModel> {
  await install()
  const root = fs.mkdtempSync('/dev/shm/chandler-simulation-')
  const flushedBytes = new Map<string, number>()
  const flushedInodes = new Set<number>()
  const handles = new Set<FileHandle>()
  let folder = newFolder(root, 0)
  let lives = 0
  let isOpening = true
  let hasBegun = false
  let fullUntil = 0
  let failing = 0
  let store: Store | undefined

  current = {
    async flush(handle) {
      handles.add(handle)
      const path = fs.readlinkSync(`/proc/self/fd/${handle.fd}`)
      const size = fs.fstatSync(handle.fd).size
      if (!isOpening) {
        await world.sleep(random.chance(0.3) ? random.between(0, 40) : 0)
        if (random.chance(failing))
          throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
      }
      flushedBytes.set(path, Math.max(size, flushedBytes.get(path) ?? 0))
    },
    flushed: (inode) => void flushedInodes.add(inode),
    isFull: () => !isOpening && fullUntil > world.now,
  }

  let boot = { name: 'boot 0', at: world.now - 60_000 }
  const uptime = () => ({ boot: boot.name, ms: world.now - boot.at })

  async function openHere(): Promise<Store> {
    isOpening = true
    try {
      const chance = chanceOf(random.fork(`store ${lives}`))
      const clock = {
        now: () => world.now + wall.stepMs,
        monotonic: () => world.now,
        sleep: world.sleep,
      }
      const keys = openKeyRing(join(folder, 'keys.json'), chance)
      const file = join(folder, 'chandler.db')
      const opened = await openStore({ url: `sqlite:${file}`, keys, clock, chance, lost, uptime })
      await opened.settled()
      return opened
    } finally {
      isOpening = !hasBegun
    }
  }

  return {
    get keyFile() {
      return join(folder, 'keys.json')
    },
    async reopen(death) {
      if (store !== undefined) {
        lives++
        const next = newFolder(root, lives)
        leaveTo(folder, next, death)
        if (death === 'power') boot = { name: `boot ${lives}`, at: world.now }
        folder = next
      }
      fullUntil = 0
      store = await openHere()
      return store
    },
    begin() {
      hasBegun = true
      isOpening = false
    },
    fillUp(ms) {
      fullUntil = world.now + ms
    },
    failsAt(rate) {
      failing = rate
    },
    async close() {
      current = undefined
      for (const handle of handles) await handle.close().catch(() => undefined)
      fs.rmSync(root, { recursive: true, force: true })
    },
  }

  /** What the next start finds. */
  function leaveTo(from: string, to: string, death: Death): void {
    const [database, log, ring] = ['chandler.db', 'chandler.db-wal', 'keys.json']
    fs.copyFileSync(join(from, database), join(to, database))
    const bytes = fs.readFileSync(join(from, log))
    const kept =
      death === 'process' ? bytes : afterPowerLoss(bytes, flushedBytes.get(join(from, log)) ?? 0, random)
    fs.writeFileSync(join(to, log), kept)
    flushedBytes.set(join(to, log), kept.length)
    const isWhole = death === 'process' || flushedInodes.has(fs.statSync(join(from, ring)).ino)
    fs.writeFileSync(join(to, ring), isWhole ? fs.readFileSync(join(from, ring)) : '', { mode: 0o600 })
    flushedInodes.add(fs.statSync(join(to, ring)).ino)
  }
}

/** Of what was not flushed any part may be there, and any sector of it may not. */
function afterPowerLoss(bytes: Buffer, flushed: number, random: Random): Buffer {
  const kept = Buffer.from(
    bytes.subarray(0, random.chance(0.5) ? flushed : random.between(flushed, bytes.length)),
  )
  const sectors = Math.floor((kept.length - flushed) / 512)
  for (let torn = random.between(0, Math.min(3, sectors)); torn > 0; torn--) {
    const at = flushed + random.between(0, sectors - 1) * 512
    kept.fill(0, at, Math.min(kept.length, at + 512))
  }
  return kept
}

function newFolder(root: string, life: number): string {
  const folder = join(root, String(life))
  fs.mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** In place of the thread that checkpoints: it says that it has done so. */
class IdleWorker extends EventEmitter {
  unref(): void {
    // It keeps no process alive.
  }
  postMessage(): void {
    queueMicrotask(() => this.emit('message', { kind: 'done', pages: 0 }))
  }
}

/** Puts this disk where the product flushes and commits. A thread that checkpoints would not keep to virtual time: none is started. */
async function install(): Promise<void> {
  if (isInstalled) return
  isInstalled = true
  const sample = await open(import.meta.filename, 'r')
  const handles = Object.getPrototypeOf(sample) as { datasync(): Promise<void> }
  await sample.close()
  handles.datasync = function (this: FileHandle) {
    return current?.flush(this) ?? Promise.resolve()
  }
  const flush = fs.fsyncSync
  fs.fsyncSync = (handle) => {
    flush(handle)
    current?.flushed(fs.fstatSync(handle).ino)
  }
  const execute = DatabaseSync.prototype.exec
  DatabaseSync.prototype.exec = function (this: DatabaseSync, command: string) {
    if (command === 'COMMIT' && current?.isFull())
      throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
    execute.call(this, command)
  }
  workers.Worker = IdleWorker as unknown as typeof workers.Worker
  syncBuiltinESMExports()
}
