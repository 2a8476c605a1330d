import { randomBytes } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startFlakyServer } from '../../../test/support/flaky-server.ts'
import { tar } from '../../../test/support/hostile.ts'
import { freshFolder, imageOfLayers } from '../../../test/support/image.ts'
import type { Clock } from '../../kit/clock.ts'
import { toProblem } from '../../model/problem.ts'
import { collect } from '../archive/collect.ts'
import { openArtifactStore } from '../artifacts.ts'
import { digestOf } from '../digest.ts'
import { checked } from '../oci/checked.ts'
import type { Descriptor } from '../oci/manifest.ts'
import type { Stretch } from '../oci/place.ts'
import { registrySource } from '../registry/registry-source.ts'
import { openSession } from '../registry/session.ts'
import { type ContentStore, openContentStore } from './content-store.ts'
import type { Origin } from './download.ts'

const home = freshFolder('content')
const never = new AbortController().signal
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Pauses take no time and are counted. */
function hastyClock(): Clock & { readonly slept: number[] } {
  const slept: number[] = []
  return { slept, now: () => 0, monotonic: () => 0, sleep: async (ms) => void slept.push(ms) }
}

let count = 0
async function open(clock = hastyClock()): Promise<ContentStore & { readonly clock: typeof clock }> {
  const folder = join(home, `store-${count++}`)
  const store = await openContentStore(folder, clock, { bytes: () => new Uint8Array(), number: () => 0.5 })
  return { ...store, clock }
}

function descriptorOf(bytes: Uint8Array): Descriptor {
  return { mediaType: 'application/octet-stream', digest: digestOf(bytes), size: bytes.length }
}

/** Gives pieces of bytes from where it is asked, and breaks where the script says. */
function origin(
  bytes: Uint8Array,
  script: { readonly breakAt?: readonly number[]; readonly ranges?: boolean } = {},
): Origin & { readonly asked: number[] } {
  const asked: number[] = []
  const breaks = [...(script.breakAt ?? [])]
  const give = async (from: number): Promise<Stretch> => {
    asked.push(from)
    const start = script.ranges === false ? 0 : from
    const stop = breaks.shift()
    async function* pieces(): AsyncIterable<Uint8Array> {
      for (let at = start; at < bytes.length; at += 1000) {
        if (stop !== undefined && at >= stop)
          throw Object.assign(new Error('cut off'), { code: 'ECONNRESET' })
        yield bytes.subarray(at, Math.min(at + 1000, bytes.length))
      }
    }
    return { from: start, bytes: pieces() }
  }
  return Object.assign(give, { asked })
}

const watch = { signal: never, progress: () => undefined }

async function codeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'no problem',
    (error: unknown) => toProblem(error).code,
  )
}

test('what arrives is told once, however many wait for it, and all that is there has a size', async () => {
  const told: number[] = []
  const folder = join(home, 'told')
  const store = await openContentStore(folder, hastyClock(), undefined, (bytes) => told.push(bytes))
  const bytes = randomBytes(5000)

  await Promise.all([1, 2].map(() => store.fetch(descriptorOf(bytes), origin(bytes), watch)))
  await store.keep(randomBytes(30))

  expect(told.reduce((sum, piece) => sum + piece, 0)).toBe(5000)
  expect(await store.size()).toBe(5030)
})

test('content that comes is there under its digest, and what is there is not fetched again', async () => {
  const store = await open()
  const bytes = randomBytes(5000)
  const from = origin(bytes)

  const path = await store.fetch(descriptorOf(bytes), from, watch)
  await store.fetch(descriptorOf(bytes), from, watch)

  expect(readFileSync(path).equals(bytes)).toBe(true)
  expect(from.asked).toEqual([0])
  expect(readdirSync(join(store.folder, 'partial'))).toEqual([])
})

test('a transfer that breaks goes on where it was, after a pause', async () => {
  const store = await open()
  const bytes = randomBytes(5000)
  const from = origin(bytes, { breakAt: [2000, 4000] })

  const path = await store.fetch(descriptorOf(bytes), from, watch)

  expect(readFileSync(path).equals(bytes)).toBe(true)
  expect(from.asked).toEqual([0, 2000, 4000])
  expect(store.clock.slept).toHaveLength(2)
})

