/** The key ring: the keys that open what is sealed, one of them active for sealing. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Chance } from '../kit/clock.ts'
import { sha256 } from '../kit/hash.ts'
import { fail } from '../model/problem.ts'
import { changeKeyFile, type KeyEntry, keyBytes, makeKeyFile, readKeyFile } from './key-file.ts'

export interface KeyRing {
  /** The id new records are sealed with. */
  active(): string
  /** A key by its id; where it is not known, a ring that only gained keys since is taken over first. */
  find(id: string): KeyObject | undefined
  ids(): readonly string[]
  /** Makes the ring where there is none. Called while the database that it is for is locked, and empty. */
  make(): void
  /** The ring as it is kept now; it is used only when it is taken over. Problems: key.missing, key.exposed. */
  fresh(): FreshRing
}

/** A ring as it is kept, to be tried before it is used. */
export interface FreshRing {
  readonly ring: Pick<KeyRing, 'active' | 'find' | 'ids'>
  /** Whether it is another one than that in use. */
  readonly differs: boolean
  takeOver(): void
}

/** Opens the ring of a file, which may not be there yet. Problems: key.missing, key.exposed. */
export function openKeyRing(file: string, chance: Chance): KeyRing {
  const read = () => readKeyFile(file)
  let entries = read() ?? []
  const must = (): readonly KeyEntry[] => read() ?? fail('key.missing', `${file} is not there`)
  return {
    ...lookingAt(() => entries, file),
    find: (id) => {
      const known = keyIn(entries, id)
      if (known) return known
      const kept = read()
      if (kept !== undefined && holdsAll(kept, entries)) entries = kept
      return keyIn(entries, id)
    },
    make: () => {
      makeKeyFile(file, [newEntry(chance, 'active')])
      entries = must()
    },
    fresh: () => {
      const kept = must()
      return {
        ring: lookingAt(() => kept, file),
        differs: !isSame(kept, entries),
        takeOver: () => {
          entries = kept
        },
      }
    },
  }
}

/**
 * Adds a key that only opens, so that every process of a cluster can learn it before one seals with it. A `seed` that was
 * used before names the key that was added then.
 */
export function addKey(file: string, chance: Chance, seed?: string): string {
  const fresh = newEntry(chance, 'decrypt-only')
  const added = seed === undefined ? fresh : { ...fresh, id: `k${sha256(seed).slice(0, 10)}` }
  changeKeyFile(file, (entries) =>
    entries.some(({ id }) => id === added.id) ? entries : [added, ...entries],
  )
  return added.id
}

/** Makes a key of the ring the one that seals; the others go on opening what they sealed. Problems: key.unknown. */
export function activateKey(file: string, id: string): void {
  changeKeyFile(file, (entries) => {
    entryOf(entries, id)
    return entries.map(
      (entry): KeyEntry => ({ ...entry, state: entry.id === id ? 'active' : 'decrypt-only' }),
    )
  })
}

/** Removes a key that is not active. Problems: key.unknown, key.in-use. */
export function removeKey(file: string, id: string): void {
  changeKeyFile(file, (entries) => {
    if (entryOf(entries, id).state === 'active') fail('key.in-use', `${id} is the active key`)
    return entries.filter((entry) => entry.id !== id)
  })
}

function entryOf(entries: readonly KeyEntry[], id: string): KeyEntry {
  return entries.find((entry) => entry.id === id) ?? fail('key.unknown', id)
}

function lookingAt(entries: () => readonly KeyEntry[], where: string): FreshRing['ring'] {
  return {
    active: () =>
      entries().find(({ state }) => state === 'active')?.id ?? fail('key.missing', `${where} is not there`),
    find: (id) => keyIn(entries(), id),
    ids: () => entries().map(({ id }) => id),
  }
}

function keyIn(entries: readonly KeyEntry[], id: string): KeyObject | undefined {
  return entries.find((entry) => entry.id === id)?.key
}

/** A ring that has every key of another, to the last bit, belongs to whatever the other belongs to. */
function holdsAll(entries: readonly KeyEntry[], others: readonly KeyEntry[]): boolean {
  return others.length > 0 && others.every(({ id, key }) => keyIn(entries, id)?.equals(key))
}

function isSame(some: readonly KeyEntry[], others: readonly KeyEntry[]): boolean {
  const activeOf = (entries: readonly KeyEntry[]) => entries.find(({ state }) => state === 'active')?.id
  return holdsAll(some, others) && holdsAll(others, some) && activeOf(some) === activeOf(others)
}

function newEntry(chance: Chance, state: KeyEntry['state']): KeyEntry {
  return {
    id: `k${Buffer.from(chance.bytes(5)).toString('hex')}`,
    key: createSecretKey(chance.bytes(keyBytes)),
    state,
  }
}
