/** The file of a key ring: private, made once and never replaced, changed by one process at a time. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isObject } from '../kit/json.ts'
import { fail, ProblemError } from '../model/problem.ts'
import { lockFile } from './sqlite/lock-file.ts'

/** One key of a ring. */
export interface KeyEntry {
  readonly id: string
  readonly key: KeyObject
  readonly state: 'active' | 'decrypt-only'
}

export const keyBytes = 32

/** How long a change waits for another process that changes the same ring. */
const lockMs = 5000

/** The keys of a file; undefined where there is no file. Problems: key.missing, key.exposed. */
export function readKeyFile(file: string): readonly KeyEntry[] | undefined {
  const content = readPrivately(file)
  return content === undefined ? undefined : entriesOf(file, content)
}

/** Makes the file with these keys, unless there is one: that one stays as it is. Problems: file.unwritable. */
export function makeKeyFile(file: string, entries: readonly KeyEntry[]): void {
  // One that was handed over may lie where nothing can be written, not even the lock.
  if (existsSync(file)) return
  alone(file, () => {
    const unnamed = writeBeside(file, entries)
    try {
      // Unlike a rename, a link never replaces what is there.
      linkSync(unnamed, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(unnamed)
    }
    flushFolder(file)
  })
}

/** Puts other keys into the file, whole or not at all. Problems: key.missing, key.exposed, file.unwritable. */
export function changeKeyFile(
  file: string,
  change: (entries: readonly KeyEntry[]) => readonly KeyEntry[],
): void {
  if (!existsSync(file)) fail('key.missing', `${file} is not there`)
  // A link to the ring goes on leading to it.
  const target = realpathSync(file)
  alone(target, () => {
    const next = change(readKeyFile(target) ?? fail('key.missing', `${file} is not there`))
    renameSync(writeBeside(target, next), target)
    flushFolder(target)
  })
}

/** Every id once, every key of its length, exactly one of them active. */
function entriesOf(file: string, content: string): readonly KeyEntry[] {
  const document = parse(file, content)
  const list = isObject(document) && Array.isArray(document['keys']) ? document['keys'] : []
  const entries = list.map((item: unknown): KeyEntry => {
    if (!isObject(item) || typeof item['id'] !== 'string' || typeof item['key'] !== 'string')
      return fail('key.missing', `${file} is not a key ring`)
    const bytes = Buffer.from(item['key'], 'base64')
    if (bytes.length !== keyBytes)
      fail('key.missing', `key ${item['id']} of ${file} is not ${keyBytes} bytes long`)
    const state = item['state'] === 'active' ? 'active' : 'decrypt-only'
    return { id: item['id'], key: createSecretKey(bytes), state }
  })
  if (new Set(entries.map(({ id }) => id)).size < entries.length)
    fail('key.missing', `${file} has two keys of one id`)
  if (entries.filter(({ state }) => state === 'active').length !== 1)
    fail('key.missing', `${file} has not exactly one active key`)
  return entries
}

function parse(file: string, content: string): unknown {
  try {
    return JSON.parse(content)
  } catch (cause) {
    return fail('key.missing', `${file} cannot be read as a key ring`, { cause })
  }
}

/** Looks at the permissions of the file that is read, not of one that may have taken its name since. */
function readPrivately(file: string): string | undefined {
  let handle: number | undefined
  try {
    handle = openSync(file, 'r')
    refuseOpen(file, fstatSync(handle))
    return readFileSync(handle, 'utf8')
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return fail('key.missing', `${file} cannot be read`, { cause })
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

interface Owned {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** Root may read everything anyway, so a file of root is as private as one of our own. */
function refuseOpen(file: string, owned: Owned): void {
  const { mode, uid } = owned
  const own = process.geteuid?.()
  const handedOver = own !== undefined && own !== 0 && uid === 0 && isOwnGroup(owned.gid)
  const others = mode & (handedOver ? 0o037 : 0o077)
  if (others !== 0) {
    const is = (mode & 0o777).toString(8).padStart(4, '0')
    fail('key.exposed', `${file} has mode ${is}`, { hint: `chmod ${handedOver ? 440 : 600} ${file}` })
  }
  if (own !== undefined && uid !== own && uid !== 0) {
    const hint = `chown ${own} ${file}`
    fail('key.exposed', `${file} belongs to user ${uid}, the broker runs as ${own}`, { hint })
  }
}

/**
 * Root hands a file to a program of another user by that program's group: so the kubelet mounts a Secret for a pod with `fsGroup`
 * (root, the group, 0440), and there is no other way to hand one over that the program cannot change. Only root can have made
 * such a file, so a group that has more members than the broker was chosen by root. A file of the broker's own user needs no
 * group; what a group may write, it could exchange.
 */
function isOwnGroup(gid: number): boolean {
  return process.getegid?.() === gid || process.getgroups?.().includes(gid) === true
}

/** Writes the keys under a name that is not looked for, and waits until the disk has them; answers the name. */
function writeBeside(file: string, entries: readonly KeyEntry[]): string {
  const keys = entries.map(({ id, key, state }) => ({ id, state, key: key.export().toString('base64') }))
  const beside = join(dirname(file), `.${basename(file)}.next`)
  // Only the holder of the lock comes here: what lies there is of a process that died.
  rmSync(beside, { force: true })
  const handle = openSync(beside, 'wx', 0o600)
  try {
    writeSync(handle, `${JSON.stringify({ version: 1, keys }, undefined, 2)}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return beside
}

/** A name is on the disk only when its folder is. */
function flushFolder(file: string): void {
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Two processes that change a ring at the same time would each lose what the other added. */
function alone(file: string, work: () => void): void {
  let unlock: (() => void) | undefined
  try {
    unlock = lockFile(file, lockMs)
    work()
  } catch (cause) {
    if (cause instanceof ProblemError && cause.problem.code !== 'store.unavailable') throw cause
    fail('file.unwritable', file, { cause })
  } finally {
    unlock?.()
  }
}
