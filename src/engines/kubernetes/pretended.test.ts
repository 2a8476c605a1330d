import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engineSuite } from '../../../test/engine-suite.ts'
import { testImages } from '../../../test/engines/images.ts'
import { type Images, jobOf, listener, orderOf } from '../../../test/engines/run-row.ts'
import { kubeconfigAt } from '../../../test/kubernetes/kubeconfig.ts'
import { type PretendedCluster, startPretendedCluster } from '../../../test/kubernetes/pretended.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { systemClock } from '../../kit/clock.ts'
import { usualLimits } from '../../model/job.ts'
import type { Engine } from '../engine.ts'
import { openKubernetesEngine } from './index.ts'

const clusters: PretendedCluster[] = []
const folders: string[] = []
afterAll(async () => {
  for (const cluster of clusters) await cluster.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** One that is gone with the tests. */
function ownFolder(name: string): string {
  const folder = freshFolder(name)
  folders.push(folder)
  return folder
}

interface Opened {
  readonly cluster: PretendedCluster
  readonly engine: Engine
}

async function open(
  folder: string,
  images: Images,
  { rootsIn = folder, startMs = 120_000, silenceMs = 60_000 } = {},
): Promise<Opened> {
  const roots = new Map(
    Object.entries(images).map(([name, { digest }]) => [digest, join(rootsIn, `root-${name}`)]),
  )
  const cluster = await startPretendedCluster((image) =>
    image === 'helper' ? join(rootsIn, 'root-plain') : roots.get(image.split('@')[1] ?? ''),
  )
  clusters.push(cluster)
  const kubeconfig = kubeconfigAt(folder, cluster.server)
  const artifacts = openArtifactStore({ folder: join(folder, 'artifacts') })
  const engine = await openKubernetesEngine({
    kubeconfig,
    helper: 'helper',
    registry: 'registry.test/packages',
    startMs,
    silenceMs,
    images: artifacts.images,
    copier: { copy: async () => undefined },
    supplies: artifacts,
    clock: systemClock,
    environment: {},
  })
  return { cluster, engine }
}

const missing = whyNot()

function whyNot(): string | undefined {
  if (process.geteuid?.() !== 0) return 'a pretended cluster runs its pods as root'
  const absent = ensurePrograms('busybox', 'unshare', 'nsenter', 'pgrep')
  if (absent !== undefined) return absent
  const words = ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/']
  return spawnSync('unshare', words).status === 0 ? undefined : 'namespaces cannot be made here'
}

engineSuite({
  name: 'kubernetes engine, on a cluster that is pretended',
  missing,
  shell: true,
  open: async (folder, images) => (await open(folder, images)).engine,
  printed: () =>
    clusters
      .flatMap(({ pods }) => [...pods.values()].map((pod) => join(pod.folder, 'volumes/run')))
      .filter((path) => existsSync(path)),
  // Of each kind; all of them are for the real cluster.
  only: [
    'arguments keep newlines and other alphabets',
    'the user of the image is looked up in the image, with its groups',
    'the user of the step wins, and may be unknown to the image',
    'a script whose interpreter is missing does not start, and it is named',
    'a missing program did not start',
    'the first step that fails is the last',
    'each step has its own user, folder and environment',
    'missing folders above a file are made for the user',
    'a file takes the place of one of the image',
    'a folder holds what an earlier run left',
    'the files below a folder come with path, mode and bytes; links and pipes are noted',
    'captured output is not logged, errors are',
    'merged streams are one log in the order written',
    'output over its limit ends the run at once',
    'the log is seen while the program runs',
    'the run is over when the program is, though children hold its streams',
    'at the deadline the program is asked to end, and may',
    'a program that does not listen is killed after the grace',
    'a file wanted while the program runs is handed over before its end',
    'a running program is asked until it answers',
  ],
})

describe.skipIf(missing !== undefined)('what an API server may answer', () => {
  const folder = ownFolder('pretended')
  let images: Images
  let opened: Opened
  beforeAll(async () => {
    images = await testImages(folder)
    opened = await open(folder, images)
  })
  const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
    await work.then(
      () => 'done',
      (error: { readonly problem?: { readonly code: string } }) => error.problem?.code ?? error,
    )
  const order = (script = 'echo one; sleep 1; echo two') =>
    orderOf(jobOf({ script, step: { streams: { kind: 'merged' } } }, images.plain))
  /** A run whose program has said its first word. */
  const running = async ({ engine }: Opened, script?: string) => {
    const one = order(script)
    const { watch, log } = listener()
    await engine.layOut(one, watch)
    const following = engine.follow(await engine.start({ name: one.name, fence: 1 }), watch)
    await expect.poll(() => log().toString()).toContain('one\n')
    return { one, following, log }
  }
  const pods = '/api/v1/namespaces/runs/pods'

  test.for([
    [403, 'pods "x" is forbidden: exceeded quota: small, requested: pods=1', 'engine.quota-exceeded'],
    [403, 'pods is forbidden: User "x" cannot create resource "pods"', 'engine.denied'],
    [401, 'Unauthorized', 'engine.denied'],
    [503, 'the server is overloaded', 'engine.unavailable'],
    [422, 'spec.containers: Required value', 'engine.start-failed'],
  ] as const)('%d %s is told as %s', async ([status, message, code]) => {
    const { cluster, engine } = opened
    const times = status === 401 ? 2 : 1
    for (let i = 0; i < times; i++) cluster.answer('POST', /pods$/, status, { kind: 'Status', message })

    expect(await codeOf(engine.layOut(order(), listener().watch))).toBe(code)
  })

  test('a namespace that is new is waited for', async () => {
    const { cluster, engine } = opened
    const message = 'No API token found for service account "default", retry'
    cluster.answer('POST', /pods$/, 500, { kind: 'Status', reason: 'ServerTimeout', message })
    const one = order()
    await engine.layOut(one, listener().watch)

    expect((await engine.look(one.name)).kind).toBe('laid-out')
    await engine.discard(one.name)
  })

  test('an image that cannot be pulled is told as such', async () => {
    const one = order()
    const cluster = await startPretendedCluster(() => undefined)
    clusters.push(cluster)
    const place = ownFolder('unpulled')
    const other = await openKubernetesEngine({
      kubeconfig: kubeconfigAt(place, cluster.server),
      registry: 'registry.test/packages',
      images: openArtifactStore({ folder: join(place, 'artifacts') }).images,
      copier: { copy: async () => undefined },
      supplies: openArtifactStore({ folder: join(place, 'artifacts') }),
      clock: systemClock,
      environment: {},
    })

    expect(await codeOf(other.layOut(one, listener().watch))).toBe('engine.image-unavailable')
    await other.discard(one.name)
    await other.close()
  })

  test('a pod that no node takes is told as such, with what the scheduler says', async () => {
    const { cluster, engine } = await open(ownFolder('unscheduled'), images, { startMs: 500 })
    cluster.hold('0/1 nodes are available: 1 Insufficient memory.')
    const one = order()

    expect(await codeOf(engine.layOut(one, listener().watch))).toBe('engine.unschedulable')
    await engine.discard(one.name)
    await engine.close()
  })

  test('a watch that is cut, and a place in it that is forgotten, lose no run', async () => {
    const { cluster, engine } = opened
    const one = order()
    const { watch, log } = listener()
    const laying = engine.layOut(one, watch)
    cluster.forget()
    await laying
    const following = engine.follow(await engine.start({ name: one.name, fence: 1 }), watch)
    await expect.poll(() => log().toString()).toContain('one\n')
    cluster.forget()

    expect((await following).end).toEqual({ kind: 'finished' })
    await engine.discard(one.name)
  })

  test('a connection that breaks is made anew, and nothing is told twice', async () => {
    const { cluster, engine } = opened
    const { one, following, log } = await running(opened)
    cluster.breakOff()

    expect((await following).end).toEqual({ kind: 'finished' })
    expect(log().toString()).toBe('one\ntwo\n')
    await engine.discard(one.name)
  })

  test('a pod that others delete is a run that is lost', async () => {
    const { cluster } = opened
    const { one, following } = await running(opened, 'echo one; sleep 1000')
    await fetch(`${cluster.server}${pods}/${one.name}`, { method: 'DELETE' })

    expect((await following).end).toEqual({ kind: 'lost' })
  })

  test('a pod that others delete while its files are put in is made anew', async () => {
    const { cluster, engine } = opened
    const one = order()
    cluster.freeze()
    const laying = codeOf(engine.layOut(one, listener().watch))
    await expect.poll(() => cluster.connected).toBeGreaterThan(0)
    await cluster.takeAway(one.name)

    // Its node tells nothing: only the watch does.
    expect(await laying).toBe('engine.unavailable')
    cluster.speak()
    await engine.layOut(one, listener().watch)
    const following = engine.follow(await engine.start({ name: one.name, fence: 1 }), listener().watch)
    expect((await following).end).toEqual({ kind: 'finished' })
    await engine.discard(one.name)
  })

  test('a pod that others delete while the watch is cut is a run that is lost', async () => {
    const { cluster } = opened
    const { one, following } = await running(opened, 'echo one; sleep 1000')
    cluster.freeze()
    cluster.forget()
    await cluster.takeAway(one.name)

    expect((await following).end).toEqual({ kind: 'lost' })
    cluster.speak()
  })

  describe('when nothing is heard of it any more', () => {
    let silent: Opened
    beforeAll(async () => {
      silent = await open(ownFolder('silent'), images, { rootsIn: folder, silenceMs: 4_000 })
    })

    test('what it does not answer is told as such', async () => {
      const { cluster, engine } = silent
      cluster.silence()

      expect(await codeOf(engine.layOut(order(), listener().watch))).toBe('engine.unavailable')
      cluster.speak()
    })

    test('a connection to a program is made anew, and nothing is told twice', async () => {
      const { cluster, engine } = silent
      const { one, following, log } = await running(silent, 'echo one; sleep 10; echo two')
      cluster.silence()
      await expect.poll(() => cluster.connected, { timeout: 60_000 }).toBe(0)
      cluster.speak()

      expect((await following).end).toEqual({ kind: 'finished' })
      expect(log().toString()).toBe('one\ntwo\n')
      await engine.discard(one.name)
    })

    test('a program that says nothing for long is no broken connection', async () => {
      const { cluster, engine } = silent
      const one = order('echo one; sleep 14; echo two')
      const { watch } = listener()
      await engine.layOut(one, watch)
      const asked = cluster.asked.length
      const following = engine.follow(await engine.start({ name: one.name, fence: 1 }), watch)

      expect((await following).end).toEqual({ kind: 'finished' })
      const connections = cluster.asked.slice(asked).filter((line) => line.startsWith('EXEC')).length
      // To start it, to hear it, and once where the word to begin is said again.
      expect(connections).toBeLessThanOrEqual(3)
      await engine.discard(one.name)
    })

    test('a watch is made anew', async () => {
      const { cluster } = silent
      const { one, following } = await running(silent, 'echo one; sleep 1000')
      // The connection to the program lives, but nothing comes of it; the watch does not.
      cluster.freeze()
      cluster.deafen()
      await cluster.takeAway(one.name)

      expect((await following).end).toEqual({ kind: 'lost' })
      cluster.speak()
    })
  })

  test('a pod of others under the name is left alone', async () => {
    const { cluster, engine } = opened
    const one = order()
    const foreign = {
      metadata: { name: one.name, labels: {} },
      spec: { initContainers: [], containers: [] },
    }
    await fetch(`${cluster.server}${pods}`, { method: 'POST', body: JSON.stringify(foreign) })

    expect(await codeOf(engine.layOut(one, listener().watch))).toBe('engine.name-conflict')
    expect((await engine.look(one.name)).kind).toBe('foreign')
    await engine.discard(one.name)
    expect(cluster.pods.has(one.name)).toBe(true)
  })

  test('only what carries our label is asked for', async () => {
    const { cluster } = opened

    expect(cluster.asked.filter((line) => line === `GET ${pods}`).length).toBeGreaterThan(0)
    expect(cluster.listed.every((query) => query.includes('labelSelector='))).toBe(true)
  })

  test('what lacks of its rights is named, with the role that gives it', async () => {
    const { cluster, engine } = opened
    expect(await engine.check(AbortSignal.timeout(60_000))).toEqual([])
    cluster.answer('POST', /selfsubjectaccessreviews$/, 201, { status: { allowed: false } })

    expect(await engine.check(AbortSignal.timeout(60_000))).toEqual([
      {
        code: 'engine.denied',
        detail: expect.stringContaining('in the namespace runs: get pods'),
        hint: expect.stringContaining('resources: [pods]\n    verbs: [get]'),
      },
    ])
  })

  test('what no pod can do is refused', () => {
    const { engine } = opened
    const job = jobOf({ script: 'exit 0' }, images.plain)

    expect(engine.refuses({ ...job, lent: [{ address: '127.0.0.1', port: 1 }] })?.code).toBe('engine.refused')
    expect(engine.refuses({ ...job, needs: { ...job.needs, engineSocket: true } })?.code).toBe(
      'engine.refused',
    )
    expect(engine.refuses({ ...job, limits: usualLimits })).toBeUndefined()
  })
})
