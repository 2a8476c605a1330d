/** What a container is made with: the program behind a gate, its streams in files, its limits and mounts. */
import { join } from 'node:path'
import { present } from '../../kit/present.ts'
import { capabilities } from '../confinement.ts'

import type { ContainerFilePlan } from '../container-plan.ts'
import type { RunOrder } from '../engine.ts'
import { argvOf } from '../image-program.ts'
import { networkFiles } from '../run-network.ts'
import { stepRecords } from '../step-files.ts'
import { labels } from './container.ts'
import type { DockerContext } from './context.ts'
import type { EngineImage } from './image.ts'
import { streamsOf } from './log-pump.ts'
import { type ContainerNetwork, untilUpLines, upInside, upPipe } from './network.ts'
import type { TicketPaths } from './ticket.ts'

/** Where a container finds what is lent to it and what it writes for us. */
export const inside = {
  lent: '/dev/.chandler',
  gate: '/dev/.chandler-gate',
  out: '/dev/.chandler-out',
  err: '/dev/.chandler-err',
} as const

export interface ContainerBody {
  readonly Labels: Readonly<Record<string, string>>
  readonly [setting: string]: unknown
}

export interface Making {
  readonly yard: DockerContext
  readonly order: RunOrder
  readonly spec: string
  readonly paths: TicketPaths
  readonly secret: string
  readonly image: EngineImage
  readonly plan: ContainerFilePlan
  /** Absent: it needs none. */
  readonly network: ContainerNetwork | undefined
}

/**
 * The first act is to make a file that only one can make: a container that is started again does nothing.
 * The streams are pipes of ours from then on: exact bytes in the order written, whatever the engine's own log does.
 * To open one for writing waits for its reader; held for reading as well, it outlasts a reader that dies.
 */
function gated(joined: boolean, diskBytes: number, network: ContainerNetwork | undefined): string {
  const err = joined ? inside.out : inside.err
  return [
    `[ ! -e ${inside.gate}/began ] || exit 99`,
    `exec 3>${inside.out} 4>${err} || exit 99`,
    `exec 5<>${inside.out} 3>&-`,
    joined ? 'exec 6>&5 4>&-' : `exec 6<>${err} 4>&-`,
    `set -C; : >${inside.gate}/began || exit 99; set +C`,
    ...(network?.kind === 'own' ? untilUpLines : []),
    // Asked of the engine it would take the place of all limits that its operator has set.
    `ulimit -f ${Math.ceil(diskBytes / 512)}`,
    'exec "$@" </dev/null >&5 2>&6 5>&- 6>&-',
  ].join('\n')
}

/** The body of the request that makes the container. */
export function containerBody(making: Making): ContainerBody {
  const { yard, order, spec, image, network } = making
  const { job, cluster, operation } = order
  const [step] = job.steps
  const { needs, limits } = job
  const joined = step.streams.kind === 'merged'
  return {
    Image: image.name,
    Entrypoint: [
      ...yard.lent.command('sh'),
      '-c',
      gated(joined, limits.diskBytes, network),
      'sh',
      ...argvOf(step, image),
    ],
    Cmd: [],
    Env: Object.entries(step.environment).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : value.reveal()}`,
    ),
    Labels: { [labels.cluster]: cluster, [labels.operation]: operation, [labels.spec]: spec },
    ...present({ User: step.user, WorkingDir: step.workingFolder }),
    AttachStdout: false,
    AttachStderr: false,
    OpenStdin: false,
    Tty: false,
    StopSignal: `SIG${step.stopSignal ?? 'TERM'}`,
    HostConfig: {
      NetworkMode: modeOf(network),
      ExtraHosts: (job.hosts ?? []).map(({ name, address }) => `${name}:${address}`),
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.processes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      CapDrop: ['ALL'],
      // Podman would hand what is added to users other than root as well.
      ...(isRoot(step.user ?? image.user) ? { CapAdd: capabilities } : {}),
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: needs.readOnlyRoot,
      ...(needs.readOnlyRoot ? { Tmpfs: { '/tmp': 'rw,nosuid,nodev,mode=1777,size=64m' } } : {}),
      // Its streams go to our files; the engine's own log would only keep secrets.
      LogConfig: { Type: 'none' },
      RestartPolicy: { Name: 'no' },
      AutoRemove: false,
      // This form of mount fails when its source is gone: without the ticket no start.
      Mounts: mountsOf(making),
    },
  }
}

/** One of its own is made from outside. */
function modeOf(network: ContainerNetwork | undefined): string {
  if (network === undefined || network.kind === 'own') return 'none'
  return network.kind === 'host' ? 'host' : 'default'
}

function isRoot(user: string): boolean {
  return /^(root|0)?(:.*)?$/.test(user)
}

function mountsOf({ yard, order, paths, secret, plan, network }: Making): readonly unknown[] {
  const bind = (Source: string, Target: string, ReadOnly: boolean): unknown => ({
    Type: 'bind',
    Source,
    Target,
    ReadOnly,
  })
  const streams = streamsOf(paths, stepRecords(order.job))
  return [
    bind(yard.lent.folder, inside.lent, true),
    bind(paths.gate, inside.gate, false),
    ...streams.map(({ pipe }) =>
      bind(join(paths.folder, pipe), pipe === 'pipe.out' ? inside.out : inside.err, false),
    ),
    ...(network?.kind === 'own'
      ? [
          bind(join(paths.folder, upPipe), upInside, false),
          bind(join(paths.folder, networkFiles.names), '/etc/resolv.conf', true),
        ]
      : []),
    ...plan.mounts.map(({ from, to, readOnly }) =>
      bind(from.replace(/^private\//, `${secret}/`).replace(/^(?!\/)/, `${paths.folder}/`), to, readOnly),
    ),
    ...(order.job.needs.engineSocket ? [bind(yard.socket, '/var/run/docker.sock', false)] : []),
  ]
}
