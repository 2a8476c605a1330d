import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freshFolder, imageInLayout, writeTree } from '../../test/support/image.ts'
import { toProblem } from '../model/problem.ts'
import { openArtifactStore } from './artifacts.ts'

const home = freshFolder('images')
const signal = new AbortController().signal
afterAll(() => rmSync(home, { recursive: true, force: true }))

test('an image of a layout opens and unpacks, and a second unpack needs no source', async () => {
  const root = writeTree(join(home, 'root'), { 'etc/greeting': 'hello', 'bin/sh': { link: 'busybox' } })
  const layout = join(home, 'layout')
  const built = await imageInLayout(layout, 'v1', {
    root,
    settings: { entrypoint: ['/bin/sh'], labels: { a: 'b' }, environment: ['A=1'], user: '1000' },
  })
  const store = openArtifactStore({ folder: join(home, 'store') }).images

  const image = await store.open(built.reference)
  const wanted = { reference: built.reference, digest: image.digest, signal, progress: () => undefined }
  const first = await store.unpack(wanted)
  rmSync(layout, { recursive: true })
  const again = await openArtifactStore({ folder: join(home, 'store') }).images.unpack(wanted)
  await store.close()

  expect(image).toMatchObject({
    digest: built.digest,
    config: { entrypoint: ['/bin/sh'], labels: { a: 'b' }, environment: ['A=1'], user: '1000' },
  })
  expect(readFileSync(join(first.layers[0] ?? '', 'etc/greeting'), 'utf8')).toBe('hello')
  expect(again).toEqual(first)
})

test('by digest an image opens though its layout is gone', async () => {
  const root = writeTree(join(home, 'gone-root'), { x: 'x' })
  const layout = join(home, 'gone-layout')
  const { reference, digest } = await imageInLayout(layout, 'v1', { root })
  const store = openArtifactStore({ folder: join(home, 'gone-store') }).images
  await store.open(reference)
  rmSync(layout, { recursive: true })

  expect((await store.open(`${reference}@${digest}`)).digest).toBe(digest)
  await expect(store.open(reference)).rejects.toMatchObject({ problem: { code: 'artifact.not-found' } })
})

test('one that gives up unpacking does not stop the other', async () => {
  const root = writeTree(join(home, 'two-root'), { x: Buffer.alloc(3_000_000, 'x') })
  const { reference, digest } = await imageInLayout(join(home, 'two-layout'), 'v1', { root })
  const store = openArtifactStore({ folder: join(home, 'two-store') }).images
  const impatient = new AbortController()
  const wanted = { reference, digest, progress: () => undefined }
  const first = store.unpack({ ...wanted, signal: impatient.signal }).catch(toProblem)
  const second = store.unpack({ ...wanted, signal })

  impatient.abort()

  expect(await first).toMatchObject({ code: 'artifact.stopped' })
  expect(readFileSync(join((await second).layers[0] ?? '', 'x')).length).toBe(3_000_000)
  await store.close()
})
