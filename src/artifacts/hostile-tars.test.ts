import { gzipSync } from 'node:zlib'
import { test } from 'vitest'
import { pax, paxRecord, tar, tarExtension, tarPart } from '../../test/support/hostile.ts'
import { hostileWorld } from '../../test/support/hostile-world.ts'
import type { ProblemCode } from '../model/problem-codes.ts'

const { expectRefused, expectUntouched, openAndExtract, unpack } = hostileWorld()

const end = Buffer.alloc(1024)
const folderEntry = { path: 'd', kind: 'folder' } as const
const negativeSize = (header: Buffer): void => {
  header.fill(0xff, 124, 136)
}
const hugeSize = (header: Buffer): void => {
  header.write('77777777777\0', 124, 'latin1')
}

type Case = readonly [name: string, bytes: Uint8Array, code: ProblemCode]

/** Refused both as the tar of a package and as the layer of an image. */
const tars: readonly Case[] = [
  ['a path that climbs', tar({ path: '../outside/x' }), 'archive.path-unsafe'],
  ['a path that climbs in the middle', tar({ path: 'a/../../outside/x' }), 'archive.path-unsafe'],
  ['a path that is only dots', tar({ path: '..', kind: 'folder' }), 'archive.path-unsafe'],
  [
    'a pax path that climbs',
    Buffer.concat([pax('path', '../../outside/x'), tarPart({ path: 'ok' }), end]),
    'archive.path-unsafe',
  ],
  [
    'a GNU long name that climbs',
    Buffer.concat([tarExtension('L', '../outside/x\0'), tarPart({ path: 'ok' }), end]),
    'archive.path-unsafe',
  ],
  [
    'a pax path with a zero byte',
    Buffer.concat([pax('path', 'a\0b'), tarPart({ path: 'ok' }), end]),
    'archive.invalid',
  ],
  [
    'a file behind a circle of links',
    tar({ path: 'a', kind: 'link', target: 'b' }, { path: 'b', kind: 'link', target: 'a' }, { path: 'a/x' }),
    'archive.link-unsafe',
  ],
  [
    'a hard link that climbs',
    tar({ path: 'x', kind: 'hard-link', target: '../outside/precious' }),
    'archive.path-unsafe',
  ],
  ['a hard link to nothing', tar({ path: 'x', kind: 'hard-link', target: 'absent' }), 'archive.link-unsafe'],
  [
    'a hard link to a folder',
    tar(folderEntry, { path: 'x', kind: 'hard-link', target: 'd' }),
    'archive.link-unsafe',
  ],
  ['a link that leads nowhere', tar({ path: 'l', kind: 'link', target: '' }), 'archive.link-unsafe'],
  ['a file over a folder', tar(folderEntry, { path: 'd', content: 'x' }), 'archive.conflict'],
  ['a file inside a file', tar({ path: 'f', content: 'x' }, { path: 'f/g' }), 'archive.conflict'],
  ['a root that is a file', tar({ path: '.', content: 'x' }), 'archive.conflict'],
  ['a name part of 300 bytes', tar({ path: `${'n'.repeat(300)}` }), 'archive.path-unsafe'],
  ['a path of 5000 bytes', tar({ path: `${'abcdefghi/'.repeat(500)}x` }), 'archive.limit'],
  ['a path 200 folders deep', tar({ path: `${'a/'.repeat(200)}x` }), 'archive.limit'],
  [
    '2000 entries where 1000 may be',
    tar(...Array.from({ length: 2000 }, (_, i) => ({ path: `f${i}` }))),
    'archive.limit',
  ],
  ['a file said to hold 8 GiB', tar({ path: 'x', spoil: hugeSize }), 'archive.limit'],
  ['a negative size', tar({ path: 'x', spoil: negativeSize }), 'archive.invalid'],
  [
    'a wrong checksum',
    tar({ path: 'x', spoil: (header) => header.write('0777', 100), badSum: true }),
    'archive.invalid',
  ],
  [
    'a size that is no number',
    tar({ path: 'x', spoil: (header) => header.write('zzzzzzzzzzz', 124) }),
    'archive.invalid',
  ],
  [
    'a pax header without its length',
    Buffer.concat([tarExtension('x', 'path=x\n'), tarPart({ path: 'ok' }), end]),
    'archive.invalid',
  ],
  [
    'a pax header longer than itself',
    Buffer.concat([tarExtension('x', '99 path=x\n'), tarPart({ path: 'ok' }), end]),
    'archive.invalid',
  ],
  [
    'a pax size that is no number',
    Buffer.concat([pax('size', '-1'), tarPart({ path: 'ok' }), end]),
    'archive.invalid',
  ],
  [
    'a pax header of 2 MiB',
    Buffer.concat([tarExtension('x', Buffer.alloc(2 * 1024 ** 2)), end]),
    'archive.limit',
  ],
  [
    'an entry of an unknown type',
    tar({ path: 'x', spoil: (header) => header.write('Z', 156, 'latin1') }),
    'archive.unsupported',
  ],
  [
    'a folder with content',
    tar({ path: 'x', content: 'abc', spoil: (header) => header.write('5', 156, 'latin1') }),
    'archive.invalid',
  ],
  ['a tar cut off in a header', tar({ path: 'x' }).subarray(0, 300), 'archive.invalid'],
  [
    'a tar cut off in a body',
    tar({ path: 'x', content: 'y'.repeat(2000) }).subarray(0, 1024),
    'archive.invalid',
  ],
  ['a tar cut off after a pax header', Buffer.concat([pax('path', 'x'), end]), 'archive.invalid'],
  [
    'an entry after the end',
    Buffer.concat([tarPart({ path: 'a' }), Buffer.alloc(512), tarPart({ path: 'b' }), end]),
    'archive.invalid',
  ],
  ['noise', Buffer.from('ustar '.repeat(500)), 'archive.invalid'],
]

