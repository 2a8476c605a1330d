/** Where a database file may lie: readable by its owner only, and on a disk whose locks and syncs hold. */
import { closeSync, openSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fail, ProblemError } from '../../model/problem.ts'

/** File systems of a network, by the numbers Linux gives them. */
const networked: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB2'],
  [0xff534d42, 'CIFS'],
])

/** Makes the file where there is none. Problems: store.unavailable, settings.invalid. */
export function preparePlace(path: string): void {
  try {
    refuseNetwork(dirname(path), statfsSync(dirname(path)).type)
    closeSync(openSync(path, 'a', 0o600))
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause
    fail('store.unavailable', `${path} cannot be opened`, { cause })
  }
}

/** Locks and syncs of such a file system do not hold what a database needs. */
export function refuseNetwork(folder: string, type: number): void {
  const name = networked.get(type)
  if (name !== undefined)
    fail('settings.invalid', `store.url: ${folder} lies on ${name}; use a local disk, or PostgreSQL`)
}
