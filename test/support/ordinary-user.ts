/** Starts programs as an ordinary user: tests that run as root start them as `nobody`, other tests as their own user. */
import { execFileSync, type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { asNobody, nobodyId } from '../engines/as-nobody.ts'
import { ensurePrograms } from './debian.ts'

const isRoot = process.getuid?.() === 0
/** Goes before the words of a program. */
export const ordinary: readonly [program: string, ...words: string[]] = isRoot
  ? ['setpriv', ...asNobody]
  : ['env']

/** Runs a program to its end. */
export function runAsOrdinary(words: readonly string[], options: SpawnSyncOptions = {}) {
  const [program, ...before] = ordinary
  return spawnSync(program, [...before, ...words], { ...options, encoding: 'utf8' })
}

/** Makes a folder, with all in it, one of the ordinary user. */
export function handOver(folder: string): void {
  if (isRoot) execFileSync('chown', ['-R', `${nobodyId}:${nobodyId}`, folder])
}

/** Why an ordinary user can run no packages on the embedded engine here. */
export function whyOrdinaryCannot(): string | undefined {
  const missing = ensurePrograms('busybox', 'setpriv', 'unshare')
  if (missing !== undefined) return missing
  const { status } = runAsOrdinary(['unshare', '--user', '--map-root-user', 'true'])
  return status === 0 ? undefined : 'an ordinary user may make no user namespaces here'
}