test.each(tars)('a layer with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => unpack(bytes), layerCode(_, code))
})

test.each(tars)('a compressed tar with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => openAndExtract(gzipSync(bytes)), code)
})

/** Where an image forgives or says it otherwise than a package. */
function layerCode(name: string, code: ProblemCode): ProblemCode {
  return name === 'a link that leads nowhere' ? 'archive.invalid' : code
}

/** Refused as the tar of a package; a layer, whose root is all there is, takes them as the field does. */
const tarsOfPackages: readonly Case[] = [
  ['an absolute path', tar({ path: '/etc/cron.d/x' }), 'archive.path-unsafe'],
  ['an absolute path with many slashes', tar({ path: '///etc/passwd' }), 'archive.path-unsafe'],
  [
    'a file behind an absolute link',
    tar({ path: 'l', kind: 'link', target: '/tmp' }, { path: 'l/x' }),
    'archive.link-unsafe',
  ],
  [
    'a file behind a climbing link',
    tar({ path: 'l', kind: 'link', target: '../outside' }, { path: 'l/x' }),
    'archive.link-unsafe',
  ],
  [
    'a file behind a chain of links',
    tar(
      { path: 'a', kind: 'link', target: 'b' },
      { path: 'b', kind: 'link', target: '../outside' },
      { path: 'a/x' },
    ),
    'archive.link-unsafe',
  ],
  [
    'a folder behind a link',
    tar({ path: 'l', kind: 'link', target: '/tmp' }, { path: 'l/d', kind: 'folder' }),
    'archive.link-unsafe',
  ],
  [
    'a hard link to the host',
    tar({ path: 'x', kind: 'hard-link', target: '/etc/passwd' }),
    'archive.path-unsafe',
  ],
  [
    'a hard link through a link',
    tar(
      { path: 'l', kind: 'link', target: '../outside' },
      { path: 'x', kind: 'hard-link', target: 'l/precious' },
    ),
    'archive.link-unsafe',
  ],
  ['a character device', tar({ path: 'mem', kind: 'device' }), 'archive.special-file'],
  [
    'a block device',
    tar({ path: 'disk', spoil: (header) => header.write('4', 156, 'latin1') }),
    'archive.special-file',
  ],
  [
    'a sparse file of GNU',
    tar({ path: 'x', spoil: (header) => header.write('S', 156, 'latin1') }),
    'archive.unsupported',
  ],
  [
    'a sparse file of pax',
    Buffer.concat([pax('GNU.sparse.major', '1'), tarPart({ path: 'ok' }), end]),
    'archive.unsupported',
  ],
]

