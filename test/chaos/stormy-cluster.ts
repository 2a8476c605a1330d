/** A cluster in a storm: brokers reach its API server over a wire that can be cut, and others meddle with it past that. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { kubeAt } from '../../src/engines/kubernetes/client.ts'
import { findCluster } from '../../src/engines/kubernetes/credentials.ts'
import { labels, type Pod, readPod } from '../../src/engines/kubernetes/pod.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { startCluster, type TestCluster } from '../kubernetes/cluster.ts'
import type { Random } from '../simulation/world.ts'
import { openWire } from './cut.ts'

export interface StormyCluster extends Pick<TestCluster, 'helper' | 'registry'> {
  /** For the brokers. */
  readonly kubeconfig: string
  /** Operations whose pod others have deleted: they may fail, and need not. */
  readonly bereft: ReadonlySet<string>
  blow(kind: ClusterBlow, random: Random): Promise<void>
  /** Everything that is there and is not the cluster's own. */
  left(): Promise<readonly string[]>
  stop(): Promise<void>
}

export const clusterBlows = ['restart', 'forget', 'tear', 'cut', 'delete', 'freeze'] as const
/** `unready`: frozen until the cluster takes the node for lost. */
export type ClusterBlow = (typeof clusterBlows)[number] | 'unready'

export async function startStormyCluster(folder: string): Promise<StormyCluster> {
  const cluster = await startCluster()
  const wire = await openWire(cluster.server)
  const kubeconfig = join(folder, 'kubeconfig')
  const written = JSON.parse(readFileSync(cluster.kubeconfig, 'utf8'))
  Object.assign(written.clusters[0].cluster, {
    server: wire.url.replace(/\/$/, ''),
    'tls-server-name': 'kubernetes.default.svc',
  })
  writeFileSync(kubeconfig, JSON.stringify(written))
  const place = { kubeconfig: cluster.kubeconfig, environment: {}, clock: systemClock }
  const kube = kubeAt(await findCluster(place))
  const bereft = new Set<string>()

  const itemsAt = async (path: string): Promise<readonly object[]> => {
    const { status, message, body } = await kube.ask({ method: 'GET', path })
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${message}`)
    return body['items'] as readonly object[]
  }
  const podsThere = async (): Promise<readonly Pod[]> =>
    (await itemsAt('/api/v1/namespaces/default/pods')).flatMap((item) => readPod(item) ?? [])

  /** Where there is one whose operation has suffered nothing yet. */
  async function deletePod(random: Random): Promise<void> {
    const pods = await podsThere()
    const whole = pods.filter((pod) => !bereft.has(pod.labels[labels.operation] ?? ''))
    if (whole.length === 0) return
    const { name, labels: its } = random.pick(whole)
    bereft.add(its[labels.operation] ?? '')
    const body = { gracePeriodSeconds: random.pick([0, 1, 30]) }
    await kube.ask({ method: 'DELETE', path: `/api/v1/namespaces/default/pods/${name}`, body })
  }

  async function isReady(): Promise<boolean> {
    const [node] = (await itemsAt('/api/v1/nodes')) as readonly [
      {
        readonly status: {
          readonly conditions: readonly { readonly type: string; readonly status: string }[]
        }
      },
    ]
    return node.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  }

  async function frozenUntil(done: () => Promise<unknown>): Promise<void> {
    await cluster.order('freeze')
    try {
      await done()
    } finally {
      await cluster.order('thaw')
    }
  }

  const blows: Readonly<Record<ClusterBlow, (random: Random) => Promise<unknown>>> = {
    restart: () => cluster.order('restart'),
    forget: () => cluster.order('forget'),
    tear: async () => wire.tear(),
    async cut(random) {
      wire.cut()
      await pause(random.between(500, 5000))
      wire.mend()
    },
    delete: deletePod,
    freeze: (random) => frozenUntil(() => pause(random.between(500, 8000))),
    unready: () =>
      frozenUntil(async () => {
        while (await isReady()) await pause(500)
      }),
  }
  return {
    helper: cluster.helper,
    registry: cluster.registry,
    kubeconfig,
    bereft,
    async blow(kind, random) {
      await blows[kind](random)
    },
    async left() {
      const kinds = ['pods', 'secrets', 'configmaps']
      const found = await Promise.all(
        kinds.map(async (kind) => [kind, await itemsAt(`/api/v1/${kind}`)] as const),
      )
      return found.flatMap(([kind, items]) =>
        items.filter((item) => !isOfCluster(item)).map((item) => `of ${kind} is left: ${nameOf(item)}`),
      )
    },
    async stop() {
      kube.close()
      await wire.close()
      await cluster.stop()
    },
  }
}

/** What every cluster has. */
function isOfCluster(object: object): boolean {
  const { type } = object as { readonly type?: string }
  return (
    type === 'kubernetes.io/service-account-token' ||
    /\/(kube-root-ca\.crt|extension-apiserver-authentication)$/.test(nameOf(object))
  )
}

function nameOf(object: object): string {
  const { metadata } = object as { readonly metadata: { readonly namespace: string; readonly name: string } }
  return `${metadata.namespace}/${metadata.name}`
}
