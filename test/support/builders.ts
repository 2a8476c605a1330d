/** Tiny images as the world's builders write them: names, owners, repetitions, compressions and tar dialects of each. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { digestOf } from '../../src/artifacts/digest.ts'
import { ociConfig, ociManifest } from '../../src/artifacts/oci/media-types.ts'
import { paxRecord, type TarPart, tar, tarExtension, tarPart } from './hostile.ts'

type Packing = 'none' | 'gzip' | 'zstd' | 'estargz' | 'zstd:chunked'

export interface BuilderImage {
  readonly builder: string
  readonly layers: readonly Uint8Array[]
  readonly packing: Packing
}

const end = Buffer.alloc(1024)
const time = 1_700_000_000

const folder = (path: string, more: Partial<TarPart> = {}): TarPart => ({
  path,
  kind: 'folder',
  mode: 0o755,
  mtime: time,
  ...more,
})
const file = (path: string, content: string | Uint8Array, more: Partial<TarPart> = {}): TarPart => ({
  path,
  content,
  mtime: time,
  ...more,
})
const link = (path: string, target: string): TarPart => ({
  path,
  kind: 'link',
  target,
  mode: 0o777,
  mtime: time,
})
const hard = (path: string, target: string, more: Partial<TarPart> = {}): TarPart => ({
  path,
  kind: 'hard-link',
  target,
  mtime: time,
  ...more,
})

/** What Docker writes for a step that changes nothing. */
const empty = tar()

/** Names that GNU's 100 bytes do not hold come in an entry before. */
function gnuLong(part: TarPart): Uint8Array {
  return Buffer.concat([
    tarExtension('L', `${part.path}\0`),
    tarPart({
      ...part,
      path: part.path.slice(0, 99),
      spoil: (header) => header.write('ustar  \0', 257, 'latin1'),
    }),
  ])
}

function withPax(words: Readonly<Record<string, string>>, part: TarPart): Uint8Array {
  const body = Object.entries(words).map(([key, value]) => paxRecord(key, value))
  return Buffer.concat([tarExtension('x', Buffer.concat(body)), tarPart(part)])
}

const data = (letter: string, bytes: number): Buffer => Buffer.alloc(bytes, letter)
const holes = { bytes: 1024 * 1024, at: [0, 8192, 700_000] as const, piece: 512 }
const packed = Buffer.concat(['a', 'b', 'c'].map((letter) => data(letter, holes.piece)))

/** One file with two holes and one at its end, in the three ways of pax. */
function sparseLayer(): Uint8Array {
  const map = holes.at.flatMap((at) => [at, holes.piece])
  const of = (path: string): TarPart => file(path, packed)
  const mapBlock = Buffer.alloc(512)
  mapBlock.write(`${[holes.at.length, ...map].join('\n')}\n`)
  const repeated = holes.at.flatMap((at) => [
    paxRecord('GNU.sparse.offset', String(at)),
    paxRecord('GNU.sparse.numbytes', String(holes.piece)),
  ])
  const size = paxRecord('GNU.sparse.size', String(holes.bytes))
  const count = paxRecord('GNU.sparse.numblocks', String(holes.at.length))
  return Buffer.concat([
    tarExtension('x', Buffer.concat([size, count, ...repeated])),
    tarPart(of('pax-0.0')),
    withPax(
      {
        'GNU.sparse.numblocks': String(holes.at.length),
        'GNU.sparse.size': String(holes.bytes),
        'GNU.sparse.map': map.join(','),
        'GNU.sparse.name': 'pax-0.1',
      },
      of('GNUSparseFile.0/pax-0.1'),
    ),
    withPax(
      {
        'GNU.sparse.major': '1',
        'GNU.sparse.minor': '0',
        'GNU.sparse.name': 'pax-1.0',
        'GNU.sparse.realsize': String(holes.bytes),
      },
      file('GNUSparseFile.0/pax-1.0', Buffer.concat([mapBlock, packed])),
    ),
    tarPart(file('after', 'a file after all of them')),
    end,
  ])
}

