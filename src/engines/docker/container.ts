/** A container of ours on the engine: made, looked at, read from, removed. */
import { tarParser } from '../../artifacts/archive/tar-parser.ts'
import type { Clock } from '../../kit/clock.ts'
import { isObject } from '../../kit/json.ts'
import { fail } from '../../model/problem.ts'
import { type Inside, tarReader, type Unpacked } from '../inside.ts'
import { bytesOf, type Docker, expectSuccess } from './client.ts'

export const labels = {
  cluster: 'chandler.io/cluster',
  operation: 'chandler.io/operation',
  spec: 'chandler.io/spec',
} as const

export interface ContainerSight {
  readonly status: string
  readonly exit: number
  readonly outOfMemory: boolean
  readonly error: string
  readonly startedAt: number
  readonly finishedAt: number
  readonly labels: Readonly<Record<string, string>>
  /** The first process, as the engine's host sees it. */
  readonly pid: number
  /** Where its host has what the container wrote, if it tells. */
  readonly upper: string | undefined
}

/** What there is under a name. */
export async function inspect(docker: Docker, name: string): Promise<ContainerSight | undefined> {
  const answer = await docker.ask({ method: 'GET', path: `/containers/${name}/json` })
  if (answer.status === 404) return undefined
  expectSuccess(answer, 'look at the container')
  const { State: state = {}, Config: config = {}, GraphDriver: driver } = answer.body as InspectAnswer
  return {
    status: state.Status ?? 'unknown',
    exit: state.ExitCode ?? 0,
    outOfMemory: state.OOMKilled ?? false,
    error: state.Error ?? '',
    startedAt: Date.parse(state.StartedAt ?? '') || 0,
    finishedAt: Date.parse(state.FinishedAt ?? '') || 0,
    labels: config.Labels ?? {},
    pid: state.Pid ?? 0,
    upper: driver?.Data?.UpperDir,
  }
}

interface InspectAnswer {
  readonly State?: {
    readonly Status?: string
    readonly ExitCode?: number
    readonly OOMKilled?: boolean
    readonly Error?: string
    readonly StartedAt?: string
    readonly FinishedAt?: string
    readonly Pid?: number
  }
  readonly GraphDriver?: { readonly Data?: { readonly UpperDir?: string } | null }
  readonly Config?: { readonly Labels?: Readonly<Record<string, string>> }
}

/** Whether the container has come to its end. */
export function hasEnded({ status }: ContainerSight): boolean {
  return status === 'exited' || status === 'dead' || status === 'stopped' || status === 'removing'
}

/** Makes the container unless it is there. Problems: engine.name-conflict, engine.start-failed. */
export async function create(
  docker: Docker,
  name: string,
  body: { readonly Labels: Readonly<Record<string, string>> },
): Promise<void> {
  const answer = await docker.ask({ method: 'POST', path: '/containers/create', query: { name }, json: body })
  // Docker says 409 to a name that is taken, Podman 500.
  const there = answer.status === 409 || answer.status === 500 ? await inspect(docker, name) : undefined
  if (there === undefined) return expectSuccess(answer, 'create the container')
  const isSame = Object.values(labels).every((label) => there.labels[label] === body.Labels[label])
  if (!isSame) fail('engine.name-conflict', `there is another container ${name}`)
}

/** Removes it with its volumes; nothing when it is gone. */
export async function remove(docker: Docker, name: string): Promise<void> {
  const query = { force: '1', v: '1' }
  const answer = await docker.ask({ method: 'DELETE', path: `/containers/${name}`, query })
  // 409: another process is removing it at this moment.
  if (answer.status !== 404 && answer.status !== 409) expectSuccess(answer, 'remove the container')
}

/** What lies at a path of a container, the folder itself first; undefined when there is nothing. */
export async function readOut(
  docker: Docker,
  name: string,
  { path, bytesMax }: { readonly path: string; readonly bytesMax: number },
): Promise<Unpacked | undefined> {
  const answer = await docker.stream({ method: 'GET', path: `/containers/${name}/archive`, query: { path } })
  if (answer.statusCode !== 200) {
    await bytesOf(answer)
    return undefined
  }
  const reader = tarReader(bytesMax)
  for await (const piece of answer as AsyncIterable<Buffer>) {
    if (reader.push(piece)) continue
    answer.destroy()
    break
  }
  return reader.read()
}

/** What a container wrote to its root, as its engine counts it. */
export async function sizeOf(docker: Docker, name: string): Promise<number> {
  const path = `/containers/${name}/json`
  const answer = await docker.ask({ method: 'GET', path, query: { size: '1' } })
  return Number((answer.body as { readonly SizeRw?: number } | undefined)?.SizeRw ?? 0)
}

const pageBytes = 4096

/** What a folder of a container takes, as a file system of pages would count it; no more is read than needed to say that it is too much. */
export async function sizeInside(
  docker: Docker,
  name: string,
  { path, bytesMax }: { readonly path: string; readonly bytesMax: number },
): Promise<number> {
  const answer = await docker.stream({ method: 'GET', path: `/containers/${name}/archive`, query: { path } })
  if (answer.statusCode !== 200) {
    await bytesOf(answer)
    return 0
  }
  let bytes = 0
  const parser = tarParser({
    entry: (entry) => {
      bytes += Math.ceil(entry.bytes / pageBytes) * pageBytes
    },
    body: () => undefined,
    end: () => undefined,
  })
  for await (const piece of answer as AsyncIterable<Buffer>) {
    parser.push(piece)
    if (bytes > bytesMax) {
      answer.destroy()
      break
    }
  }
  return bytes
}

interface InsideStat {
  readonly mode: number
  readonly isFolder: boolean
  readonly isLink: boolean
  /** Another one after it was written to. */
  readonly version: string
}

/** What a path of the container is, without reading it. */
export async function statInside(
  docker: Docker,
  name: string,
  path: string,
): Promise<InsideStat | undefined> {
  const answer = await docker.ask({ method: 'HEAD', path: `/containers/${name}/archive`, query: { path } })
  const text = answer.header('x-docker-container-path-stat')
  if (answer.status !== 200 || text === undefined) return undefined
  const stat: unknown = JSON.parse(Buffer.from(text, 'base64').toString())
  if (!isObject(stat)) return undefined
  const mode = Number(stat['mode'] ?? 0)
  // The mode is Go's: folders and links are its two highest bits but one.
  return {
    mode: mode & 0o777,
    isFolder: mode >= 2 ** 31,
    isLink: (Math.floor(mode / 2 ** 27) & 1) === 1,
    version: `${stat['size']} ${stat['mtime']}`,
  }
}

/** A container for those that look into it whatever its engine is. */
export function insideOf(
  { docker, clock }: { readonly docker: Docker; readonly clock: Clock },
  run: string,
): Inside {
  return {
    clock,
    stat: (path) => statInside(docker, run, path),
    read: (path, bytesMax) => readOut(docker, run, { path, bytesMax }),
  }
}