test('an origin that cannot start in the middle is read from its start', async () => {
  const store = await open()
  const bytes = randomBytes(5000)

  const path = await store.fetch(
    descriptorOf(bytes),
    origin(bytes, { breakAt: [3000], ranges: false }),
    watch,
  )

  expect(readFileSync(path).equals(bytes)).toBe(true)
})

test('an origin that brings nothing new five times is given up, and what came is kept for the next attempt', async () => {
  const store = await open()
  const bytes = randomBytes(5000)
  const broken = origin(bytes, { breakAt: [2000, 2000, 2000, 2000, 2000, 2000, 2000] })

  const given = await codeOf(store.fetch(descriptorOf(bytes), broken, watch))
  const next = origin(bytes)
  const path = await (await openContentStore(store.folder)).fetch(descriptorOf(bytes), next, watch)

  expect(given).toBe('registry.unreachable')
  expect(next.asked).toEqual([2000])
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['other bytes', (bytes) => Buffer.from(bytes).fill(7, 10, 20)],
  ['more bytes', (bytes) => Buffer.concat([bytes, Buffer.from('more')])],
])('%s than the digest says are refused and leave nothing', async (_, change) => {
  const store = await open()
  const bytes = randomBytes(5000)

  const given = await codeOf(store.fetch(descriptorOf(bytes), origin(change(bytes)), watch))

  expect(given).toBe('artifact.altered')
  expect(await store.has(digestOf(bytes))).toBe(false)
})

test('fewer bytes than the digest says are asked for again, and refused in the end', async () => {
  const store = await open()
  const bytes = randomBytes(5000)

  expect(await codeOf(store.fetch(descriptorOf(bytes), origin(bytes.subarray(0, 3000)), watch))).toBe(
    'registry.failed',
  )
})

