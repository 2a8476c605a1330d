/** A source of 1,000 bundles at a registry of this machine, listed first and again, against the bare requests. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { makeLiveCatalog } from '../../src/catalog/live-catalog.ts'
import { systemChance, systemClock } from '../../src/kit/clock.ts'
import { inParallel } from '../../src/kit/in-parallel.ts'
import { loadSettings } from '../../src/settings/load.ts'
import { openStore } from '../../src/store/index.ts'
import { openKeyRing } from '../../src/store/keys.ts'
import { bundleLabels, pushImage } from '../../test/sources/push.ts'
import { freshFolder } from '../../test/support/image.ts'
import { startRegistry } from '../../test/support/registry.ts'
import { type Figure, median } from '../figures.ts'

const images = Number(process.env['N'] ?? 1000)
const rounds = 3
const atOnce = 8
const { signal } = new AbortController()

/** Pushes the images, then measures both ways in turn. */
export async function refreshFigures(): Promise<readonly Figure[]> {
  const registry = await startRegistry({})
  const folder = freshFolder('bench-refresh')
  try {
    const names = Array.from({ length: images }, (_, i) => `org/bundle-${String(i).padStart(4, '0')}-apb`)
    await inParallel(names, atOnce, (name) =>
      pushImage(registry.host, name, bundleLabels(name.replace('/', '-'))),
    )
    await bare(registry.host, names, true)
    const first: (readonly [number, number])[] = []
    const again: (readonly [number, number])[] = []
    const heap: number[] = []
    for (let round = 0; round < rounds; round++) {
      const listing = await openLister(registry.host, `${folder}/${round}`)
      first.push([await timed(listing.ask), await timed(() => bare(registry.host, names, true))])
      for (let i = 0; i < 2; i++) {
        again.push([await timed(listing.ask), await timed(() => bare(registry.host, names, false))])
        heap.push(heapBytes())
      }
      await listing.close()
    }
    const figure = (name: string, pairs: readonly (readonly [number, number])[]): Figure => ({
      name,
      ours: median(pairs.map(([ours]) => ours)),
      floor: median(pairs.map(([, floor]) => floor)),
      unit: 'ms',
      goal: { atMost: 1.2 },
    })
    return [
      figure(`refresh of ${images} images against the bare requests`, again),
      {
        ...figure(`first listing of ${images} images against the bare requests`, first),
        goal: { atMost: 3 },
      },
      {
        name: 'heap after the last refresh against after the first',
        ours: (heap.at(-1) ?? 0) / 1e6,
        floor: (heap[0] ?? 1) / 1e6,
        unit: 'MB',
        goal: { atMost: 1.15 },
      },
    ]
  } finally {
    await registry.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Asks the registry as a broker does: what it offers is written down, and what is unchanged is not read again. */
async function openLister(
  host: string,
  folder: string,
): Promise<{ ask(): Promise<void>; close(): Promise<void> }> {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'chandler.yml')
  const auth = { users: [{ name: 'platform', password: 'of-the-benchmark', role: 'platform' }] }
  writeFileSync(
    file,
    JSON.stringify({ auth, catalog: [{ source: { name: 'dh', url: host, whiteList: ['-apb$'] } }] }),
  )
  const loaded = loadSettings({ environment: {}, folder, file })
  if (loaded.kind === 'faults') throw new Error(JSON.stringify(loaded.problems))
  const keys = openKeyRing(join(folder, 'keys.json'), systemChance)
  const store = await openStore({ url: `sqlite:${folder}/chandler.db`, keys, clock: systemClock })
  const artifacts = openArtifactStore({ folder: join(folder, 'images') })
  const shelf = makeLiveCatalog({
    store,
    room: { artifacts, engines: [], tenants: () => [] },
    clock: systemClock,
    signal,
    tell: () => undefined,
  })
  let isFirst = true
  return {
    ask: async () => {
      if (isFirst) await shelf.fill(loaded.settings.catalog)
      else await shelf.refresh('dh')
      isFirst = false
      const { length } = shelf.catalog().document['services'] as readonly unknown[]
      if (length !== images) throw new Error(`${length} bundles of ${images}`)
    },
    close: async () => {
      await store.close()
      await artifacts.close()
    },
  }
}

/** The same requests by Node alone: the catalog, then the digest of each image, or manifest and configuration where it is new. */
async function bare(host: string, names: readonly string[], areNew: boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const ask = (path: string, method = 'GET'): Promise<string> =>
    new Promise((resolve, reject) => {
      const accept = 'application/vnd.oci.image.manifest.v1+json'
      const url = `http://${host}/v2/${path}`
      const sent = request(url, { agent, method, headers: { accept } }, (answer) => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => pieces.push(piece))
        answer.on('end', () => resolve(Buffer.concat(pieces).toString()))
      })
      sent.on('error', reject).end()
    })
  await ask('_catalog?n=1000')
  await inParallel(names, atOnce, async (name) => {
    const path = `${name}/manifests/latest`
    if (areNew) {
      const { config } = JSON.parse(await ask(path)) as { config: { digest: string } }
      JSON.parse(await ask(`${name}/blobs/${config.digest}`))
    } else await ask(path, 'HEAD')
  })
  agent.destroy()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
