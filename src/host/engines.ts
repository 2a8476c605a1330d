/** Opens the engines that this host offers. */
import { join } from 'node:path'
import type { ArtifactStore } from '../artifacts/index.ts'
import type { Engine } from '../engines/engine.ts'
import {
  findSocket,
  openBesideStandIn,
  openDockerEngine,
  openEmbeddedEngine,
  openKubernetesEngine,
  openSimEngine,
} from '../engines/index.ts'
import type { Clock } from '../kit/clock.ts'
import { present } from '../kit/present.ts'
import type { Settings } from '../settings/settings.ts'

export interface EnginePlaces {
  readonly folder: string
  readonly clock: Clock
  readonly artifacts: ArtifactStore
  /** `auto` takes Docker when its socket is there. */
  readonly choice?: Settings['engine']
  /** The network of runs. */
  readonly network?: Settings['runs']['network']
  /** Engines that tenants name: those that the choice does not open run their jobs alone. */
  readonly named?: readonly string[]
  /** Likewise, of what was decided by command: one that cannot be opened stops no broker, or that could not be decided otherwise. */
  readonly decided?: readonly string[]
  /** Told of one of those that cannot be opened. */
  unopened?(name: string, error: unknown): void
  /** Of the choice `kubernetes`. */
  readonly kubernetes?: Settings['kubernetes']
  /** Try what the host offers, whatever is remembered of it. */
  readonly anew?: boolean
}

const usualSocket = '/var/run/docker.sock'

/** The engines in order of preference; the first that does not refuse a job runs it. */
export async function openEngines(places: EnginePlaces): Promise<readonly Engine[]> {
  const { folder, clock, artifacts, network = 'auto', anew = false } = places
  return [
    await openSimEngine({ folder: join(folder, 'sim'), clock }),
    ...(await openDocker(places)),
    ...(await openKubernetes(places)),
    // Always there: what runs programs instead of images runs nowhere else, nor do bundles without a cluster.
    await openBesideStandIn(
      await openEmbeddedEngine({
        folder: join(folder, 'embedded'),
        images: artifacts.images,
        clock,
        supplies: artifacts,
        network,
        anew,
      }),
      { folder: join(folder, 'cluster'), clock },
    ),
  ]
}

async function openDocker({
  folder,
  clock,
  artifacts,
  choice = 'auto',
  named = [],
  decided = [],
  network = 'auto',
}: EnginePlaces): Promise<readonly Engine[]> {
  const socket = await findSocket(process.env)
  const isChosen = choice === 'docker' || (choice === 'auto' && socket !== undefined)
  if (!isChosen && ![...named, ...decided].includes('docker')) return []
  const tickets = join(folder, 'docker')
  const options = { folder: tickets, clock, copier: artifacts, supplies: artifacts, network }
  // Reading a package decides whether it may ask for the socket at all: operators say so package by package.
  const docker = await openDockerEngine({ ...options, socket: socket ?? usualSocket, lendSocket: true })
  const engine = isChosen ? docker : { ...docker, reserved: true }
  return [await openBesideStandIn(engine, { folder: join(folder, 'cluster-docker'), clock })]
}

async function openKubernetes({
  clock,
  artifacts,
  choice,
  named = [],
  decided = [],
  kubernetes,
  unopened,
}: EnginePlaces): Promise<readonly Engine[]> {
  const required = [...(choice === 'kubernetes' ? ['kubernetes'] : []), ...named]
  const names = [...new Set([...required, ...decided])].filter((name) => /^kubernetes(?:\/|$)/.test(name))
  const { startTimeout: startMs, namespace: usualNamespace, sandboxes: given, ...more } = kubernetes ?? {}
  const environment = process.env
  const ours = { images: artifacts.images, copier: artifacts, supplies: artifacts, clock, environment }
  const open = async (name: string): Promise<Engine> => {
    const [, namespace = usualNamespace] = name.split('/')
    // A tenant with a namespace of its own must not reach what others may work for.
    const sandboxes = name === 'kubernetes' ? sandboxesOf(given) : undefined
    const engine = await openKubernetesEngine(
      present({ ...more, name, namespace, startMs, sandboxes, ...ours }),
    )
    return name === 'kubernetes' && choice === 'kubernetes' ? engine : { ...engine, reserved: true }
  }
  const opened = await Promise.all(
    names.map((name) =>
      open(name).catch((error: unknown) => {
        if (required.includes(name)) throw error
        unopened?.(name, error)
        return undefined
      }),
    ),
  )
  return opened.filter((engine) => engine !== undefined)
}

function sandboxesOf(given: Settings['kubernetes']['sandboxes'] | undefined) {
  if (given === undefined || given.targets.length === 0) return undefined
  const { targets, role, keepFailed: keepFailedMs } = given
  return { targets, role, ...present({ keepFailedMs }) }
}
