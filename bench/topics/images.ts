/** Pull and unpack of an image of 100 MB, against skopeo copy and umoci unpack of the same image from the same registry. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { ensurePrograms } from '../../test/support/debian.ts'
import { freshFolder } from '../../test/support/image.ts'
import { registryMissing, startRegistry } from '../../test/support/registry.ts'
import { type Figure, median, show } from '../figures.ts'

const rounds = 3
const quiet = { signal: new AbortController().signal, progress: () => undefined }

/** Prints the figures of pulling. */
export async function bench(): Promise<void> {
  const missing = registryMissing() ?? ensurePrograms('skopeo', 'umoci')
  if (missing === undefined) show(await pullFigures())
  else console.log(`pull and unpack: not measured, ${missing}`)
}

/** Ours against the peers, in turn, each round from nothing. */
export async function pullFigures(): Promise<readonly Figure[]> {
  const home = freshFolder('bench-images')
  const registry = await startRegistry({})
  try {
    const reference = `docker://${registry.host}/bench/big:v1`
    await makeImage(join(home, 'root'), reference, join(home, 'build'))
    const times: { readonly ours: number; readonly peer: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const ours = await pullOurs(join(home, `ours-${round}`), reference)
      const peer = pullPeer(join(home, `peer-${round}`), reference)
      times.push({ ours, peer })
      rmSync(join(home, `ours-${round}`), { recursive: true })
      rmSync(join(home, `peer-${round}`), { recursive: true })
    }
    return [
      {
        name: 'pull and unpack of 100 MB against skopeo copy and umoci unpack',
        ours: median(times.map(({ ours }) => ours)),
        floor: median(times.map(({ peer }) => peer)),
        unit: 'ms',
        goal: { atMost: 1 },
      },
    ]
  } finally {
    await registry.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

/** About 100 MB packed in three layers: half noise, half text, in files of the sizes that images have. */
async function makeImage(root: string, reference: string, scratch: string): Promise<void> {
  const store = openArtifactStore({ folder: scratch })
  let base: string | undefined
  for (let layer = 0; layer < 3; layer++) {
    const folder = join(root, String(layer))
    for (let i = 0; i < 1300; i++) {
      const place = join(folder, `usr/lib/part-${layer}/package-${i % 40}`)
      if (i < 40) mkdirSync(place, { recursive: true })
      writeFileSync(join(place, `file-${i}`), content(layer * 10_000 + i, i % 100 === 0 ? 2_400_000 : 24_000))
    }
    const to = layer === 2 ? reference : `oci:${join(scratch, 'layout')}:${layer}`
    await store.build({
      root: folder,
      to,
      settings: { command: ['/x'] },
      ...(base === undefined ? {} : { base }),
    })
    base = to
  }
  await store.close()
}

function content(seed: number, bytes: number): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes; at += 64) {
    const noise = createHash('sha256').update(`${seed} ${at}`).digest()
    pieces.push(noise, noise)
  }
  return Buffer.concat(pieces).subarray(0, bytes)
}

async function pullOurs(folder: string, reference: string): Promise<number> {
  const start = performance.now()
  const { images } = openArtifactStore({ folder })
  const { digest } = await images.open(reference)
  await images.unpack({ reference, digest, ...quiet })
  const took = performance.now() - start
  await images.close()
  return took
}

function pullPeer(folder: string, reference: string): number {
  const start = performance.now()
  mkdirSync(folder)
  const layout = join(folder, 'layout')
  const silent = { stdio: 'ignore' } as const
  execFileSync('skopeo', ['copy', '--src-tls-verify=false', reference, `oci:${layout}:v1`], silent)
  execFileSync('umoci', ['unpack', '--image', `${layout}:v1`, join(folder, 'bundle')], silent)
  return performance.now() - start
}
