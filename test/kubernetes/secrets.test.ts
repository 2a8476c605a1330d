/** Secrets of bindings over every store: what is wished is carried out once, by whichever broker, and nothing is lost or left. */
import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { orders } from '../../src/broker/orders.ts'
import { openSecrets } from '../../src/engines/index.ts'
import { systemChance, systemClock } from '../../src/kit/clock.ts'
import { sha256 } from '../../src/kit/hash.ts'
import { type ClusterSecrets, secretNameOf } from '../../src/model/delivery.ts'
import type { Store } from '../../src/store/store.ts'
import { deliverDue } from '../../src/work/deliveries.ts'
import { freshFolder } from '../support/image.ts'
import { aBinding, anInstance } from '../support/rows.ts'
import { openTestStore, storeKinds } from '../support/stores.ts'
import { kubeconfigAt } from './kubeconfig.ts'
import { type PretendedCluster, startPretendedCluster } from './pretended.ts'

const folder = freshFolder('secrets')
const key = { platform: 'cf', instance: 'i-1', binding: 'b-1' }
const name = `/api/v1/namespaces/shop/secrets/${secretNameOf(key, sha256)}`

let cluster: PretendedCluster
let keeper: ClusterSecrets
beforeAll(async () => {
  cluster = await startPretendedCluster(() => undefined, ['shop'])
  const kubeconfig = kubeconfigAt(folder, cluster.server)
  keeper = openSecrets({ kubeconfig, clock: systemClock, environment: {} })
})
afterAll(async () => {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
})
afterEach(() => cluster.objects.kept.delete(name))

const faults: unknown[] = []

function partsOf(store: Store, by: ClusterSecrets = keeper): Parameters<typeof deliverDue>[0] {
  const newId = () => 'request'
  const ports = { store, newId, clock: systemClock, chance: systemChance, node: 'n-1' }
  const report = { event: (event: unknown) => void faults.push(event) }
  return { tools: { ports, cluster: { id: 'c-1', epoch: 1 }, report }, secrets: by }
}

/** A bound binding whose Secret is wished for. */
async function bound(store: Store, credentials: Readonly<Record<string, string>>): Promise<void> {
  await store.write(async (tx) => {
    await tx.putOffering({
      ...{ serviceId: 'service-1', planId: 'plan-1', digest: 'sha256:1', retired: false },
      document: {
        package: { name: 'p', digest: 'sha256:1', contract: 'sim' },
        service: { id: 'service-1', name: 'my-db' },
        plan: { id: 'plan-1', name: 'small' },
      },
    })
    await tx.lockInstance(key)
    await tx.lockBinding(key)
    await tx.putInstance(anInstance())
    await tx.putBinding(aBinding())
    await orders.putAnswer(tx, key, { credentials })
    await tx.wishDelivery(key, 'shop')
  })
}

async function unbound(store: Store): Promise<void> {
  await store.write((tx) => tx.wishDelivery(key, undefined))
}

function dataOf(secret: string): Readonly<Record<string, string>> {
  const data = (cluster.objects.kept.get(secret)?.['data'] ?? {}) as Readonly<Record<string, string>>
  return Object.fromEntries(
    Object.entries(data).map(([each, value]) => [each, Buffer.from(value, 'base64').toString()]),
  )
}

const secretsThere = (): readonly string[] =>
  [...cluster.objects.kept.keys()].filter((path) => path.includes('/secrets/'))

const stateOf = async (store: Store) =>
  (await store.look.deliveries(key)).map(({ wish, state, problem }) => [wish, state, problem?.code])

