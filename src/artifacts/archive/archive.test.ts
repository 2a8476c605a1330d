import { execFileSync } from 'node:child_process'
import {
  createWriteStream,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { tar, zip } from '../../../test/support/hostile.ts'
import { freshFolder, writeTree } from '../../../test/support/image.ts'
import { toProblem } from '../../model/problem.ts'
import { openArtifactStore } from '../artifacts.ts'
import { digestOf } from '../digest.ts'
import { usualArchiveLimits } from '../limits.ts'
import { type OpenArchive, openArchive } from './archive-artifact.ts'
import { collect } from './collect.ts'
import { packFolder } from './pack-folder.ts'
import { packZip } from './pack-zip.ts'
import { tarParser } from './tar-parser.ts'

const home = freshFolder('archives')
const { signal } = new AbortController()
afterAll(() => rmSync(home, { recursive: true, force: true }))

let count = 0
async function open(bytes: Uint8Array): Promise<OpenArchive> {
  const path = join(home, `archive-${count++}`)
  writeFileSync(path, bytes)
  return await openArchive({ path, reference: path, scratchFolder: home, limits: usualArchiveLimits })
}

async function contents(archive: OpenArchive): Promise<object> {
  const pairs = archive.entries.map(
    async ({ path }): Promise<[string, string]> => [
      path,
      Buffer.from((await archive.file(path)) ?? []).toString(),
    ],
  )
  return Object.fromEntries(await Promise.all(pairs))
}

const plain = tar(
  { path: 'd', kind: 'folder' },
  { path: './d/a', content: 'A', mode: 0o755 },
  { path: 'b', content: 'B' },
)

test.each<[string, Uint8Array]>([
  ['tar', plain],
  ['gzip', gzipSync(plain)],
  ['zstd', zstdCompressSync(plain)],
  [
    'zip',
    zip(
      { name: '', mode: 0 },
      { name: 'd/', mode: 0o040755 },
      { name: 'd/a', content: 'A', mode: 0o100755 },
      { name: 'b', content: 'B', method: 0 },
    ),
  ],
])('a %s lists its files and gives their bytes', async (_, bytes) => {
  const archive = await open(bytes)

  expect(archive.entries).toEqual([
    { path: 'd/a', bytes: 1, mode: 0o755 },
    { path: 'b', bytes: 1, mode: 0o644 },
  ])
  expect(await contents(archive)).toEqual({ 'd/a': 'A', b: 'B' })
  expect(await archive.file('absent')).toBeUndefined()
  expect(await archive.file('d')).toBeUndefined()
  expect(archive.digest).toBe(digestOf(bytes))
  await archive.close()
})

test('a folder is an archive, too, and its digest is that of its tar', async () => {
  const folder = writeTree(join(home, 'folder'), {
    'd/a': 'A',
    b: { bytes: 'B', mode: 0o755 },
    l: { link: 'd/a' },
  })
  const store = openArtifactStore({ folder: join(home, 'store') })

  const archive = await store.open(folder, signal)
  const digest = await store.keep(folder, signal)
  const kept = await store.archive(digest)

  expect(archive.kind === 'archive' && (await contents(archive as OpenArchive))).toEqual({
    b: 'B',
    'd/a': 'A',
    l: 'A',
  })
  expect(digest).toBe(archive.digest)
  expect(kept && (await contents(kept))).toEqual({ b: 'B', 'd/a': 'A', l: 'A' })
  await kept?.close()
})

test('links are followed inside the archive only, through folders, too', async () => {
  const archive = await open(
    tar(
      { path: 'v1', kind: 'folder' },
      { path: 'v1/bin', content: 'run' },
      { path: 'current', kind: 'link', target: 'v1' },
      { path: 'tool', kind: 'link', target: 'current/bin' },
      { path: 'same', kind: 'hard-link', target: 'v1/bin' },
      { path: 'gone', kind: 'link', target: 'nowhere' },
    ),
  )

  expect(await contents(archive)).toEqual({ 'v1/bin': 'run', tool: 'run', same: 'run' })
  expect(Buffer.from((await archive.file('current/bin')) ?? []).toString()).toBe('run')
  await archive.close()
})

test('extraction writes files, folders and links inside, without setuid and always deletable', async () => {
  const archive = await open(
    tar(
      { path: 'd', kind: 'folder', mode: 0 },
      { path: 'd/su', content: 'x', mode: 0o4755 },
      { path: 'd/secret', content: 'y', mode: 0o000 },
      { path: 'l', kind: 'link', target: 'd/su' },
    ),
  )
  const folder = join(home, 'extracted')

  await archive.extract({ folder })
  await archive.close()

  expect(readdirSync(folder)).toEqual(['d', 'l'])
  expect(statSync(join(folder, 'd/su')).mode & 0o7777).toBe(0o755)
  expect(statSync(join(folder, 'd/secret')).mode & 0o7777).toBe(0o644)
  expect(readlinkSync(join(folder, 'l'))).toBe('d/su')
})

test('extraction into a folder that is there already is refused and changes nothing', async () => {
  const folder = writeTree(join(home, 'taken'), { precious: 'gold' })
  const archive = await open(tar({ path: 'precious', content: 'lead' }))

  const code = await archive.extract({ folder }).then(
    () => 'no problem',
    (error: unknown) => toProblem(error).code,
  )
  await archive.close()

  expect(code).toBe('artifact.unwritable')
  expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('gold')
})

test('a folder with a link that leads out is refused', async () => {
  const folder = writeTree(join(home, 'leaky'), { a: 'A' })
  symlinkSync('/etc/passwd', join(folder, 'p'))

  const opened = openArchive({
    path: folder,
    reference: folder,
    scratchFolder: home,
    limits: usualArchiveLimits,
  })

  await expect(opened).rejects.toMatchObject({ problem: { code: 'archive.link-unsafe' } })
})

test('a pak of 300 MB is looked into and kept without holding it in memory', async () => {
  const path = join(home, 'big.tar')
  const piece = Buffer.alloc(1024 * 1024, 'terraform')
  const head = tar({ path: 'bin/terraform', content: 'small' }).subarray(0, 1024)
  const big = tar({ path: 'bin/provider', content: '' }).subarray(0, 512)
  big.set(Buffer.from((300 * piece.length).toString(8).padStart(11, '0')), 124)
  await pipeline(async function* () {
    yield head
    yield fixedSum(big)
    for (let i = 0; i < 300; i++) yield piece
    yield Buffer.alloc(1024)
  }, createWriteStream(path))
  const store = openArtifactStore({ folder: join(home, 'big-store') })
  const before = process.memoryUsage().rss

  const digest = await store.keep(path, signal)
  const archive = await store.archive(digest)
  let bytes = 0
  for await (const chunk of archive?.stream('bin/provider') ?? []) bytes += chunk.byteLength
  const small = await archive?.file('bin/terraform')
  await archive?.close()

  expect(bytes).toBe(300 * piece.length)
  expect(Buffer.from(small ?? []).toString()).toBe('small')
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 ** 2)
})

