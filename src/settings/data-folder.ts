/** What lies in the data folder of a broker, and where: database file and key ring. */
import { join } from 'node:path'
import { fail } from '../model/problem.ts'
import type { Settings } from './settings.ts'

/** The store's URL with its file in place. */
export function storeUrlOf({ store, dataDir }: Settings): string {
  if (store.url !== 'sqlite') return store.url
  return `sqlite:${join(dataDir, 'chandler.db')}`
}

/** Where the key ring lies. Problems: settings.invalid, for PostgreSQL without a ring of its own. */
export function keyFileOf({ secrets, store, dataDir }: Settings): string {
  if (secrets.keyring === undefined && store.url.startsWith('postgres')) {
    fail('settings.invalid', 'secrets.keyring is required with PostgreSQL: every process needs the same keys')
  }
  return secrets.keyring ?? join(dataDir, 'keys.json')
}
