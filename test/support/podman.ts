/** A Podman or Docker engine of the tests' own: private storage, private socket, ended with the tests. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as later } from 'node:timers/promises'
import { findProgram } from './debian.ts'

export interface TestEngine {
  readonly socket: string
  readonly environment: Readonly<Record<string, string>>
  /** Arguments that lead its own command line to the same storage. */
  readonly arguments: readonly string[]
  stop(): Promise<void>
}

/** Limits that need no further rights than this process has, no bridge to be made, and cgroups of whatever version. */
const containers = `[containers]
netns = "host"
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`

/** Starts Podman's service over a folder. */
export async function startPodman(folder: string): Promise<TestEngine> {
  mkdirSync(folder, { recursive: true })
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const environment = {
    PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: folder,
    CONTAINERS_CONF: file('containers.conf', containers),
    CONTAINERS_REGISTRIES_CONF: file(
      'registries.conf',
      'unqualified-search-registries = []\nshort-name-mode = "disabled"\n',
    ),
  }
  const socket = join(folder, 'podman.sock')
  const own = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')]
  const program = findProgram('podman') ?? 'podman'
  const args = [...own, 'system', 'service', '--time=0', `unix://${socket}`]
  const child = spawn(program, args, { env: environment, stdio: 'ignore' })
  await untilThere(socket, child)
  return {
    socket,
    environment,
    arguments: own,
    async stop() {
      spawnSync(program, [...own, 'rm', '--all', '--force', '--time', '0'], { env: environment })
      spawnSync(program, [...own, 'rmi', '--all', '--force'], { env: environment })
      await ended(child)
      unmountBelow(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts Docker's daemon over a folder, without a network of its own. */
export async function startDockerd(folder: string): Promise<TestEngine> {
  mkdirSync(folder, { recursive: true })
  const socket = join(folder, 'docker.sock')
  const rooms = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')]
  const quiet = ['--bridge=none', '--iptables=false', '--ip6tables=false', '-p', join(folder, 'docker.pid')]
  const child = spawn(findProgram('dockerd') ?? 'dockerd', ['-H', `unix://${socket}`, ...rooms, ...quiet], {
    stdio: 'ignore',
  })
  await untilThere(socket, child)
  return {
    socket,
    environment: { PATH: process.env['PATH'] ?? '', DOCKER_HOST: `unix://${socket}` },
    arguments: [],
    async stop() {
      await ended(child)
      unmountBelow(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function unmountBelow(folder: string): void {
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n')) {
    const [, , , , place] = line.split(' ')
    if (place?.startsWith(`${folder}/`)) spawnSync('umount', ['-l', place])
  }
}

async function untilThere(socket: string, child: ChildProcess): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (existsSync(socket)) return
    if (child.exitCode !== null) throw new Error(`the engine ended with status ${child.exitCode}`)
    await later(100)
  }
  throw new Error(`no socket at ${socket}`)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await exit
  clearTimeout(patience)
}
