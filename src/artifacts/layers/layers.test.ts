import { execFileSync, spawnSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type TarPart, tar } from '../../../test/support/hostile.ts'
import { freshFolder, imageOfLayers } from '../../../test/support/image.ts'
import { openArtifactStore } from '../artifacts.ts'
import type { Stacking } from './layer-store.ts'

const home = freshFolder('layers', 'memory')
const { signal } = new AbortController()
afterAll(() => rmSync(home, { recursive: true, force: true }))

const isRoot = process.geteuid?.() === 0
const canMount = isRoot && spawnSync('unshare', ['-m', 'true']).status === 0
let count = 0

async function unpack(layers: readonly Uint8Array[], stacking: Stacking): Promise<readonly string[]> {
  const place = join(home, String(count++))
  const reference = imageOfLayers(join(place, 'layout'), layers)
  const store = openArtifactStore({ folder: join(place, 'store'), stacking }).images
  const { digest } = await store.open(reference)
  const image = await store.unpack({ reference, digest, signal, progress: () => undefined })
  await store.close()
  return image.layers
}

/** `path type mode uid gid target`, as find sees it. */
const format = '%P %y %m %U %G %l\\n'

function listFlat(folder: string): readonly string[] {
  return lines(execFileSync('find', ['.', '-mindepth', '1', '-printf', format], { cwd: folder }))
}

/** What the kernel makes of the layers. */
function listMounted(layers: readonly string[]): readonly string[] {
  const script = `mount -t overlay overlay -o "lowerdir=$1" "$2" && cd "$2" && find . -mindepth 1 -printf '${format}'`
  const at = join(home, `mounted-${count++}`)
  mkdirSync(at)
  const base = join(home, 'empty')
  mkdirSync(base, { recursive: true })
  const lower = [...layers.toReversed(), base].join(':')
  return lines(execFileSync('unshare', ['-m', 'sh', '-c', script, 'sh', lower, at]))
}

function lines(output: Buffer): readonly string[] {
  return output
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')
    .sort()
}

const folder = (path: string, more: Partial<TarPart> = {}): TarPart => ({
  path,
  kind: 'folder',
  mode: 0o755,
  ...more,
})
const file = (path: string, more: Partial<TarPart> = {}): TarPart => ({ path, content: path, ...more })