/** A layer of old GNU tar, which Podman does not read: four stretches in the header, more in blocks that follow. */
export function oldSparseLayer(): Uint8Array {
  const octal = (value: number): string => `${value.toString(8).padStart(11, '0')}\0`
  const pieces = [...holes.at, 800_000, 900_000, 1_000_000].map((at) => [at, holes.piece] as const)
  // A piece of no bytes says where the file ends.
  const stretches = [...pieces, [holes.bytes, 0] as const]
  const body = Buffer.concat(pieces.map((_, i) => data(String.fromCharCode(97 + i), holes.piece)))
  const more = Buffer.alloc(512)
  for (const [i, [at, bytes]] of stretches.slice(4).entries())
    more.write(octal(at) + octal(bytes), i * 24, 'latin1')
  const whole = Buffer.from(
    tarPart({
      ...file('old-gnu', body),
      spoil: (header) => {
        header.write('S', 156, 'latin1')
        header.write('ustar  \0', 257, 'latin1')
        header.fill(0, 345, 512)
        for (const [i, [at, bytes]] of stretches.slice(0, 4).entries())
          header.write(octal(at) + octal(bytes), 386 + i * 24, 'latin1')
        header[482] = 1
        header.write(octal(holes.bytes), 483, 'latin1')
      },
    }),
  )
  return Buffer.concat([whole.subarray(0, 512), more, whole.subarray(512), tarPart(file('after', 'x')), end])
}

const base = tar(
  folder('bin/'),
  file('bin/busybox', 'program', { mode: 0o755 }),
  link('bin/sh', '/bin/busybox'),
  folder('etc/'),
  file('etc/passwd', 'root:x:0:0::/root:/bin/sh\n'),
  folder('tmp/', { mode: 0o1777 }),
  folder('var/'),
  link('var/run', '/run'),
  folder('var/cache/', { mode: 0o700, uid: 33, gid: 33 }),
  file('var/cache/old', 'old'),
  file('var/cache/other', 'other'),
)

const capability = Buffer.from('0100000200200000000000000000000000000000', 'hex').toString('latin1')