test('a damaged rest of an earlier attempt does not spoil the next one', async () => {
  const store = await open()
  const bytes = randomBytes(5000)
  const { digest } = descriptorOf(bytes)
  writeFileSync(join(store.folder, 'partial', `${digest.replace(':', '-')}.idle`), randomBytes(2500))
  const from = origin(bytes)

  const path = await store.fetch(descriptorOf(bytes), from, watch)

  expect(from.asked).toEqual([2500, 0])
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

test('the rest that a dead process left is taken over, that of a living one is not', async () => {
  const store = await open()
  const bytes = randomBytes(5000)
  const stem = descriptorOf(bytes).digest.replace(':', '-')
  writeFileSync(join(store.folder, 'partial', `${stem}.1.abc`), bytes.subarray(0, 1000))
  const beside = origin(bytes)
  await store.fetch(descriptorOf(bytes), beside, watch)
  await store.drop(digestOf(bytes))
  writeFileSync(join(store.folder, 'partial', `${stem}.99999999.abc`), bytes.subarray(0, 3000))
  const after = origin(bytes)

  await store.fetch(descriptorOf(bytes), after, watch)

  expect(beside.asked).toEqual([0])
  expect(after.asked).toEqual([3000])
})

test('two that want the same share one transfer, and it ends when both have given up', async () => {
  const store = await open()
  const bytes = randomBytes(5000)
  const from = origin(bytes)

  const paths = await Promise.all([1, 2, 3].map(() => store.fetch(descriptorOf(bytes), from, watch)))

  expect(new Set(paths).size).toBe(1)
  expect(from.asked).toEqual([0])
})

test('one that gives up does not stop the other', async () => {
  const store = await open()
  const bytes = randomBytes(3000)
  const gate = Promise.withResolvers<void>()
  const slow: Origin = async (from, signal) => {
    await gate.promise
    return await origin(bytes)(from, signal)
  }
  const impatient = new AbortController()
  const first = codeOf(store.fetch(descriptorOf(bytes), slow, { ...watch, signal: impatient.signal }))
  const second = store.fetch(descriptorOf(bytes), slow, watch)

  impatient.abort()
  const gaveUp = await first
  gate.resolve()

  expect(gaveUp).toBe('artifact.stopped')
  expect(readFileSync(await second).equals(bytes)).toBe(true)
})

test('a document is verified again when it is read', async () => {
  const store = await open()
  const digest = await store.keep(Buffer.from('{"a":1}'))
  writeFileSync(store.pathOf(digest), '{"a":2}')

  expect(await codeOf(store.document(digest))).toBe('artifact.altered')
})

test('what is larger than allowed is refused and leaves nothing', async () => {
  const store = await open()
  const digest = await store.keep(Buffer.alloc(5_000_000, ' '))
  async function* pieces(): AsyncIterable<Uint8Array> {
    for (;;) yield Buffer.alloc(1000)
  }

  expect(await codeOf(store.document(digest))).toBe('artifact.too-large')
  expect(await codeOf(store.keepStream(pieces(), 10_000))).toBe('artifact.too-large')
  expect(readdirSync(join(store.folder, 'partial'))).toEqual([])
})

test('what is no digest names no file', async () => {
  const store = await open()

  expect(() => store.pathOf('sha256:../../etc/passwd')).toThrow('digest')
})

test('a registry that breaks off is asked for the rest only, by its range', async () => {
  const bytes = randomBytes(400_000)
  const server = await startFlakyServer((request, response, before) => {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': bytes.length - from,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    })
    if (before > 0) response.end(bytes.subarray(from))
    else response.write(bytes.subarray(0, 200_000), () => response.destroy())
  })
  const source = registrySource({ host: server.host, repository: 'app' }, openSession(server.host, 'app', {}))
  const store = await open()
  const wanted = descriptorOf(bytes)

  const path = await store.fetch(wanted, (from, signal) => source.blob(wanted, from, signal), watch)
  await Promise.all([source.close(), server.stop()])

  expect(readFileSync(path).equals(bytes)).toBe(true)
  expect(server.asked.at(-1)).toMatch(/bytes=[1-9]\d*-$/)
})

test('the sweep throws away what nothing keeps, and only what was not used of late', async () => {
  const folder = join(home, 'swept')
  const store = openArtifactStore({ folder })
  const digests: string[] = []
  for (const name of ['kept', 'old', 'new']) {
    const reference = imageOfLayers(join(folder, `layout-${name}`), [
      tar({ path: name }),
      tar({ path: `${name}/x` }),
    ])
    const { digest } = await store.images.open(reference)
    await store.images.unpack({ reference, digest, signal: never, progress: () => undefined })
    digests.push(digest)
  }
  await store.close()
  age(folder)
  await openArtifactStore({ folder }).images.open(`oci:${join(folder, 'layout-new')}`)
  mkdirSync(join(folder, 'layers', 'abc.99999999.dead'))
  writeFileSync(join(folder, 'partial', 'sha256-x.99999999.dead'), 'rest')
  age(join(folder, 'partial'))
  utimesSync(join(folder, 'layers', 'abc.99999999.dead'), 0, 0)

  const swept = await store.sweep({
    keep: [digests[0] ?? '', 'nonsense'],
    unusedMs: 3_600_000,
    now: Date.now(),
  })

  const blobs = readdirSync(join(folder, 'blobs/sha256'))
  expect(digests.map((digest) => blobs.includes(digest.slice('sha256:'.length)))).toEqual([true, false, true])
  expect(readdirSync(join(folder, 'layers'))).toHaveLength(2)
  expect(existsSync(join(folder, 'partial/sha256-x.99999999.dead'))).toBe(false)
  expect(swept).toMatchObject({ blobs: 6, layers: 6 })
})

function age(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), 0, 0)
  }
}

test('a file that is read for a digest of no known kind is closed again', async () => {
  const path = join(home, 'of-no-known-kind')
  writeFileSync(path, 'some bytes')
  const stream = createReadStream(path)
  const wanted = { mediaType: 'x', digest: 'md5:d41d8cd98f00b204e9800998ecf8427e', size: 10 }

  await expect(collect(checked(wanted, stream), 100)).rejects.toMatchObject({
    problem: { code: 'artifact.altered' },
  })
  expect(stream.destroyed).toBe(true)
})
