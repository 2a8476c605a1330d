/** The key ring: the keys that open what is sealed, one of them active for sealing. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Chance } from '../kit/clock.ts'
import { isObject } from '../kit/json.ts'
import { fail } from '../model/problem.ts'

export interface KeyRing {
  /** The id new records are sealed with. */
  active(): string
  /** A key by its id; asks again where the keys come from before it gives up. */
  find(id: string): KeyObject | undefined
  ids(): readonly string[]
  /** Looks whether keys have come or gone. */
  reload(): void
}

interface Entry {
  readonly id: string
  readonly key: KeyObject
  readonly state: 'active' | 'decrypt-only'
}

const keyBytes = 32

/** A ring that lives in memory only, with one key. */
export function makeKeyRing(chance: Chance): KeyRing {
  const entries = [newEntry(chance)]
  return ringOf(() => entries)
}

/** Opens the ring of a file; makes one with one key where there is none. Problems: key.missing. */
export function openKeyRing(file: string, chance: Chance): KeyRing {
  if (!existsSync(file)) writeEntries(file, [newEntry(chance)])
  return ringOf(() => readEntries(file))
}

/** Adds a key and makes it the active one; the others go on opening what they sealed. Answers its id. */
export function addKey(file: string, chance: Chance): string {
  const added = newEntry(chance)
  writeEntries(file, [
    added,
    ...readEntries(file).map((entry): Entry => ({ ...entry, state: 'decrypt-only' })),
  ])
  return added.id
}

/** Removes a key that is not active; the caller has made sure that nothing is sealed with it. */
export function removeKey(file: string, id: string): void {
  const entries = readEntries(file)
  const entry = entries.find((candidate) => candidate.id === id)
  if (entry === undefined) fail('key.missing', id)
  if (entry.state === 'active') fail('usage.invalid', `key ${id} is the active one`)
  writeEntries(
    file,
    entries.filter((candidate) => candidate.id !== id),
  )
}

function ringOf(read: () => readonly Entry[]): KeyRing {
  let entries = read()
  const lookUp = (id: string): KeyObject | undefined => entries.find((entry) => entry.id === id)?.key
  const reload = (): void => {
    entries = read()
  }
  return {
    active: () =>
      entries.find((entry) => entry.state === 'active')?.id ?? fail('key.missing', 'no active key'),
    find: (id) => {
      const known = lookUp(id)
      if (known) return known
      reload()
      return lookUp(id)
    },
    ids: () => entries.map((entry) => entry.id),
    reload,
  }
}

function newEntry(chance: Chance): Entry {
  return {
    id: `k${Buffer.from(chance.bytes(5)).toString('hex')}`,
    key: createSecretKey(chance.bytes(keyBytes)),
    state: 'active',
  }
}

function readEntries(file: string): readonly Entry[] {
  const document: unknown = parse(file)
  const list = isObject(document) && Array.isArray(document['keys']) ? document['keys'] : []
  const entries = list.map((item: unknown): Entry => {
    if (!isObject(item) || typeof item['id'] !== 'string' || typeof item['key'] !== 'string')
      return fail('key.missing', `${file} is not a key ring`)
    const key = createSecretKey(Buffer.from(item['key'], 'base64'))
    if (key.symmetricKeySize !== keyBytes)
      fail('key.missing', `key ${item['id']} of ${file} is not ${keyBytes} bytes long`)
    return { id: item['id'], key, state: item['state'] === 'active' ? 'active' : 'decrypt-only' }
  })
  if (entries.filter((entry) => entry.state === 'active').length !== 1)
    fail('key.missing', `${file} has not exactly one active key`)
  return entries
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    return fail('key.missing', `${file} cannot be read as a key ring`, { cause })
  }
}

/** Whole or not at all: a torn key ring would lose everything sealed. */
function writeEntries(file: string, entries: readonly Entry[]): void {
  const keys = entries.map(({ id, key, state }) => ({ id, state, key: key.export().toString('base64') }))
  const next = join(dirname(file), `.${entries[0]?.id ?? ''}.next`)
  const handle = openSync(next, 'wx', 0o600)
  writeSync(handle, `${JSON.stringify({ version: 1, keys }, undefined, 2)}\n`)
  fsyncSync(handle)
  closeSync(handle)
  renameSync(next, file)
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