/** Every builder with the peculiarities of its layers. */
export const builderImages: readonly BuilderImage[] = [
  {
    builder: 'Docker, with one equal empty layer for each step that changes nothing',
    packing: 'gzip',
    layers: [
      base,
      empty,
      empty,
      tar(file('etc/issue', 'hello')),
      empty,
      tar(file('etc/issue', 'bye')),
      empty,
    ],
  },
  {
    builder: 'BuildKit, with a layer that comes again above another that undoes it',
    packing: 'gzip',
    layers: [
      base,
      tar(
        folder('var/'),
        folder('var/cache/', { mode: 0o700, uid: 33, gid: 33 }),
        file('var/cache/new', 'new'),
      ),
      tar(folder('var/'), file('var/cache/.wh..wh..opq', ''), file('var/cache/only', 'only')),
      tar(
        folder('var/'),
        folder('var/cache/', { mode: 0o700, uid: 33, gid: 33 }),
        file('var/cache/new', 'new'),
      ),
      tar(file('etc/.wh.passwd', '')),
      empty,
    ],
  },
  {
    builder: 'ko, with absolute names',
    packing: 'gzip',
    layers: [
      base,
      tar(
        folder('/var/run/ko', { mtime: 0, mode: 0o555 }),
        link('/var/run/ko/kodata', '/ko-app/data'),
        folder('/ko-app', { mtime: 0, mode: 0o555 }),
        file('/ko-app/app', 'go program', { mtime: 0, mode: 0o555 }),
      ),
    ],
  },
  {
    builder: 'buildpacks, with absolute names and an owner of their own',
    packing: 'gzip',
    layers: [
      base,
      tar(
        folder('/cnb', { mtime: 315532801 }),
        folder('/cnb/lifecycle', { mtime: 315532801 }),
        file('/cnb/lifecycle/launcher', 'launcher', { mode: 0o755, mtime: 315532801 }),
        link('/cnb/process', '/cnb/lifecycle'),
      ),
      tar(
        folder('/layers', { uid: 1000, gid: 1000 }),
        folder('/layers/paketo_go', { uid: 1000, gid: 1000 }),
        file('/layers/paketo_go/bin', 'app', { uid: 1000, gid: 1000, mode: 0o755 }),
        hard('/layers/paketo_go/same', '/layers/paketo_go/bin', { uid: 1000, gid: 1000, mode: 0o755 }),
      ),
    ],
  },
  {
    builder: 'jib, with the second of its epoch',
    packing: 'gzip',
    layers: [
      tar(
        folder('app/', { mtime: 1 }),
        folder('app/libs/', { mtime: 1 }),
        file('app/libs/a.jar', 'jar', { mtime: 1 }),
      ),
      tar(
        folder('app/', { mtime: 1 }),
        folder('app/classes/', { mtime: 1 }),
        file('app/classes/A.class', 'x', { mtime: 1 }),
      ),
    ],
  },
  {
    builder: 'kaniko, with the root as an entry',
    packing: 'gzip',
    layers: [
      base,
      tar(
        folder('/'),
        folder('/app/'),
        file('/app/file', 'x'),
        folder('/var/'),
        folder('/var/cache/', { mode: 0o700, uid: 33, gid: 33 }),
        file('/var/cache/.wh.old', ''),
      ),
    ],
  },
  {
    builder: 'nix, with dots in front and links into its store',
    packing: 'none',
    layers: [
      tar(
        folder('./', { mode: 0o755, mtime: 1 }),
        folder('./nix', { mode: 0o755, mtime: 1 }),
        folder('./nix/store', { mode: 0o1775, gid: 30000, mtime: 1 }),
        folder('./nix/store/0a-hello', { mode: 0o555, mtime: 1 }),
        folder('./nix/store/0a-hello/bin', { mode: 0o555, mtime: 1 }),
        file('./nix/store/0a-hello/bin/hello', 'hello', { mode: 0o555, mtime: 1 }),
      ),
      tar(
        folder('./', { mode: 0o755, mtime: 1 }),
        link('./bin', '/nix/store/0a-hello/bin'),
        folder('./etc', { mode: 0o555, mtime: 1 }),
        link('./etc/ssl', '/nix/store/0b-ssl/etc'),
      ),
    ],
  },
  {
    builder: 'Podman, with attributes beside the files',
    packing: 'gzip',
    layers: [
      base,
      Buffer.concat([
        withPax(
          {
            'SCHILY.xattr.user.note': 'x',
            'SCHILY.xattr.security.capability': capability,
            mtime: '1700000000.123456789',
          },
          file('bin/ping', 'ping', { mode: 0o755 }),
        ),
        tarPart(folder('run/', { mode: 0o755 })),
        tarPart(file('run/.containerenv', '')),
        end,
      ]),
    ],
  },
  {
    builder: 'estargz, with a member of gzip for each file',
    packing: 'estargz',
    layers: [base, tar(file('etc/a', 'A'), file('etc/b', data('b', 9000)))],
  },
  {
    builder: 'zstd:chunked, with a frame for each file and frames to be skipped',
    packing: 'zstd:chunked',
    layers: [base, tar(file('etc/a', 'A'), file('etc/b', data('b', 300_000)))],
  },
  { builder: 'BuildKit with zstd', packing: 'zstd', layers: [base, tar(file('etc/a', data('a', 300_000)))] },
  {
    builder: 'Fedora, with hard links, setuid programs and long names',
    packing: 'gzip',
    layers: [
      Buffer.concat([
        tarPart(folder('usr/', { mode: 0o555 })),
        tarPart(folder('usr/bin/', { mode: 0o555 })),
        tarPart(link('bin', 'usr/bin')),
        tarPart(file('usr/bin/su', 'su', { mode: 0o4755 })),
        tarPart(file('usr/bin/write', 'write', { mode: 0o2755, gid: 5 })),
        tarPart(hard('usr/bin/ex', 'usr/bin/su', { mode: 0o4755 })),
        gnuLong(file(`usr/share/${'long-name-'.repeat(15)}/file`, 'long')),
        withPax({ path: `usr/share/${'pax-name-'.repeat(20)}/file` }, file('short', 'long too')),
        // Behind a link of the same layer.
        tarPart(file('bin/through-link', 'in usr/bin')),
        end,
      ]),
    ],
  },
  {
    builder: 'Alpine, with a device beside the programs of one file',
    packing: 'gzip',
    layers: [
      base,
      tar(
        link('bin/ls', '/bin/busybox'),
        folder('dev/'),
        { path: 'dev/null', kind: 'device', mode: 0o666 },
        folder('lib/'),
        file('lib/apk', 'x'),
      ),
    ],
  },
  {
    builder: 'distroless, with missing parents and a folder that comes after what lies in it',
    packing: 'gzip',
    layers: [
      tar(
        folder('./'),
        folder('./etc/'),
        link('./etc/os-release', '../usr/lib/os-release'),
        file('./usr/lib/os-release', 'ID=debian'),
      ),
      tar(
        file('./home/nonroot/.keep', '', { uid: 65532, gid: 65532 }),
        folder('./home/nonroot/', { uid: 65532, gid: 65532, mode: 0o700 }),
      ),
      tar(file('./var/lib/dpkg/status.d/base', 'Package: base')),
    ],
  },
  { builder: 'GNU tar, with sparse files', packing: 'gzip', layers: [sparseLayer()] },
  {
    builder: 'debootstrap, with devices and pipes wherever they like',
    packing: 'gzip',
    layers: [
      tar(
        folder('srv/'),
        { path: 'srv/loop', kind: 'device', mode: 0o600 },
        { path: 'srv/pipe', kind: 'pipe', mode: 0o600 },
        file('srv/file', 'x'),
      ),
    ],
  },
  {
    builder: 'somebody with hard links to absolute names, and folders that tell a size',
    packing: 'gzip',
    layers: [
      tar(
        folder('opt/', { spoil: (header) => header.write('00000010000\0', 124, 'latin1') }),
        file('opt/a', 'A'),
        hard('opt/b', '/opt/a', { spoil: (header) => header.write('00000000001\0', 124, 'latin1') }),
        link('opt/l', '/opt'),
        file('opt/l/c', 'behind an absolute link'),
      ),
    ],
  },
  {
    builder: 'somebody with odd owners',
    packing: 'gzip',
    layers: [
      Buffer.concat([
        tarPart(file('nobody', 'x', { uid: 65534, gid: 65534 })),
        tarPart(file('large', 'x', { uid: 4_294_967_294, gid: 2_147_483_648 })),
        tarPart(folder('large-folder', { uid: 3_000_000_000, gid: 3_000_000_000 })),
        withPax({ uid: '100000', gid: '100000' }, file('sub', 'x')),
        tarPart(
          file('base256', 'x', {
            spoil: (header) => {
              header.fill(0, 108, 124)
              header[108] = 0x80
              header.writeUInt32BE(2_500_000_000, 112)
              header[116] = 0x80
              header.writeUInt32BE(77, 120)
            },
          }),
        ),
        end,
      ]),
    ],
  },
]

