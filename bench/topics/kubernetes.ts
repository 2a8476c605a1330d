/** What the Kubernetes engine adds to what a pod itself takes, on a real cluster of one node: against bare pods, by the same client. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import type { Engine } from '../../src/engines/engine.ts'
import { openKubernetesEngine } from '../../src/engines/index.ts'
import { type Kube, kubeAt } from '../../src/engines/kubernetes/client.ts'
import { findCluster } from '../../src/engines/kubernetes/credentials.ts'
import { labels } from '../../src/engines/kubernetes/pod.ts'
import { type Pods, watchPods } from '../../src/engines/kubernetes/pods.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { merged } from '../../test/engines/row.ts'
import { freshName, jobOf, listener, orderOf } from '../../test/engines/run-row.ts'
import { startCluster, type TestCluster } from '../../test/kubernetes/cluster.ts'
import { clusterMissing } from '../../test/kubernetes/programs.ts'
import { busyboxImage, type TestImage } from '../../test/support/busybox.ts'
import { freshFolder } from '../../test/support/image.ts'
import { median, show } from '../figures.ts'

const rounds = 15
const many = 100
const path = '/api/v1/namespaces/default/pods'

/** Prints the figures of the engine. */
export async function bench(): Promise<void> {
  const missing = clusterMissing()
  if (missing !== undefined) return console.log(`kubernetes: not measured, ${missing}`)
  const home = freshFolder('bench-kubernetes')
  const cluster = await startCluster()
  try {
    const image = await busyboxImage(home, 'bench')
    const place = { kubeconfig: cluster.kubeconfig, environment: {}, clock: systemClock }
    const kube = kubeAt(await findCluster(place))
    const engine = await openEngine(home, cluster)
    const silence = { clock: systemClock, silenceMs: 60_000 }
    const bare = { kube, pods: watchPods(kube, 'default', silence), image: cluster.helper }
    await figuresOf(engine, image, bare)
    await engine.close()
    bare.pods.close()
    kube.close()
  } finally {
    await cluster.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

async function openEngine(home: string, { kubeconfig, helper, registry }: TestCluster): Promise<Engine> {
  const artifacts = openArtifactStore({
    folder: join(home, 'artifacts'),
    registries: { hosts: { [registry]: { plainHttp: true } } },
  })
  return await openKubernetesEngine({
    ...{ kubeconfig, helper, registry: `${registry}/packages`, environment: {}, clock: systemClock },
    ...{ images: artifacts.images, copier: artifacts, supplies: artifacts },
  })
}

interface Bare {
  readonly kube: Kube
  readonly pods: Pods
  readonly image: string
}

async function figuresOf(engine: Engine, image: TestImage, bare: Bare): Promise<void> {
  // Images are pulled, and what is loaded late is loaded.
  await ourOperation(engine, image)
  await bareOperation(bare)
  const [ours, floor]: [number[], number[]] = [[], []]
  for (let i = 0; i < rounds; i++) {
    ours.push(await timed(() => ourOperation(engine, image)))
    floor.push(await timed(() => bareOperation(bare)))
  }
  const single = { ours: median(ours), floor: median(floor), unit: 'ms' }
  show([{ name: 'one operation against a bare pod', ...single, goal: { atMost: 1.2 } }])
  const cpu = process.cpuUsage()
  const before = process.memoryUsage().rss
  let most = before
  const looking = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 100)
  const all = await timed(() => Promise.all(Array.from({ length: many }, () => ourOperation(engine, image))))
  clearInterval(looking)
  const { user, system } = process.cpuUsage(cpu)
  const bareAll = await timed(() => Promise.all(Array.from({ length: many }, () => bareOperation(bare))))
  show([{ name: `${many} operations at once against bare pods`, ours: all, floor: bareAll, unit: 'ms' }])
  console.log(
    `processor time of the broker for each of them: ${((user + system) / 1000 / many).toFixed(1)} ms`,
  )
  console.log(`memory for each of them at the most: ${((most - before) / 1024 / many).toFixed(0)} KiB`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

async function ourOperation(engine: Engine, image: TestImage): Promise<void> {
  const order = orderOf(jobOf({ script: 'echo done', step: { streams: merged } }, image))
  const { watch, log } = listener()
  await engine.layOut(order, watch)
  await engine.follow(await engine.start({ name: order.name, fence: 1 }), watch)
  await engine.discard(order.name)
  if (log().toString() !== 'done\n') throw new Error(`a run said ${log()}`)
}

async function bareOperation({ kube, pods, image }: Bare): Promise<void> {
  const name = freshName()
  const container = { name: 'one', image, command: ['/bin/busybox', 'echo', 'done'] }
  const body = {
    metadata: { name, labels: { [labels.managed]: 'chandler' } },
    spec: { containers: [container], restartPolicy: 'Never' },
  }
  await kube.ask({ method: 'POST', path, body })
  const isOver = (phase = ''): boolean => phase === 'Succeeded' || phase === 'Failed'
  await pods.until(name, (pod) => isOver(pod?.phase) || undefined, new AbortController().signal)
  const { message } = await kube.ask({ method: 'GET', path: `${path}/${name}/log` })
  await kube.ask({ method: 'DELETE', path: `${path}/${name}`, body: { gracePeriodSeconds: 0 } })
  if (message !== 'done\n') throw new Error(`a bare pod said ${message}`)
}
