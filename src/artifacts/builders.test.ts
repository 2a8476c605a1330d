import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type BuilderImage,
  builderImages,
  oldSparseLayer,
  writeBuilderImage,
} from '../../test/support/builders.ts'
import { ensurePrograms, findProgram } from '../../test/support/debian.ts'
import { freshFolder } from '../../test/support/image.ts'
import { startPodman, type TestEngine } from '../../test/support/podman.ts'
import { openArtifactStore } from './index.ts'
import type { Stacking } from './layers/layer-store.ts'

const isRoot = process.geteuid?.() === 0
const missing = isRoot ? ensurePrograms('podman', 'runc') : 'Podman as a ruler needs root'
const { signal } = new AbortController()

/** Type, mode, owners, time of files, target; what a file holds by its digest. */
const look = `find . -mindepth 1 \\( -type f -printf '%P %y %m %U %G %s %Ts\\n' \\) -o -printf '%P %y %m %U %G %l\\n' | LC_ALL=C sort
find . -type f -exec sha256sum {} + | LC_ALL=C sort -k 2`

function listed(folder: string): readonly string[] {
  return lines(execFileSync('sh', ['-c', look], { cwd: folder, encoding: 'latin1' }))
}

/** Devices and pipes are left out of images here: no program may open them. */
function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !/^\S+ [bcp] /.test(line))
}

describe.skipIf(missing !== undefined)('images as builders write them', () => {
  // Podman makes a name of the path, and names are in lower case.
  const home = freshFolder('builders').toLowerCase()
  let podman: TestEngine
  let count = 0

  beforeAll(async () => {
    mkdirSync(home, { recursive: true })
    podman = await startPodman(freshFolder('e'))
  })
  afterAll(async () => {
    await podman?.stop()
    rmSync(home, { recursive: true, force: true })
  })

  const ask = (...words: readonly string[]): string =>
    execFileSync(findProgram('podman') ?? 'podman', [...podman.arguments, ...words], {
      env: podman.environment,
      encoding: 'utf8',
    }).trim()

  function seenByPodman(id: string): readonly string[] {
    const folder = ask('image', 'mount', id)
    try {
      return listed(folder)
    } finally {
      spawnSync(findProgram('podman') ?? 'podman', [...podman.arguments, 'image', 'umount', id], {
        env: podman.environment,
      })
    }
  }

  const fresh = (image: BuilderImage): { readonly place: string; readonly reference: string } => {
    const place = join(home, String(count++))
    mkdirSync(place)
    return { place, reference: writeBuilderImage(join(place, 'layout'), image) }
  }

  async function unpacked(place: string, reference: string, stacking: Stacking): Promise<readonly string[]> {
    const store = openArtifactStore({ folder: join(place, stacking), stacking }).images
    const { digest } = await store.open(reference)
    const { layers } = await store.unpack({ reference, digest, signal, progress: () => undefined })
    await store.close()
    if (stacking === 'flat') return listed(layers[0] ?? '')
    const [top, below] = [join(place, 'mounted'), join(place, 'below')]
    for (const path of [top, below]) mkdirSync(path)
    const lower = [...layers.toReversed(), below].join(':')
    const script = `mount -t overlay overlay -o "lowerdir=$1" "$2" && cd "$2" && { ${look}\n}`
    const output = execFileSync('unshare', ['-m', 'sh', '-c', script, 'sh', lower, top], {
      encoding: 'latin1',
    })
    return lines(output)
  }

  test.each(builderImages)(
    'of $builder: the embedded engine has the files that Podman has',
    async (image) => {
      const { place, reference } = fresh(image)
      const theirs = seenByPodman(ask('pull', '--quiet', reference))

      expect(theirs.length).toBeGreaterThan(0)
      expect(await unpacked(place, reference, 'overlay')).toEqual(theirs)
      expect(await unpacked(place, reference, 'flat')).toEqual(theirs)
    },
    300_000,
  )

  test.each(builderImages)(
    'of $builder: the Docker engine is given the same',
    async (image) => {
      const { place, reference } = fresh(image)
      const theirs = seenByPodman(ask('pull', '--quiet', reference))
      const store = openArtifactStore({ folder: join(place, 'store') })
      const file = join(place, 'image.tar')
      await store.copy({
        from: reference,
        to: `docker-archive:${file}:test.local/made:1`,
        signal,
        progress: () => undefined,
      })
      ask('load', '--quiet', '--input', file)

      expect(seenByPodman('test.local/made:1')).toEqual(theirs)
    },
    300_000,
  )
})

test('a sparse file of old GNU tar is what GNU tar makes of it', async () => {
  const place = freshFolder('sparse')
  try {
    const layer = oldSparseLayer()
    const folder = join(place, 'theirs')
    mkdirSync(folder)
    execFileSync('tar', ['-C', folder, '-xpf', '-'], { input: layer })
    const reference = writeBuilderImage(join(place, 'layout'), {
      builder: '',
      packing: 'none',
      layers: [layer],
    })
    const store = openArtifactStore({ folder: join(place, 'store'), stacking: 'flat' }).images
    const { digest } = await store.open(reference)
    const { layers } = await store.unpack({ reference, digest, signal, progress: () => undefined })
    await store.close()

    expect(listed(layers[0] ?? '')).toEqual(listed(folder))
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
})