const stacks: readonly (readonly [string, readonly (readonly TarPart[])[], readonly string[]])[] = [
  [
    'a whiteout deletes a file of a lower layer',
    [
      [folder('d'), file('d/a'), file('d/b')],
      [folder('d'), file('d/.wh.a')],
    ],
    ['d d 755 0 0 ', 'd/b f 644 0 0 '],
  ],
  ['a whiteout deletes a whole folder', [[folder('d'), folder('d/e'), file('d/e/a')], [file('.wh.d')]], []],
  ['a whiteout of what is not there deletes nothing', [[file('a')], [file('.wh.b')]], ['a f 644 0 0 ']],
  [
    'an opaque folder hides all that was in it, and nothing of its own',
    [
      [folder('d'), file('d/old'), folder('d/sub'), file('d/sub/old')],
      [folder('d', { mode: 0o700 }), file('d/.wh..wh..opq'), file('d/new')],
    ],
    ['d d 700 0 0 ', 'd/new f 644 0 0 '],
  ],
  [
    'an opaque folder lets nothing of a lower folder of the same name inside through',
    [
      [folder('d'), folder('d/sub'), file('d/sub/old')],
      [folder('d'), file('d/.wh..wh..opq'), folder('d/sub'), file('d/sub/new')],
    ],
    ['d d 755 0 0 ', 'd/sub d 755 0 0 ', 'd/sub/new f 644 0 0 '],
  ],
  [
    'a folder deleted and made again in one layer is empty of the old',
    [
      [folder('d'), file('d/old')],
      [file('.wh.d'), folder('d'), file('d/new')],
    ],
    ['d d 755 0 0 ', 'd/new f 644 0 0 '],
  ],
  [
    'a file deleted and made again in one layer is the new one',
    [[file('a')], [file('.wh.a'), file('a', { mode: 0o600 })]],
    ['a f 600 0 0 '],
  ],
  [
    'what a lower layer deleted a higher one may bring back',
    [[file('a')], [file('.wh.a')], [file('a', { mode: 0o640 })]],
    ['a f 640 0 0 '],
  ],
  [
    'a folder without an entry of its own keeps the attributes of the layer below',
    [
      [folder('tmp', { mode: 0o1777 }), folder('home', { uid: 7, gid: 8 })],
      [file('tmp/x'), file('home/y')],
    ],
    ['home d 755 7 8 ', 'home/y f 644 0 0 ', 'tmp d 1777 0 0 ', 'tmp/x f 644 0 0 '],
  ],
  [
    'a higher layer that names the folder again decides its attributes',
    [[folder('tmp', { mode: 0o1777 })], [file('tmp/x')], [folder('tmp', { mode: 0o711 })]],
    ['tmp d 711 0 0 ', 'tmp/x f 644 0 0 '],
  ],
  [
    'a folder hidden by an opaque one above it lends no attributes',
    [
      [folder('a'), folder('a/b', { mode: 0o700 })],
      [folder('a'), file('a/.wh..wh..opq'), file('a/b/c')],
    ],
    ['a d 755 0 0 ', 'a/b d 755 0 0 ', 'a/b/c f 644 0 0 '],
  ],
  [
    'a folder becomes a file and a file a folder',
    [
      [folder('a'), file('a/x'), file('b')],
      [file('a'), folder('b'), file('b/y')],
    ],
    ['a f 644 0 0 ', 'b d 755 0 0 ', 'b/y f 644 0 0 '],
  ],
  [
    'a link of a lower layer is replaced by a folder, not followed',
    [[{ path: 'a', kind: 'link', target: '/etc' }], [file('a/passwd')]],
    ['a d 755 0 0 ', 'a/passwd f 644 0 0 '],
  ],
  [
    'an opaque mark never looks behind a link of a lower layer',
    [
      [{ path: 'a', kind: 'link', target: '/etc' }],
      [folder('a'), folder('a/ssl'), file('a/ssl/.wh..wh..opq'), file('a/ssl/x')],
    ],
    ['a d 755 0 0 ', 'a/ssl d 755 0 0 ', 'a/ssl/x f 644 0 0 '],
  ],
  [
    'a link inside the layer is followed to where its target lies',
    [[folder('usr'), folder('usr/lib'), { path: 'lib', kind: 'link', target: 'usr/lib' }, file('lib/x')]],
    ['lib l 777 0 0 usr/lib', 'usr d 755 0 0 ', 'usr/lib d 755 0 0 ', 'usr/lib/x f 644 0 0 '],
  ],
  [
    'links keep their text wherever they point',
    [
      [
        { path: 'a', kind: 'link', target: '/etc/passwd' },
        { path: 'b', kind: 'link', target: '../../..' },
      ],
    ],
    ['a l 777 0 0 /etc/passwd', 'b l 777 0 0 ../../..'],
  ],
  [
    'owners, setuid and sticky bits are kept',
    [
      [
        file('su', { mode: 0o4755 }),
        file('sg', { mode: 0o2755, uid: 5, gid: 6 }),
        folder('t', { mode: 0o1770, uid: 1000, gid: 2000 }),
      ],
    ],
    ['sg f 2755 5 6 ', 'su f 4755 0 0 ', 't d 1770 1000 2000 '],
  ],
  [
    'the last of two entries of one name counts',
    [
      [
        file('a', { mode: 0o600 }),
        file('a', { mode: 0o640 }),
        folder('d', { mode: 0o700 }),
        folder('d', { mode: 0o750 }),
      ],
    ],
    ['a f 640 0 0 ', 'd d 750 0 0 '],
  ],
  [
    'a file over a hard link to a link replaces the link and writes nothing behind it',
    [
      [
        { path: 'l', kind: 'link', target: '/tmp/chandler-must-not-appear' },
        { path: 'h', kind: 'hard-link', target: 'l' },
        file('h'),
      ],
    ],
    ['h f 644 0 0 ', 'l l 777 0 0 /tmp/chandler-must-not-appear'],
  ],
  [
    'a folder over a link of the same layer replaces it',
    [[{ path: 'd', kind: 'link', target: '/tmp' }, folder('d', { mode: 0o700 }), file('d/x')]],
    ['d d 700 0 0 ', 'd/x f 644 0 0 '],
  ],
  [
    'housekeeping of aufs, devices below dev and pipes are left out',
    [
      [
        folder('dev'),
        { path: 'dev/null', kind: 'device' },
        { path: 'run/p', kind: 'pipe' },
        file('.wh..wh.aufs'),
        file('.wh..wh.plnk/1.2'),
      ],
    ],
    ['.wh..wh.plnk d 755 0 0 ', '.wh..wh.plnk/1.2 f 644 0 0 ', 'dev d 755 0 0 '],
  ],
]

