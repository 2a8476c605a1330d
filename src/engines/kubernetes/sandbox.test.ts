/** Runs in sandboxes, on a cluster that is pretended: what is made, what is read, and that nothing is left. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testImages } from '../../../test/engines/images.ts'
import { freshName, type Images, jobOf, listener, orderOf } from '../../../test/engines/run-row.ts'
import { kubeconfigAt } from '../../../test/kubernetes/kubeconfig.ts'
import { type PretendedCluster, startPretendedCluster } from '../../../test/kubernetes/pretended.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { systemClock } from '../../kit/clock.ts'
import type { ClusterSandbox, Job } from '../../model/job.ts'
import type { Engine, RunOrder } from '../engine.ts'
import { openKubernetesEngine } from './index.ts'

const missing =
  process.geteuid?.() === 0
    ? ensurePrograms('busybox', 'unshare', 'nsenter', 'pgrep')
    : 'a pretended cluster runs its pods as root'

describe.skipIf(missing !== undefined)('a run in a sandbox', () => {
  const folder = freshFolder('sandboxes')
  let images: Images
  let cluster: PretendedCluster
  let engine: Engine

  beforeAll(async () => {
    images = await testImages(folder)
    const roots = new Map(
      Object.entries(images).map(([name, { digest }]) => [digest, join(folder, `root-${name}`)]),
    )
    cluster = await startPretendedCluster(
      (image) => (image === 'helper' ? join(folder, 'root-plain') : roots.get(image.split('@')[1] ?? '')),
      ['runs', 'target', 'closed'],
    )
    const policy = { metadata: { name: 'none' }, spec: {} }
    await post('/apis/networking.k8s.io/v1/namespaces/closed/networkpolicies', policy)
    engine = await open()
  })
  afterAll(async () => {
    await engine?.close()
    await cluster?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function open(keepFailedMs?: number): Promise<Engine> {
    const token = tokenOf('system:serviceaccount:chandler:chandler')
    const kubeconfig = kubeconfigAt(folder, cluster.server, token)
    const artifacts = openArtifactStore({ folder: join(folder, 'artifacts') })
    const kept = keepFailedMs === undefined ? {} : { keepFailedMs }
    return await openKubernetesEngine({
      kubeconfig,
      ...{ helper: 'helper', registry: 'registry.test/packages', startMs: 120_000 },
      sandboxes: { targets: ['target', 'closed', 'runs', 'gone'], role: 'edit', ...kept },
      images: artifacts.images,
      copier: { copy: async () => undefined },
      supplies: artifacts,
      clock: systemClock,
      environment: {},
    })
  }

  const post = async (path: string, body: object, method = 'POST'): Promise<number> =>
    (await fetch(`${cluster.server}${path}`, { method, body: JSON.stringify(body) })).status
  let count = 0
  function sandboxed(script: string, more: Partial<ClusterSandbox> = {}): RunOrder {
    const name = freshName()
    const pod = `bundle-${name}`
    const sandbox = {
      pod,
      namespace: `box-${count++}`,
      target: 'target',
      labels: { of: 'us', no: 'ü' },
      ...more,
    }
    const job: Job = {
      ...jobOf({ script, step: { streams: { kind: 'merged' } } }, images.plain),
      needs: { cluster: 'stand-in', network: 'default', readOnlyRoot: false },
      wants: [{ kind: 'cluster-objects', name: 'cluster' }],
      sandbox,
    }
    return orderOf(job, name)
  }
  const boxOf = ({ job }: RunOrder): string => job.sandbox?.namespace ?? ''
  const podOf = ({ job }: RunOrder): string => job.sandbox?.pod ?? ''
  const left = ({ job, name }: RunOrder): readonly string[] => {
    const { namespace = '', pod = '' } = job.sandbox ?? {}
    const paths = [...cluster.objects.kept.keys(), ...[...cluster.pods.keys()].map((one) => `/pods/${one}`)]
    return paths.filter((path) => [namespace, pod, name].some((one) => path.split('/').includes(one)))
  }
  const run = async (order: RunOrder, on = engine) => {
    const { watch, log } = listener()
    const told: string[] = []
    const telling = { ...watch, progress: (text: string) => void told.push(text) }
    await on.layOut(order, telling)
    const ticket = await on.start({ name: order.name, fence: order.fence })
    return { ticket, told, log, following: () => on.follow(ticket, telling) }
  }

  test('has a namespace and an account of its own, a role in both namespaces, and its state', async () => {
    const order = sandboxed('sleep 100', { state: { made: 'web' } })
    await run(order)
    const box = boxOf(order)
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces'

    expect(left(order).toSorted()).toEqual(
      [
        `/api/v1/namespaces/${box}`,
        `/api/v1/namespaces/${box}/configmaps/${podOf(order)}`,
        `/api/v1/namespaces/${box}/serviceaccounts/${podOf(order)}`,
        `${rbac}/${box}/rolebindings/${podOf(order)}`,
        `${rbac}/${box}/rolebindings/chandler-sandbox`,
        `${rbac}/target/rolebindings/${podOf(order)}`,
        `/pods/${podOf(order)}`,
      ].toSorted(),
    )
    const { metadata, spec } = cluster.pods.get(podOf(order))?.object ?? {}
    expect(spec).toMatchObject({ serviceAccountName: podOf(order), automountServiceAccountToken: true })
    // It may write there, so nothing that the broker believes stands there; and what is no label is left out.
    expect(metadata?.['annotations']).toEqual({})
    expect(metadata?.['labels']).toMatchObject({ of: 'us' })
    expect(metadata?.['labels']).not.toHaveProperty('no')

    await engine.discard(order.name)
    await expect.poll(() => left(order)).toEqual([])
  })

  test('is let in where policies hold', async () => {
    const order = sandboxed('exit 0', { target: 'closed' })
    await run(order)
    const policy = `/apis/networking.k8s.io/v1/namespaces/closed/networkpolicies/${podOf(order)}`

    expect([...cluster.objects.kept.keys()]).toContain(policy)
    await engine.discard(order.name)
    await expect.poll(() => left(order)).toEqual([])
  })

  test('goes on where there is no target, and says so', async () => {
    const order = sandboxed('exit 0', { target: 'gone' })
    const { told, following } = await run(order)

    expect(told).toContain('there is no namespace gone')
    expect((await following()).end).toEqual({ kind: 'finished' })
    await engine.discard(order.name)
  })

  test('is reported with what it left, and its progress is told', async () => {
    const order = sandboxed('while [ ! -e /tmp/go ]; do sleep 0.1; done')
    const { told, following } = await run(order)
    const report = following()
    const core = `/api/v1/namespaces/${boxOf(order)}`
    const metadata = { name: podOf(order) }
    await post(`${core}/secrets`, { metadata, data: { fields: Buffer.from('{"a":1}').toString('base64') } })
    await post(`${core}/configmaps`, { metadata, data: { made: 'web' } })
    const annotations = { apb_last_operation: 'half done', apb_dashboard_url: 'web.example' }
    await post(`${core}/pods/${podOf(order)}`, { metadata: { annotations } }, 'PATCH')
    await expect.poll(() => told).toContain('half done')
    await engine.stop(order.name, 0)

    expect((await report).got.get('cluster')).toEqual({
      kind: 'cluster-objects',
      real: true,
      secret: { fields: new Uint8Array(Buffer.from('{"a":1}')) },
      state: { made: 'web' },
      annotations: expect.objectContaining(annotations),
      unserved: [],
    })
    await engine.discard(order.name)
  })

  test('is found by a broker that comes later, by its name and by the sweep', async () => {
    const order = sandboxed('echo one; exit 3')
    const { following } = await run(order)
    expect((await following()).steps).toEqual([{ name: 'only', exit: 3 }])
    const later = await open()

    expect(await later.look(order.name)).toEqual({ kind: 'started', ticket: order.name })
    expect((await later.list('test-cluster')).map(({ name }) => name)).toContain(order.name)
    expect((await later.follow(order.name, listener().watch)).steps).toEqual([{ name: 'only', exit: 3 }])
    await later.discard(order.name)
    await expect.poll(() => left(order)).toEqual([])
    expect(await later.look(order.name)).toEqual({ kind: 'absent' })
    await later.close()
  })

  test.for([
    ['the account', 'POST', /serviceaccounts$/],
    ['the role in the target', 'POST', /target\/rolebindings$/],
    ['the pod', 'POST', /\/pods$/],
  ] as const)(
    'that was cut short before %s is laid out by a later claim, or swept',
    async ([, method, path]) => {
      const broken = { kind: 'Status', message: 'broken off' }
      const order = sandboxed('exit 0')
      cluster.answer(method, path, 503, broken)
      await expect(engine.layOut(order, listener().watch)).rejects.toThrow('broken off')
      await expect(engine.start({ name: order.name, fence: 1 })).rejects.toThrow()
      await engine.layOut({ ...order, fence: 2 }, listener().watch)
      await expect(engine.layOut(order, listener().watch)).rejects.toThrow()

      expect(await engine.look(order.name)).toEqual({ kind: 'laid-out' })
      await engine.discard(order.name)
      await expect.poll(() => left(order)).toEqual([])

      const other = sandboxed('exit 0')
      cluster.answer(method, path, 503, broken)
      await expect(engine.layOut(other, listener().watch)).rejects.toThrow('broken off')
      expect((await engine.list('test-cluster')).map(({ name }) => name)).toContain(other.name)
      await engine.discard(other.name)
      await expect.poll(() => left(other)).toEqual([])
    },
  )

  test('that lost its sandbox leaves a role in the target, which the sweep removes', async () => {
    const order = sandboxed('sleep 100')
    await run(order)
    await post(`/api/v1/namespaces/${boxOf(order)}`, {}, 'DELETE')
    expect(left(order)).toHaveLength(1)
    await engine.list('test-cluster')

    expect(left(order)).toEqual([])
  })

  test('that failed is kept as long as the operator says, without a role and never to be started', async () => {
    const [keeping, forgetting] = [await open(3_600_000), await open(0)]
    const [failed, done] = [sandboxed('exit 3'), sandboxed('exit 0')]
    for (const order of [failed, done]) {
      const { following } = await run(order, keeping)
      await following()
      await keeping.discard(order.name)
    }
    await expect.poll(() => left(done)).toEqual([])
    expect(left(failed)).toContain(`/api/v1/namespaces/${boxOf(failed)}`)
    expect(left(failed).filter((path) => path.includes('/target/'))).toEqual([])
    await expect(keeping.start({ name: failed.name, fence: 1 })).rejects.toThrow()
    await keeping.list('test-cluster')
    expect(left(failed)).not.toEqual([])
    await forgetting.list('test-cluster')
    await expect.poll(() => left(failed)).toEqual([])
    await keeping.close()
    await forgetting.close()
  })

  test.for<[what: string, more: Partial<ClusterSandbox>, said: RegExp | undefined]>([
    ['a target that is named', {}, undefined],
    ['another target', { target: 'kube-system' }, /kube-system is not among kubernetes.sandboxes.targets/],
    ['the namespace of runs', { target: 'runs' }, /packages run in the namespace runs/],
    ['objects of a stand-in', { objects: Buffer.from('[{}]') }, /a stand-in holds/],
    ['no objects of a stand-in', { objects: Buffer.from('[]') }, undefined],
  ])('is refused in words, or not: %s', ([, more, said]) => {
    const refused = engine.refuses(sandboxed('exit 0', more).job)
    expect(refused?.detail ?? '').toMatch(said ?? /^$/)
  })

  test('needs rights, which are asked for and named with the role that gives them', async () => {
    expect(await engine.check(AbortSignal.timeout(60_000))).toEqual([])
    for (let i = 0; i < 16; i++) cluster.answer('POST', /selfsubjectaccessreviews$/, 201, { status: {} })
    const [inRuns, inCluster] = await engine.check(AbortSignal.timeout(60_000))

    expect(inRuns?.detail).toContain('in the namespace runs: get pods')
    expect(inCluster?.detail).toContain('in the cluster: get namespaces')
    expect(inCluster?.hint).toContain('kind: ClusterRole\n')
    expect(inCluster?.hint).toContain('resourceNames: [chandler-sandbox]\n    verbs: [bind]')
  })
})

function tokenOf(sub: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part({ sub })}.${part({})}`
}
