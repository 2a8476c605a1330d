/** A source of 1,000 bundles at a registry of this machine, listed first and again, against the bare requests. */

import { rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import type { Known } from '../../src/host/read-package.ts'
import { type Source, survey } from '../../src/host/survey.ts'
import { inParallel } from '../../src/kit/in-parallel.ts'
import { bundleLabels, pushImage } from '../../test/sources/push.ts'
import { freshFolder } from '../../test/support/image.ts'
import { startRegistry } from '../../test/support/registry.ts'
import { type Figure, median } from '../figures.ts'

const images = 1000
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
      const listing = lister(registry.host, `${folder}/${round}`)
      first.push([await timed(listing.ask), await timed(() => bare(registry.host, names, true))])
      for (let i = 0; i < 2; i++) {
        again.push([await timed(listing.ask), await timed(() => bare(registry.host, names, false))])
        heap.push(heapBytes())
      }
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

/** Lists the registry as a broker does: what an earlier listing read by digest is not read again. */
function lister(host: string, folder: string): { ask(): Promise<void> } {
  const artifacts = openArtifactStore({ folder })
  const known = new Map<string, Known>()
  const source: Source = {
    name: 'dh',
    place: { kind: 'registry', host },
    host,
    login: {},
    images: [],
    tag: 'latest',
    white: ['-apb$'],
    black: [],
    options: {},
    overrides: [],
  }
  return {
    ask: async () => {
      const found = await survey(source, {
        artifacts,
        engines: [],
        signal,
        known: () => (digest) => Promise.resolve(known.get(digest)),
      })
      for (const one of found.found) if (one.kind === 'package') known.set(one.package.digest, one)
      if (known.size !== images) throw new Error(`${known.size} bundles of ${images}`)
    },
  }
}

/** The same requests by Node alone: the catalog, a manifest for each image, and the configuration where it is new. */
async function bare(host: string, names: readonly string[], configurations: boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const ask = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const accept = 'application/vnd.oci.image.manifest.v1+json'
      get(`http://${host}/v2/${path}`, { agent, headers: { accept } }, (answer) => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => pieces.push(piece))
        answer.on('end', () => resolve(Buffer.concat(pieces).toString()))
      }).on('error', reject)
    })
  await ask('_catalog?n=1000')
  await inParallel(names, atOnce, async (name) => {
    const { config } = JSON.parse(await ask(`${name}/manifests/latest`)) as { config: { digest: string } }
    if (configurations) JSON.parse(await ask(`${name}/blobs/${config.digest}`))
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
