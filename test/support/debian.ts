/** Programs of Debian packages that tests start: installed by apt when we are root, else said to be missing. */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The package that brings a program, where their names differ. */
const packages: Readonly<Record<string, string>> = {
  htpasswd: 'apache2-utils',
  mknod: 'coreutils',
  newuidmap: 'uidmap',
  postgres: 'postgresql',
  bwrap: 'bubblewrap',
  busybox: 'busybox-static',
  dockerd: 'docker.io',
  ip: 'iproute2',
  kubectl: 'kubernetes-client',
  pgrep: 'procps',
  pkill: 'procps',
  unshare: 'util-linux',
  nsenter: 'util-linux',
}

/** Folders that hold programs though they are in no PATH. */
const moreFolders = [
  '/usr/sbin',
  '/sbin',
  '/usr/lib/postgresql/15/bin',
  '/usr/lib/postgresql/16/bin',
  '/usr/lib/postgresql/17/bin',
]

/** The path of a program that is there already. */
export function findProgram(name: string): string | undefined {
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), ...moreFolders]) {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return join(folder, name)
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

/**
 * Makes sure of programs, installing their Debian packages if need be and possible.
 * Answers why not when they cannot be had, for `test.skipIf(missing !== undefined)` beside a line that says so.
 */
export function ensurePrograms(...names: readonly string[]): string | undefined {
  const absent = (): readonly string[] => names.filter((name) => findProgram(name) === undefined)
  if (absent().length === 0) return undefined
  const why = install(absent().map((name) => packages[name] ?? name))
  const missing = absent()
  if (missing.length === 0) return undefined
  const sentence = `${missing.join(', ')} missing: ${why ?? 'the Debian package did not bring it'}`
  console.log(`skipped: ${sentence}`)
  return sentence
}

function install(wanted: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return `run as root: apt-get install ${wanted.join(' ')}`
  if (findProgram('apt-get') === undefined) return `this is no Debian; install ${wanted.join(' ')}`
  return locked(() => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const apt = (...args: readonly string[]): boolean =>
      spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
        env,
        stdio: 'ignore',
        timeout: 600_000,
      }).status === 0
    const get = (): boolean => apt('install', '-y', '--no-install-recommends', ...wanted)
    return get() || (apt('update') && get()) ? undefined : `apt-get could not install ${wanted.join(' ')}`
  })
}

/** Two test files must not run apt at once; the folder is the lock. */
function locked<T>(work: () => T): T {
  const lock = '/tmp/chandler-apt.lock'
  const patience = 1200
  for (let i = 0; i < patience; i++) {
    try {
      mkdirSync(lock)
      break
    } catch {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    }
  }
  try {
    return work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}
