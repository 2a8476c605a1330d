/** What a pod is made with: the program in the image of the job, and beside it what takes its output and holds its files. */
import type { FileIn, Folder, Job } from '../../model/job.ts'
import { capabilities } from '../confinement.ts'
import type { ContainerFilePlan } from '../container-plan.ts'
import type { RunOrder } from '../engine.ts'
import { home, preparationScript, programScript, sidecarScript, tools } from './agent.ts'
import { type KubernetesContext, usual } from './context.ts'
import type { ClusterImage } from './image.ts'
import { containers, labels, marks, type RunRecord } from './pod.ts'

export interface PodMaking {
  readonly order: RunOrder
  readonly spec: string
  readonly record: RunRecord
  readonly image: ClusterImage
  readonly plan: ContainerFilePlan
}

/** What is left of a pod whose broker never came back ends by itself, so long after its deadline. */
const forgottenSeconds = 6 * 3600
const mebibyte = 1024 * 1024

/** What is given in, and folders with a limit, in memory; folders without one on the disk of the node. */
export function volumeOf(host: string, plan: ContainerFilePlan): 'fixed' | 'rooms' {
  const folder: Folder | undefined = plan.rooms.find((room) => room.host === host)?.folder
  return folder === undefined || folder.readOnly || folder.bytesMax !== undefined ? 'fixed' : 'rooms'
}

const script = (text: string): readonly string[] => [`${tools}/busybox`, 'sh', '-c', text]

/** The whole pod. */
export function podBody(context: KubernetesContext, making: PodMaking): object {
  const { order, spec, record } = making
  const { name, job, cluster, operation, fence } = order
  const { pullSecrets = [] } = context.options
  const { hosts = [], limits, needs } = job
  const { sandbox } = context
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: {
        ...(sandbox && labelsOf(job)),
        [labels.managed]: 'chandler',
        [labels.cluster]: cluster,
        [labels.operation]: operation,
        [labels.network]: needs.network,
      },
      // What the program could write on its pod must not be believed.
      annotations: sandbox
        ? {}
        : {
            [marks.spec]: spec,
            [marks.fence]: String(fence),
            [marks.record]: JSON.stringify(record),
          },
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: sandbox !== undefined,
      ...(sandbox && { serviceAccountName: sandbox.pod }),
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 1,
      activeDeadlineSeconds: Math.ceil(limits.seconds + limits.graceSeconds) + forgottenSeconds,
      imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })),
      hostAliases: hosts.map((host) => ({ ip: host.address, hostnames: [host.name] })),
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      ...containersOf(context, making),
      volumes: [
        { name: 'run', emptyDir: { medium: 'Memory' } },
        { name: 'fixed', emptyDir: { medium: 'Memory' } },
        { name: 'rooms', emptyDir: {} },
      ],
    },
  }
}

/** Those of the job that a cluster takes: names of services may have other signs. */
export function labelsOf({ sandbox }: Job): Readonly<Record<string, string>> {
  const isFit = (value: string): boolean => /^([a-z0-9]([-a-z0-9_.]{0,61}[a-z0-9])?)?$/i.test(value)
  return Object.fromEntries(Object.entries(sandbox?.labels ?? {}).filter(([, value]) => isFit(value)))
}

function containersOf({ options }: KubernetesContext, making: PodMaking): object {
  const { order, record, image, plan } = making
  const { readOnlyRoot } = order.job.needs
  const inVolume = (host: string): string => `${volumeOf(host, plan)}/${host}`
  const targets = { folders: plan.folders.map(inVolume), files: plan.files.map(inVolume) }
  const shared = { name: 'run', mountPath: home }
  const all = (['fixed', 'rooms'] as const).map((volume) => ({ name: volume, mountPath: `/rooms/${volume}` }))
  const helper = {
    image: options.helper ?? usual.helper,
    imagePullPolicy: 'IfNotPresent',
    volumeMounts: [shared, ...all],
    securityContext: rooted,
  }
  const small = (memory: string): object => ({
    limits: { memory, cpu: '1' },
    requests: { memory: '16Mi', cpu: '10m' },
  })
  const preparation = preparationScript(record.steps, targets, readOnlyRoot)
  return {
    initContainers: [
      {
        ...helper,
        name: containers.preparation,
        command: ['/bin/busybox', 'sh', '-c', preparation],
        resources: small('64Mi'),
      },
    ],
    containers: [
      {
        name: containers.program,
        image: image.name,
        imagePullPolicy: 'IfNotPresent',
        command: script(programScript()),
        volumeMounts: [shared, ...mountsOf(plan), ...(readOnlyRoot ? [tmp] : [])],
        resources: resourcesOf(order),
        terminationMessagePath: `${home}/termination`,
        securityContext: { ...rooted, readOnlyRootFilesystem: readOnlyRoot },
      },
      {
        ...helper,
        name: containers.sidecar,
        command: script(sidecarScript(record.steps)),
        resources: small(`${Math.ceil(sidecarBytes(making) / mebibyte)}Mi`),
      },
    ],
  }
}

/** Root of its own container, to give files to the users of steps; each step gives it up, and none wins anything. */
const rooted = {
  runAsUser: 0,
  runAsGroup: 0,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'], add: capabilities },
}

const tmp = { name: 'rooms', mountPath: '/tmp', subPath: 'tmp' }

function mountsOf(plan: ContainerFilePlan): readonly object[] {
  return plan.mounts.map(({ from, to, readOnly }) => ({
    name: volumeOf(from, plan),
    mountPath: to,
    subPath: from,
    readOnly,
  }))
}

function resourcesOf({ job: { limits } }: RunOrder): object {
  const cpu = `${Math.max(1, Math.round(limits.cpus * 1000))}m`
  const memory = String(limits.memoryBytes)
  return {
    limits: { cpu, memory },
    // What a run may need at the most, it rarely does.
    requests: { cpu: '10m', memory: String(Math.min(limits.memoryBytes, 64 * mebibyte)) },
  }
}

/** What lies in memory counts as that of the sidecar, which put it there. */
function sidecarBytes({ order: { job }, record, plan }: PodMaking): number {
  const captured = record.steps.map(({ streams }) =>
    streams.kind === 'apart' && streams.stdout.kind !== 'logged' ? streams.stdout.bytesMax : 0,
  )
  const bounded = plan.rooms.map(({ folder }) => folder.bytesMax ?? 0)
  const files = job.files.map(bytesOfFile)
  const spools = record.steps.length * 2 * 5 * mebibyte
  const tars = plan.rooms.map(({ folder: { content } }) => (content.kind === 'tar' ? content.tar.length : 0))
  return [96 * mebibyte, spools, ...captured, ...bounded, ...files, ...tars].reduce(
    (sum, one) => sum + one,
    0,
  )
}

function bytesOfFile({ content }: FileIn): number {
  if (content.kind === 'bytes') return content.bytes.length
  if (content.kind === 'secret') return Buffer.byteLength(content.secret.reveal())
  // How large it is tells only its delivery.
  return content.kind === 'link' ? 0 : 512 * mebibyte
}