describe.each(storeKinds)('%s', (kind) => {
  test('a Secret holds what the binding gives, marked as ours, and goes with the binding', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await bound(store, { uri: 'redis://h', password: 'pw' })
    await deliverDue(partsOf(store))

    expect(dataOf(name)).toEqual({ uri: 'redis://h', password: 'pw', type: 'redis', provider: 'my-db' })
    expect(cluster.objects.kept.get(name)).toMatchObject({
      type: 'servicebinding.io/redis',
      metadata: { labels: { 'chandler.io/cluster': 'c-1', 'app.kubernetes.io/managed-by': 'chandler' } },
    })
    expect(await stateOf(store)).toEqual([['there', 'done', undefined]])

    await unbound(store)
    await deliverDue(partsOf(store))

    expect(secretsThere()).toEqual([])
    expect(await stateOf(store)).toEqual([['gone', 'done', undefined]])
    // What an attempt from before may still write is looked for once more, then nothing is left of it.
    await opened.advance(180_000)
    await deliverDue(partsOf(store))
    expect(await stateOf(store)).toEqual([])
    const actions = (await auditOf(store)).map(({ action }) => action)
    expect(actions).toEqual(['binding.deliver', 'binding.withdraw'])
    expect(faults).toEqual([])
  })

  test('what others changed or removed is as it should be again, also of another type', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await bound(store, { password: 'pw' })
    await deliverDue(partsOf(store))
    const there = cluster.objects.kept.get(name)
    if (there) cluster.objects.kept.set(name, { ...there, type: 'Opaque', data: {} })
    await opened.advance(2 * 3_600_000)
    await deliverDue(partsOf(store))
    expect([cluster.objects.kept.get(name)?.['type'], dataOf(name)['password']]).toEqual([
      'servicebinding.io/my-db',
      'pw',
    ])

    cluster.objects.kept.delete(name)
    await opened.advance(2 * 3_600_000)
    await deliverDue(partsOf(store))
    expect(dataOf(name)['password']).toBe('pw')
  })

  test('a Secret of another is neither changed nor removed, and the binding tells so', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const foreign = {
      metadata: { uid: 'u', resourceVersion: '1', labels: { app: 'shop' } },
      data: { a: 'Yg==' },
    }
    cluster.objects.kept.set(name, structuredClone(foreign))
    await bound(store, { password: 'pw' })
    await deliverDue(partsOf(store))
    expect(await stateOf(store)).toEqual([['there', 'failed', 'secret.foreign']])
    expect(await store.look.failedDeliveries(10)).toHaveLength(1)

    await unbound(store)
    await deliverDue(partsOf(store))
    expect(cluster.objects.kept.get(name)).toEqual(foreign)
    cluster.objects.kept.delete(name)
  })

  test.each<[string, number, string, string]>([
    ['is away', 503, 'the server is starting', 'engine.unavailable'],
    ['denies it', 403, 'secrets is forbidden', 'engine.denied'],
    ['does not take it', 422, 'data: too long, password was hunter22', 'secret.refused'],
  ])(
    'where the cluster %s, it is told without secrets and tried again',
    async (_what, status, message, code) => {
      await using opened = await openTestStore(kind)
      const { store } = opened
      await bound(store, { password: 'hunter22' })
      cluster.answer('POST', /secrets$/, status, { message })
      await deliverDue(partsOf(store))
      expect(await stateOf(store)).toEqual([['there', 'failed', code]])
      expect(JSON.stringify(await store.look.failedDeliveries(1))).not.toContain('hunter22')

      await opened.advance(5000)
      await deliverDue(partsOf(store))
      expect(await stateOf(store)).toEqual([['there', 'done', undefined]])
      expect(dataOf(name)['password']).toBe('hunter22')
    },
  )

  test('a broker that dies while it writes loses nothing: another takes it up after the lease', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await bound(store, { password: 'pw' })
    const taken = await store.write((tx) => tx.claimDeliveries({ leaseMs: 60_000, most: 10 }))
    expect(taken).toHaveLength(1)
    await deliverDue(partsOf(store))
    expect(secretsThere()).toEqual([])

    await opened.advance(61_000)
    await deliverDue(partsOf(store))
    expect(dataOf(name)['password']).toBe('pw')
  })

  test('an attempt that ends after the binding was deleted leaves no Secret', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await bound(store, { password: 'pw' })
    const late: ClusterSecrets = {
      remove: keeper.remove,
      async put(place, content, signal) {
        // The whole life of the binding passes while this broker stands still.
        await unbound(store)
        await deliverDue(partsOf(store))
        return keeper.put(place, content, signal)
      },
    }
    await deliverDue(partsOf(store, late))

    expect(secretsThere()).toEqual([])
    expect(await stateOf(store)).toMatchObject([['gone', 'done', undefined]])
  })

  test('several brokers write each Secret once', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await bound(store, { password: 'pw' })
    const before = cluster.asked.length
    const other = await opened.another()
    await Promise.all([deliverDue(partsOf(store)), deliverDue(partsOf(other))])

    expect(cluster.asked.slice(before).filter((one) => one.startsWith('POST'))).toHaveLength(1)
  })
})

async function auditOf(store: Store) {
  await store.write((tx) => tx.chainAudit(100))
  return store.look.audit(0, 100)
}
