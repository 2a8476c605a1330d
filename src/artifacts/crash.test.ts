import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { nobodyId, whyNobodyCannot } from '../../test/engines/as-nobody.ts'
import { type FlakyServer, startFlakyServer } from '../../test/support/flaky-server.ts'
import { tar } from '../../test/support/hostile.ts'
import { freshFolder, imageOfLayers } from '../../test/support/image.ts'
import { openArtifactStore } from './artifacts.ts'

const home = freshFolder('crash', 'memory')
const { signal } = new AbortController()
const quiet = { signal, progress: () => undefined }
const door = fileURLToPath(new URL('./index.ts', import.meta.url))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Serves the blobs and the one manifest of a layout; lets `hold` decide how much of a blob goes out at first. */
async function serveLayout(
  layout: string,
  hold: (path: string, bytes: Buffer) => number,
): Promise<FlakyServer> {
  return await startFlakyServer((request, response) => {
    const name = request.url?.split('/').at(-1) ?? ''
    const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'))
    const digest = name.startsWith('sha256:') ? name : (index.manifests[0].digest as string)
    const bytes = readFileSync(join(layout, 'blobs/sha256', digest.slice('sha256:'.length)))
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const headers = {
      'content-length': bytes.length - from,
      'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
    }
    response.writeHead(from > 0 ? 206 : 200, headers)
    const most = hold(name, bytes)
    if (most < bytes.length) response.write(bytes.subarray(from, most))
    else response.end(bytes.subarray(from))
  })
}

/** Another process that opens and unpacks an image. */
function puller(
  folder: string,
  reference: string,
  identity: { readonly uid?: number; readonly gid?: number } = {},
  more: object = {},
): ChildProcess {
  const script = `
    const { openArtifactStore } = await import(${JSON.stringify(door)})
    const { images } = openArtifactStore(${JSON.stringify({ folder, ...more })})
    const quiet = { signal: new AbortController().signal, progress: () => undefined }
    const { digest } = await images.open(${JSON.stringify(reference)})
    const { layers } = await images.unpack({ reference: ${JSON.stringify(reference)}, digest, ...quiet })
    console.log(JSON.stringify({ layers, stacking: await images.stacking() }))
    await images.close()`
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...identity,
  })
}

test('a pull killed in the middle is finished by the next process, which asks for the rest only', async () => {
  const big = randomBytes(2_000_000)
  const layout = join(home, 'killed-layout')
  imageOfLayers(layout, [tar({ path: 'big', content: big })])
  const started = Promise.withResolvers<void>()
  let free = false
  const server = await serveLayout(layout, (name, bytes) => {
    if (bytes.length < 1_000_000 || free) return bytes.length
    started.resolve()
    return name === '' ? 0 : 1_000_000
  })
  const folder = join(home, 'killed')
  const reference = `docker://${server.host}/app:v1`
  const child = puller(folder, reference)
  const gone = new Promise((resolve) => child.once('exit', resolve))
  await started.promise
  await fileOf(join(folder, 'partial'), 500_000)

  child.kill('SIGKILL')
  await gone
  free = true
  const store = openArtifactStore({ folder })
  const { digest } = await store.images.open(reference)
  const { layers } = await store.images.unpack({ reference, digest, ...quiet })
  await Promise.all([store.close(), server.stop()])

  expect(readFileSync(join(layers[0] ?? '', 'big')).equals(big)).toBe(true)
  expect(server.asked.at(-1)).toMatch(/ bytes=[1-9]\d+-$/)
  expect(readdirSync(join(folder, 'partial'))).toEqual([])
})

test('an unpacking killed in the middle leaves no layer that counts, and the sweep clears what it left', async () => {
  const folder = join(home, 'half')
  const reference = imageOfLayers(join(home, 'half-layout'), [
    tar(...Array.from({ length: 3000 }, (_, i) => ({ path: `d${i % 50}/f${i}`, content: `${i}` }))),
  ])
  const child = puller(folder, reference)
  const gone = new Promise((resolve) => child.once('exit', resolve))
  await someFolder(join(folder, 'layers'))

  child.kill('SIGKILL')
  await gone
  const whole = readdirSync(join(folder, 'layers')).filter((name) => !name.includes('.'))
  const store = openArtifactStore({ folder })
  const { digest } = await store.images.open(reference)
  const { layers } = await store.images.unpack({ reference, digest, ...quiet })
  await store.close()
  await store.sweep({ keep: [digest], unusedMs: -1, now: Date.now() })

  // Killed before the end, or else just after it: either is a state to go on from.
  expect(whole.every((name) => existsSync(join(folder, 'layers', name, 'cell.json')))).toBe(true)
  expect(readdirSync(layers[0] ?? '')).toHaveLength(50)
  expect(readdirSync(join(folder, 'layers')).filter((name) => name.includes('.'))).toEqual([])
})

test.skipIf(whyNobodyCannot() !== undefined)(
  'without root an image unpacks flat, all of it ours',
  async () => {
    const layout = join(home, 'rootless-layout')
    const reference = imageOfLayers(layout, [
      tar(
        { path: 'd', kind: 'folder', uid: 7 },
        { path: 'd/a', content: 'a', uid: 7, gid: 8 },
        { path: 'd/b', content: 'b' },
      ),
      tar(
        { path: 'd/.wh.a' },
        { path: 'closed', kind: 'folder', mode: 0 },
        { path: 'closed/c', content: 'c', mode: 0o400 },
      ),
    ])
    const folder = join(home, 'rootless')
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    chmodSync(home, 0o755)

    const child = puller(folder, reference, { uid: nobodyId, gid: nobodyId }, { stacking: 'flat' })
    const output = await new Promise<string>((resolve) => {
      let text = ''
      child.stdout?.on('data', (piece: Buffer) => (text += piece.toString()))
      child.once('close', () => resolve(text))
    })
    const { layers, stacking } = JSON.parse(output) as { layers: readonly string[]; stacking: string }

    expect(stacking).toBe('flat')
    expect(layers).toHaveLength(1)
    expect(readdirSync(join(layers[0] ?? '', 'd'))).toEqual(['b'])
    expect(statSync(join(layers[0] ?? '', 'd')).uid).toBe(nobodyId)
    expect(readFileSync(join(layers[0] ?? '', 'closed/c'), 'utf8')).toBe('c')
  },
)

/** Resolves when a file of at least so many bytes lies in a folder. */
async function fileOf(folder: string, bytes: number): Promise<void> {
  const isThere = (): boolean =>
    existsSync(folder) &&
    readdirSync(folder).some(
      (name) => (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) >= bytes,
    )
  while (!isThere()) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves when something lies in a folder. */
async function someFolder(folder: string): Promise<void> {
  while (!existsSync(folder) || readdirSync(folder).length === 0)
    await new Promise((resolve) => setImmediate(resolve))
}
