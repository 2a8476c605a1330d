import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gzipOfZeros, tar, zip } from '../../test/support/hostile.ts'
import { broken, hostileWorld } from '../../test/support/hostile-world.ts'
import type { ProblemCode } from '../model/problem-codes.ts'

const { expectRefused, openAndExtract } = hostileWorld()
type Case = readonly [name: string, bytes: Uint8Array, code: ProblemCode]

const link = 0o120777
test.each<Case>([
  ['a path that climbs', zip({ name: '../outside/x', content: 'x' }), 'archive.path-unsafe'],
  ['a path that climbs in the middle', zip({ name: 'a/../../x', content: 'x' }), 'archive.path-unsafe'],
  ['an absolute path', zip({ name: '/etc/cron.d/x', content: 'x' }), 'archive.path-unsafe'],
  ['backslashes', zip({ name: '..\\outside\\x', content: 'x' }), 'archive.path-unsafe'],
  ['a drive letter and backslashes', zip({ name: 'C:\\x', content: 'x' }), 'archive.path-unsafe'],
  ['a name with a zero byte', zip({ name: 'a\0b', content: 'x' }), 'archive.path-unsafe'],
  ['a link to the host', zip({ name: 'l', content: '/etc/passwd', mode: link }), 'archive.link-unsafe'],
  [
    'a link that climbs',
    zip({ name: 'l', content: '../outside/precious', mode: link }),
    'archive.link-unsafe',
  ],
  [
    'a file behind a link',
    zip({ name: 'l', content: 'd', mode: link }, { name: 'l/x', content: 'x' }),
    'archive.link-unsafe',
  ],
  [
    'a file behind what is flagged as a link and is none',
    zip({ name: 'l', content: '#!/bin/sh\n', mode: link }, { name: 'l/x', content: 'x' }),
    'archive.conflict',
  ],
  ['a character device', zip({ name: 'mem', mode: 0o020666 }), 'archive.special-file'],
  ['a pipe', zip({ name: 'p', mode: 0o010666 }), 'archive.special-file'],
  ['a socket', zip({ name: 's', mode: 0o140666 }), 'archive.special-file'],
  [
    'two files of one name',
    zip({ name: 'f', content: 'a' }, { name: 'f', content: 'b' }),
    'archive.conflict',
  ],
  [
    'a file inside a file',
    zip({ name: 'f', content: 'a' }, { name: 'f/g', content: 'b' }),
    'archive.conflict',
  ],
  ['an encrypted file', zip({ name: 'f', content: 'a', flags: 1 }), 'archive.unsupported'],
  ['an unknown compression', zip({ name: 'f', content: 'a', method: 14 }), 'archive.unsupported'],
  ['a folder with content', zip({ name: 'd/', content: 'abc', mode: 0o040755 }), 'archive.invalid'],
  ['a wrong checksum', zip({ name: 'f', content: 'abc', saidSum: 7 }), 'archive.invalid'],
  ['less content than said', zip({ name: 'f', content: 'abc', saidBytes: 5 }), 'archive.invalid'],
  [
    'more content than said',
    zip({ name: 'f', content: 'abcdef'.repeat(9), saidBytes: 5 }),
    'archive.invalid',
  ],
  ['zeros by the megabyte', zip({ name: 'f', content: Buffer.alloc(30 * 1024 ** 2) }), 'archive.limit'],
  ['a size said above the limit', zip({ name: 'f', content: 'x', saidBytes: 2 ** 31 }), 'archive.limit'],
  [
    'many entries that share their bytes',
    zip(
      { name: 'f', content: Buffer.alloc(1024 ** 2) },
      ...Array.from({ length: 50 }, (_, i) => ({ name: `g${i}`, content: '', shareWith: 0 })),
    ),
    'archive.limit',
  ],
  [
    '2000 entries where 1000 may be',
    zip(...Array.from({ length: 2000 }, (_, i) => ({ name: `f${i}` }))),
    'archive.limit',
  ],
  ['a path 200 folders deep', zip({ name: `${'a/'.repeat(200)}x`, content: 'x' }), 'archive.limit'],
  ['its end cut off', zip({ name: 'f', content: 'abc' }).subarray(0, 60), 'archive.invalid'],
  ['its middle overwritten', broken(zip({ name: 'f', content: 'abc'.repeat(100) })), 'archive.invalid'],
])('a zip with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => openAndExtract(bytes), code)
})

test.each<[string, Uint8Array, ProblemCode]>([
  ['gzip of zeros', gzipOfZeros(100), 'archive.limit'],
  [
    'gzip cut off',
    gzipSync(tar({ path: 'x', content: 'y'.repeat(9000) })).subarray(0, 60),
    'archive.invalid',
  ],
  ['gzip with a wrong checksum', broken(gzipSync(tar({ path: 'x' }))), 'archive.invalid'],
  ['zstd of zeros', zstdCompressSync(Buffer.alloc(80 * 1024 ** 2)), 'archive.limit'],
  [
    'zstd cut off',
    zstdCompressSync(tar({ path: 'x', content: 'y'.repeat(9000) })).subarray(0, 30),
    'archive.invalid',
  ],
])('%s is refused without holding it in memory', async (_, bytes, code) => {
  const before = process.memoryUsage().rss

  await expectRefused(() => openAndExtract(bytes), code)

  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2)
})
