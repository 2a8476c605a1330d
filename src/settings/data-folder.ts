/** What lies in the data folder of a broker, and where: database file and key ring. */
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../model/problem.ts'
import type { Settings } from './settings.ts'

/** The store's URL with its file in place. */
export function storeUrlOf({ store, dataDir }: Settings): string {
  if (store.url !== 'sqlite') return store.url
  makePrivate(dataDir)
  return `sqlite:${join(dataDir, 'chandler.db')}`
}

/** Where the key ring lies. Problems: settings.invalid, for PostgreSQL without a ring of its own. */
export function keyFileOf({ secrets, store, dataDir }: Settings): string {
  if (secrets.keyring === undefined && store.url.startsWith('postgres')) {
    fail('settings.invalid', 'secrets.keyring is required with PostgreSQL: every process needs the same keys')
  }
  return secrets.keyring ?? join(dataDir, 'keys.json')
}

/** Makes a folder for this user alone. Problems: file.unwritable. */
export function makePrivate(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : folder
    const hint = 'Make the folder one of the user that runs this, or name another one (dataDir, --data-dir).'
    fail('file.unwritable', detail, { cause, hint })
  }
}
