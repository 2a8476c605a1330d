/** A folder for one user alone, where databases and key rings lie. */
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fail } from '../model/problem.ts'

const mode = 0o700

/** Makes it, with those above it that are not there. Problems: file.unwritable. */
export function makePrivateFolder(folder: string): void {
  try {
    makeEach(folder)
    chmodSync(folder, mode)
  } catch (cause) {
    const detail = cause instanceof Error ? `${folder}: ${cause.message}` : folder
    const hint = 'Make the folder one of the user that runs this, or name another one (dataDir, --data-dir).'
    fail('file.unwritable', detail, { cause, hint })
  }
}

/** One after another: below /proc, where none can be made, a call that makes all of them never returns. */
function makeEach(folder: string): void {
  if (isFolder(folder)) return
  makeEach(dirname(folder))
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