test('a job gets an entry with its mode, a folder unpacked and a file as it is', async () => {
  const path = join(home, 'tools.zip')
  writeFileSync(
    path,
    zip({ name: 'bin/tool', content: '#!', mode: 0o100755 }, { name: 'README', content: 'hi' }),
  )
  const store = openArtifactStore({ folder: join(home, 'deliveries') })
  const digest = await store.keep(path, signal)
  const to = (name: string): string => join(home, `delivered-${name}`)

  await store.deliver({ kind: 'entry', digest, entry: 'bin/tool' }, to('tool'), signal)
  await store.deliver({ kind: 'artifact', reference: path, as: 'folder' }, to('folder'), signal)
  await store.deliver({ kind: 'artifact', reference: path, as: 'transport-archive' }, to('file'), signal)
  const missing = store.deliver({ kind: 'entry', digest, entry: 'absent' }, to('absent'), signal)

  await expect(missing).rejects.toMatchObject({ problem: { code: 'artifact.not-found' } })
  expect(lstatSync(to('tool')).mode & 0o777).toBe(0o755)
  expect(readFileSync(join(to('folder'), 'README'), 'utf8')).toBe('hi')
  expect(readFileSync(to('file')).equals(readFileSync(path))).toBe(true)
  expect(existsSync(to('absent'))).toBe(false)
})