describe.skipIf(!isRoot)('layers laid over each other as root', () => {
  test.each(stacks)('flat: %s', async (_, layers, expected) => {
    const [root = ''] = await unpack(
      layers.map((parts) => tar(...parts)),
      'flat',
    )

    expect(listFlat(root)).toEqual(expected)
  })

  test.skipIf(!canMount).each(stacks)('overlay: %s', async (_, layers, expected) => {
    const folders = await unpack(
      layers.map((parts) => tar(...parts)),
      'overlay',
    )

    expect(listMounted(folders)).toEqual(expected)
  })
})

test('names are kept byte for byte, even where they are no text', async () => {
  const [root = ''] = await unpack([tar(file('caf\u00e9'), file('\u00c3\u00a9'))], 'flat')

  expect(readdirSync(root, { encoding: 'latin1' }).sort()).toEqual(['caf\u00e9', '\u00c3\u00a9'])
})

test('hard links of a layer are one file', async () => {
  const parts: readonly TarPart[] = [file('a'), { path: 'd/b', kind: 'hard-link', target: './a' }]

  const [root = ''] = await unpack([tar(...parts)], 'flat')

  expect(statSync(join(root, 'a')).ino).toBe(statSync(join(root, 'd/b')).ino)
})

test('times are kept, of folders and links, too', async () => {
  const mtime = 1_000_000_000
  const parts: readonly TarPart[] = [
    folder('d', { mtime }),
    file('d/a', { mtime }),
    { path: 'd/l', kind: 'link', target: 'a', mtime },
  ]

  const [root = ''] = await unpack([tar(...parts)], 'overlay')

  expect(['d', 'd/a', 'd/l'].map((path) => lstatSync(join(root, path)).mtimeMs / 1000)).toEqual([
    mtime,
    mtime,
    mtime,
  ])
  expect(readlinkSync(join(root, 'd/l'))).toBe('a')
})

test('a layer shared by two images is unpacked once', async () => {
  const place = join(home, 'shared')
  const below = tar(file('a'))
  const store = openArtifactStore({ folder: join(place, 'store'), stacking: 'overlay' }).images
  const roots: (readonly string[])[] = []
  for (const name of ['x', 'y']) {
    const reference = imageOfLayers(join(place, name), [below, tar(file(name))])
    const { digest } = await store.open(reference)
    roots.push((await store.unpack({ reference, digest, signal, progress: () => undefined })).layers)
  }
  await store.close()

  expect(roots[0]?.[0]).toBe(roots[1]?.[0])
  expect(readdirSync(join(place, 'store/layers'))).toHaveLength(3)
})

test('many asking for one image at once unpack it once', async () => {
  const place = join(home, 'crowd')
  const reference = imageOfLayers(join(place, 'layout'), [tar(file('a')), tar(file('b'))])
  const stores = [1, 2].map(() => openArtifactStore({ folder: join(place, 'store') }).images)
  const digest = (await stores[0]?.open(reference))?.digest ?? ''
  const progress = (): void => undefined

  const all = await Promise.all(
    stores.flatMap((store) => [1, 2, 3, 4].map(() => store.unpack({ reference, digest, signal, progress }))),
  )
  await Promise.all(stores.map((store) => store.close()))

  expect(new Set(all.map(({ layers }) => layers.join())).size).toBe(1)
  expect(readdirSync(join(place, 'store/layers')).every((name) => !name.includes('.'))).toBe(true)
})

test('a layer of another boot that never reached the disk for sure is unpacked anew', async () => {
  const place = join(home, 'power-loss')
  const reference = imageOfLayers(join(place, 'layout'), [tar(file('a'))])
  const wanted = async (): Promise<string> => {
    const store = openArtifactStore({ folder: join(place, 'store'), stacking: 'overlay' }).images
    const { digest } = await store.open(reference)
    const { layers } = await store.unpack({ reference, digest, signal, progress: () => undefined })
    await store.close()
    return layers[0] ?? ''
  }
  const before = await wanted()
  const cell = join(before, '../cell.json')
  writeFileSync(cell, readFileSync(cell, 'utf8').replace(/"boot":"[^"]*"/, '"boot":"earlier"'))
  rmSync(join(before, '../flushed'))
  writeFileSync(join(before, 'a'), '')

  const after = await wanted()

  expect(readFileSync(join(after, 'a'), 'utf8')).toBe('a')
})