/** Writes an image as a layout and answers its reference. */
export function writeBuilderImage(place: string, { layers, packing }: BuilderImage): string {
  const blobs = join(place, 'blobs/sha256')
  mkdirSync(blobs, { recursive: true })
  const put = (mediaType: string, bytes: Uint8Array): { mediaType: string; digest: string; size: number } => {
    const digest = digestOf(bytes)
    writeFileSync(join(blobs, digest.slice('sha256:'.length)), bytes)
    return { mediaType, digest, size: bytes.length }
  }
  const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value))
  const diffIds = layers.map((layer) => digestOf(uncompressed(layer, packing)))
  const config = {
    os: 'linux',
    architecture: 'amd64',
    config: {},
    rootfs: { type: 'layers', diff_ids: diffIds },
  }
  const type = `application/vnd.oci.image.layer.v1.tar${suffixes[packing]}`
  const manifest = {
    schemaVersion: 2,
    mediaType: ociManifest,
    config: put(ociConfig, json(config)),
    layers: layers.map((layer) => put(type, pack(layer, packing))),
  }
  const named = {
    ...put(ociManifest, json(manifest)),
    annotations: { 'org.opencontainers.image.ref.name': 'made' },
  }
  writeFileSync(join(place, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  writeFileSync(join(place, 'index.json'), json({ schemaVersion: 2, manifests: [named] }))
  return `oci:${place}:made`
}

const suffixes: Readonly<Record<Packing, string>> = {
  none: '',
  gzip: '+gzip',
  zstd: '+zstd',
  estargz: '+gzip',
  'zstd:chunked': '+zstd',
}

const tableOfContents = tarPart(file('stargz.index.json', '{"version":1,"entries":[]}'))

/** An estargz has its table of contents as the last file. */
function uncompressed(layer: Uint8Array, packing: Packing): Uint8Array {
  return packing === 'estargz' ? Buffer.concat([layer.subarray(0, -1024), tableOfContents, end]) : layer
}

function pack(layer: Uint8Array, packing: Packing): Uint8Array {
  const bytes = uncompressed(layer, packing)
  switch (packing) {
    case 'none':
      return bytes
    case 'gzip':
      return gzipSync(bytes)
    case 'zstd':
      return zstdCompressSync(bytes)
    case 'estargz':
      return Buffer.concat([...pieces(bytes).map((piece) => gzipSync(piece)), gzipSync(Buffer.alloc(0))])
    case 'zstd:chunked':
      return Buffer.concat([
        ...pieces(bytes).map((piece) => zstdCompressSync(piece)),
        skippable('manifest'),
        skippable(''),
      ])
  }
}

function pieces(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / 700) }, (_, i) =>
    bytes.subarray(i * 700, i * 700 + 700),
  )
}

function skippable(text: string): Uint8Array {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(0x184d2a50, 0)
  head.writeUInt32LE(text.length, 4)
  return Buffer.concat([head, Buffer.from(text)])
}