test('an entry is unpacked once; who only reads may share it, others get their own, and unused it is swept', async () => {
  const path = join(home, 'again.zip')
  writeFileSync(path, zip({ name: 'bin/tool', content: '#!', mode: 0o100755 }))
  const folder = join(home, 'entries')
  const store = openArtifactStore({ folder })
  const digest = await store.keep(path, signal)
  const to = (name: string): string => join(home, `entry-${name}`)
  const entry = { kind: 'entry', digest, entry: 'bin/tool' } as const

  await store.deliver({ ...entry, shared: true }, to('one'), signal)
  await store.deliver({ ...entry, shared: true }, to('two'), signal)
  await store.deliver(entry, to('own'), signal)
  const again = store.deliver(entry, to('own'), signal)

  await expect(again).rejects.toMatchObject({ problem: { code: 'artifact.unwritable' } })
  expect(lstatSync(to('one')).ino).toBe(lstatSync(to('two')).ino)
  expect(lstatSync(to('own')).ino).not.toBe(lstatSync(to('one')).ino)
  expect(lstatSync(to('own')).mode & 0o777).toBe(0o755)
  expect(readFileSync(to('own'), 'utf8')).toBe('#!')
  expect(readdirSync(join(folder, 'entries'))).toHaveLength(1)

  await store.sweep({ keep: [digest], unusedMs: 1000, now: Date.now() + 2000 })
  expect(readdirSync(join(folder, 'entries'))).toEqual([])
  expect(readFileSync(to('one'), 'utf8')).toBe('#!')
})

test('a document is what is no archive', async () => {
  const path = join(home, 'bundle.json')
  writeFileSync(path, '{"name":"x"}')
  const store = openArtifactStore({ folder: join(home, 'documents') })

  expect(await store.open(path, signal)).toMatchObject({ kind: 'document', digest: digestOf('{"name":"x"}') })
  await expect(store.open(join(home, 'absent'), signal)).rejects.toMatchObject({
    problem: { code: 'artifact.not-found' },
  })
})

const longName = 'n'.repeat(120)
const tree = {
  'a/b': 'x',
  [`deep/${'folder/'.repeat(30)}file`]: 'y',
  [longName]: 'z',
  'caf\u00e9/\u{1f980}': 'crab',
  link: { link: 'a/b' },
  longlink: { link: `${'t'.repeat(150)}` },
  empty: { folder: true },
} as const

test('what we pack GNU tar unpacks to the same tree', async () => {
  const folder = writeTree(join(home, 'packed'), tree)
  const path = join(home, 'packed.tar')
  await pipeline(packFolder(folder, { mtime: 0 }), createWriteStream(path))
  const there = writeTree(join(home, 'unpacked'), {})

  execFileSync('tar', ['-C', there, '-xf', path])

  expect(listing(there)).toEqual(listing(folder))
})

test.each([['gnu'], ['pax'], ['ustar'], ['oldgnu']])('what GNU tar packs as %s we read', async (format) => {
  const { longlink, ...short } = tree
  const folder = writeTree(
    join(home, `of-${format}`),
    format === 'ustar' ? { 'a/b': 'x', link: short.link } : { ...short, longlink },
  )
  const bytes = execFileSync('tar', ['-C', folder, `--format=${format}`, '-cf', '-', '.'])

  const found: string[] = []
  const parser = tarParser({
    entry: ({ path, kind, target }) => found.push([path.replace(/^\.\/|\/$/g, ''), kind, target].join(' ')),
    body: () => undefined,
    end: () => undefined,
  })
  for (let at = 0; at < bytes.length; at += 777) parser.push(bytes.subarray(at, at + 777))
  parser.finish()

  expect(found.filter((line) => !/^\.? folder/.test(line)).sort()).toEqual(
    listing(folder)
      .map((line) => Buffer.from(line).toString('latin1'))
      .sort(),
  )
})

