/** What brokers that are gone have left on this machine: nothing but their store, their keys and their packages. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { StormyCluster } from './stormy-cluster.ts'
import { canary } from './wares.ts'

export interface Place {
  readonly dataDir: string
  /** The folder for temporary files that the brokers were given. */
  readonly temporary: string
  readonly runs: readonly string[]
  readonly cluster?: Pick<StormyCluster, 'left'>
}

/** Resolves when what a crash left is swept, or has had the time to be. */
export async function untilSwept(place: Place): Promise<void> {
  const isSwept = async (): Promise<boolean> =>
    foldersOfRuns(place).length + groupsOf(place).length === 0 &&
    (place.cluster === undefined || (await place.cluster.left()).length === 0)
  for (let tries = 0; tries < 300 && !(await isSwept()); tries++) await pause(200)
}

/** Everything that is still there when the brokers are gone; what is being cleared away gets a moment. */
export async function leftBehind(place: Place): Promise<readonly string[]> {
  const look = (): readonly string[] => [
    ...processesOf(place),
    ...mountsOf(place),
    ...groupsOf(place),
    ...foldersOfRuns(place).map((path) => `a folder of a run is left: ${path}`),
    ...entriesOf(place.temporary).map((name) => `a temporary file is left: ${name}`),
  ]
  let found = look()
  for (let tries = 0; tries < 50 && found.length > 0; tries++) {
    await pause(200)
    found = look()
  }
  return [...found, ...((await place.cluster?.left()) ?? []), ...canariesIn(place.dataDir)]
}

/** Processes that name the folder, or work in it. */
function processesOf({ dataDir }: Place): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return []
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      const isOurs = command.includes(dataDir) || readlinkSync(`/proc/${pid}/cwd`).startsWith(dataDir)
      return isOurs ? [`process ${pid} is left: ${command}`] : []
    } catch {
      // It ended meanwhile, or is none of ours.
      return []
    }
  })
}

function mountsOf({ dataDir }: Place): readonly string[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes(dataDir))
    .map((line) => `a mount is left: ${line}`)
}

/** Control groups are named after the runs that they limit. */
function groupsOf({ runs }: Place): readonly string[] {
  const names = new Set(runs)
  return foldersBelow('/sys/fs/cgroup', 3)
    .filter((folder) => names.has(folder.slice(folder.lastIndexOf('/') + 1)))
    .map((folder) => `a control group is left: ${folder}`)
}

/** What runs have of their own in the data folder. */
export function foldersOfRuns({ dataDir }: Pick<Place, 'dataDir'>): readonly string[] {
  return ['embedded/runs', 'embedded/aside', 'embedded/trash', 'sim']
    .flatMap((place) => entriesOf(join(dataDir, place)).map((name) => join(place, name)))
    .filter((path) => path !== 'sim/starts.log')
}

function canariesIn(folder: string): readonly string[] {
  return filesBelow(folder)
    .filter((file) => readFileSync(file).includes(canary))
    .map((file) => `a secret lies in the clear in ${file}`)
}

function foldersBelow(folder: string, depth: number): readonly string[] {
  if (depth === 0) return []
  return entriesOf(folder, 'folders').flatMap((name) => {
    const path = join(folder, name)
    return [path, ...foldersBelow(path, depth - 1)]
  })
}

function filesBelow(folder: string): readonly string[] {
  return entriesOf(folder).flatMap((name) => {
    const path = join(folder, name)
    const kind = statSync(path, { throwIfNoEntry: false })
    if (kind?.isDirectory()) return filesBelow(path)
    return kind?.isFile() ? [path] : []
  })
}

function entriesOf(folder: string, kind: 'folders' | 'all' = 'all'): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((one) => kind === 'all' || one.isDirectory()).map(({ name }) => name)
  } catch {
    return []
  }
}