test.each(tarsOfPackages)('a compressed tar with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => openAndExtract(gzipSync(bytes)), code)
})

test.each<Case>([
  ['a link to the host', tar({ path: 'l', kind: 'link', target: '/etc/passwd' }), 'archive.link-unsafe'],
  ['a link that climbs out', tar({ path: 'd/l', kind: 'link', target: '../../x' }), 'archive.link-unsafe'],
  ['a pipe', tar({ path: 'p', kind: 'pipe' }), 'archive.special-file'],
  [
    'two files of one name',
    tar({ path: 'f', content: 'a' }, { path: './f', content: 'b' }),
    'archive.conflict',
  ],
  ['a name that is no text', tar({ path: 'caf\u00e9' }), 'archive.path-unsafe'],
])('a tar of a package with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => openAndExtract(gzipSync(bytes)), code)
})

test.each<Case>([
  ['a whiteout of the parent', tar({ path: 'd/.wh...' }), 'archive.path-unsafe'],
  ['a whiteout of nothing', tar({ path: 'd/.wh.' }), 'archive.path-unsafe'],
])('a layer with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => unpack(bytes), code)
})

const sparse = (map: string, size = '4096'): Uint8Array =>
  Buffer.concat([
    tarExtension(
      'x',
      Buffer.concat([
        paxRecord('GNU.sparse.size', size),
        paxRecord('GNU.sparse.numblocks', '2'),
        paxRecord('GNU.sparse.map', map),
      ]),
    ),
    tarPart({ path: 'x', content: Buffer.alloc(1024) }),
    end,
  ])

test.each<Case>([
  ['pieces that overlap', sparse('0,512,256,512'), 'archive.invalid'],
  ['pieces in the wrong order', sparse('1024,512,0,512'), 'archive.invalid'],
  ['a piece beyond its end', sparse('0,512,8192,512'), 'archive.invalid'],
  ['more data than its map', sparse('0,512'), 'archive.invalid'],
  ['less data than its map', sparse('0,512,1024,1024'), 'archive.invalid'],
  ['half a piece', sparse('0,512,1024'), 'archive.invalid'],
  ['a map of words', sparse('0,512,far,512'), 'archive.invalid'],
  ['a hole of a terabyte', sparse('0,512,1024,512', String(1024 ** 4)), 'archive.limit'],
])('a layer with a sparse file of %s is refused', async (_, bytes, code) => {
  await expectRefused(() => unpack(bytes), code)
})

test.each<readonly [string, Uint8Array]>([
  ['an absolute path', tar({ path: '/etc/cron.d/x' })],
  ['a file behind an absolute link', tar({ path: 'l', kind: 'link', target: '/tmp' }, { path: 'l/x' })],
  [
    'a file behind a climbing link',
    tar({ path: 'l', kind: 'link', target: '../../outside' }, { path: 'l/precious', content: 'lead' }),
  ],
  [
    'a whiteout behind a climbing link',
    tar({ path: 'l', kind: 'link', target: '../../outside' }, { path: 'l/.wh.precious' }),
  ],
  [
    'an opaque mark behind a climbing link',
    tar({ path: 'l', kind: 'link', target: '../../outside' }, { path: 'l/.wh..wh..opq' }),
  ],
  ['the device that overlay reads as deleted', tar({ path: 'etc/passwd', kind: 'device' })],
])('a layer with %s stays within its folder', async (_, bytes) => {
  await unpack(bytes)

  expectUntouched()
})