test('the same folder is always the same tar', async () => {
  const folder = writeTree(join(home, 'same'), tree)
  const first = await collect(packFolder(folder, { mtime: 0 }), 10_000_000)
  rmSync(folder, { recursive: true })
  writeTree(folder, Object.fromEntries(Object.entries(tree).toReversed()))

  const second = await collect(packFolder(folder, { mtime: 0 }), 10_000_000)

  expect(digestOf(second)).toBe(digestOf(first))
})

test.each([[false], [true]])(
  'a folder packed as a zip (stored: %s) reads the same and is always the same',
  async (stored) => {
    const folder = writeTree(join(home, `zipped-${stored}`), {
      'bin/tool': { bytes: 'run', mode: 0o700 },
      'bin/same': { link: 'tool' },
      manifest: 'yes'.repeat(1000),
      empty: { folder: true },
      'skip/x': 'x',
    })
    const packing = {
      limits: usualArchiveLimits,
      stored,
      leaveOut: (path: string) => path.startsWith('skip'),
    }

    const first = await collect(packZip(folder, packing), 1_000_000)
    const second = await collect(packZip(folder, packing), 1_000_000)
    const archive = await open(first)

    expect(digestOf(second)).toBe(digestOf(first))
    expect(first.length < 3000).toBe(!stored)
    expect(archive.entries).toEqual([
      { path: 'bin/same', bytes: 3, mode: 0o755 },
      { path: 'bin/tool', bytes: 3, mode: 0o755 },
      { path: 'manifest', bytes: 3000, mode: 0o644 },
    ])
    expect(await contents(archive)).toMatchObject({ 'bin/same': 'run', 'bin/tool': 'run' })
    await archive.close()
  },
)

test('a file that vanishes while it is packed ends the packing with a problem', async () => {
  const folder = writeTree(join(home, 'vanishing'), { a: 'a', b: 'b' })
  const packing = packZip(folder, { limits: usualArchiveLimits, stored: true })[Symbol.asyncIterator]()
  await packing.next()
  rmSync(join(folder, 'b'))

  const rest = async (): Promise<void> => {
    while (!(await packing.next()).done);
  }

  await expect(rest()).rejects.toMatchObject({ problem: { code: 'artifact.not-found' } })
})

function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const name = path.slice(folder.length + 1)
      if (entry.isSymbolicLink()) return `${name} link ${readlinkSync(path)}`
      return `${name} ${entry.isDirectory() ? 'folder' : 'file'} `
    })
    .sort()
}

function fixedSum(header: Uint8Array): Uint8Array {
  const copy = Buffer.from(header)
  copy.write('        ', 148)
  let sum = 0
  for (const byte of copy) sum += byte
  copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return copy
}

test.each([
  ['a program', Buffer.concat([Buffer.from('\u007fELF'), Buffer.alloc(9000, 7)])],
  ['a short program', Buffer.from('\u007fELF\0\0')],
  ['a script', Buffer.from('#!/bin/sh\nexec true\n')],
  ['text that is no UTF-8', Buffer.from([0xff, 0xfe])],
  ['nothing', Buffer.alloc(0)],
])('%s under the flags of a link, as csb packs local files, is a file', async (_, content) => {
  const path = 'bin/linux/amd64/tool'
  const archive = await open(zip({ name: path, content, mode: 0o120777 }))

  expect(archive.entries).toEqual([{ path, bytes: content.length, mode: 0o755 }])
  expect(Buffer.from((await archive.file(path)) ?? 'none')).toEqual(content)
  await archive.close()
})
