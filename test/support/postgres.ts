/** A real PostgreSQL server for tests: its own folder, its own loopback port, gone with the process that asked for it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

export interface PostgresServer {
  /** URL of the maintenance database. */
  readonly url: string
  /** Makes an empty database and answers its URL. */
  database(): Promise<string>
  /** Ends the server as a crash would, without a checkpoint. */
  crash(): Promise<void>
  /** Starts it again on the same folder and port. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** The folder of the server's programs, or why there is none; installs the Debian package when it may. */
export function findPostgres(): { readonly bin: string } | { readonly missing: string } {
  const found = programs()
  if (found !== undefined) return { bin: found }
  if (process.getuid?.() !== 0)
    return { missing: 'PostgreSQL is not installed, and only root could install it' }
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 300_000 }
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'postgresql'], options)
  const installed = programs()
  return installed === undefined
    ? { missing: 'PostgreSQL is not installed, and apt-get could not install it' }
    : { bin: installed }
}

/**
 * Makes a cluster of databases and starts its server. In tests only processes die, never the machine: what the kernel
 * has is safe, unless a commit shall be as dear as it is in production.
 */
export async function startPostgres({ durable = false } = {}): Promise<PostgresServer> {
  const place = findPostgres()
  if ('missing' in place) throw new Error(place.missing)
  const folder = mkdtempSync(join(tmpdir(), 'chandler-pg-'))
  const data = join(folder, 'data')
  // The server refuses to run as root.
  const user = process.getuid?.() === 0 ? unprivileged() : undefined
  if (user !== undefined) spawnSync('chown', [`${user.uid}:${user.gid}`, folder])
  const initialised = spawnSync(
    join(place.bin, 'initdb'),
    ['-D', data, '-U', 'chandler', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, encoding: 'utf8', env: { PATH: process.env['PATH'] } },
  )
  if (initialised.status !== 0) throw new Error(`initdb: ${initialised.stderr}`)
  const port = await freePort()
  const url = (name: string): string => `postgres://chandler@127.0.0.1:${port}/${name}`
  let server: ChildProcess | undefined
  let made = 0

  const start = async (): Promise<void> => {
    const settings = [
      'max_connections=200',
      'shared_buffers=64MB',
      'unix_socket_directories=',
      `fsync=${durable ? 'on' : 'off'}`,
      'deadlock_timeout=50ms',
    ]
    server = spawn(
      'sh',
      [
        '-c',
        keeper,
        folder,
        join(place.bin, 'postgres'),
        '-D',
        data,
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
      ].concat(settings.flatMap((setting) => ['-c', setting])),
      { ...user, stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: process.env['PATH'] } },
    )
    await answers(url('postgres'))
  }
  const end = async (command: string): Promise<void> => {
    const running = server
    server = undefined
    if (running === undefined || running.exitCode !== null) return
    const gone = new Promise((resolve) => running.once('exit', resolve))
    running.stdin?.end(command)
    await gone
  }
  await start()
  return {
    url: url('postgres'),
    database: async () => {
      const name = `test_${process.pid}_${++made}`
      await once(url('postgres'), `CREATE DATABASE ${name}`)
      return url(name)
    },
    crash: () => end('crash\n'),
    start,
    stop: () => end('stop\n'),
  }
}

let shared: Promise<PostgresServer> | undefined

/** One server for all test files of this thread; it ends with the thread. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres()
  return shared
}

/** Every user but the test's own must know the password. */
export async function askForPasswords({ url }: PostgresServer): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ hba_file: string }>('SHOW hba_file')
  const lines = ['host all chandler 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256', '']
  writeFileSync(rows[0]?.hba_file ?? '', lines.join('\n'))
  await client.query('SELECT pg_reload_conf()')
  await client.end()
}

/**
 * Keeps the server only as long as a process holds the other end of its standard input, however that process dies.
 * QUIT is the server's immediate shutdown: no checkpoint, recovery at the next start.
 */
const keeper = `"$@" >/dev/null 2>&1 &
read -r order
kill -QUIT $! 2>/dev/null
wait $!
[ "$order" = crash ] || rm -rf "$0"`

function programs(): string | undefined {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const folders = [
    ...versions
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => `/usr/lib/postgresql/${version}/bin`),
    ...(process.env['PATH'] ?? '').split(':'),
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

function unprivileged(): { readonly uid: number; readonly gid: number } {
  const ask = (flag: string, name: string): number =>
    Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim() || Number.NaN)
  const known = ['postgres', 'nobody'].find((name) => ask('-u', name) > 0) ?? 'nobody'
  return { uid: ask('-u', known), gid: ask('-g', known) }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await once(url, 'SELECT 1')
    } catch (error) {
      if (tries > 200) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

async function once(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await client.query(statement)
  } finally {
    await client.end()
  }
}
