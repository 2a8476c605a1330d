/** Crafts archives byte by byte: well-formed but hostile, and malformed in ways no packer writes. */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import type { TarEntry } from '../../src/artifacts/archive/tar-header.ts'
import { tarEnd, tarHeader, tarPadding } from '../../src/artifacts/archive/tar-writer.ts'

export interface TarPart extends Partial<TarEntry> {
  readonly path: string
  readonly content?: string | Uint8Array
  /** Changes the header after it was made, before its checksum is set again. */
  spoil?(header: Buffer): void
  /** Leaves the checksum as the spoiling left it. */
  readonly badSum?: boolean
}

/** One entry with its content. */
export function tarPart({ content = '', spoil, badSum, ...entry }: TarPart): Uint8Array {
  const bytes = Buffer.from(content)
  const header = Buffer.from(
    tarHeader({
      kind: 'file',
      target: '',
      bytes: bytes.length,
      mode: 0o644,
      uid: 0,
      gid: 0,
      mtime: 0,
      ...entry,
    }),
  )
  const own = header.subarray(header.length - 512)
  spoil?.(own)
  if (spoil !== undefined && !badSum) setSum(own)
  return Buffer.concat([header, bytes, tarPadding(bytes.length)])
}

/** A whole tar. */
export function tar(...parts: readonly TarPart[]): Uint8Array {
  return Buffer.concat([...parts.map(tarPart), tarEnd()])
}

/** A raw header of any type flag with a body, as pax and GNU extensions are. */
export function tarExtension(flag: string, body: string | Uint8Array): Uint8Array {
  return tarPart({ path: 'extension', content: body, spoil: (header) => header.write(flag, 156, 'latin1') })
}

/** A pax header saying one thing. */
export function pax(key: string, value: string): Uint8Array {
  return tarExtension('x', paxRecord(key, value))
}

/** One record of a pax header; a value is a byte string. */
export function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`
  let length = rest.length
  while (`${length}${rest}`.length !== length) length = `${length}${rest}`.length
  return Buffer.from(`${length}${rest}`, 'latin1')
}

function setSum(header: Buffer): void {
  header.write('        ', 148, 'latin1')
  let sum = 0
  for (const byte of header) sum += byte
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
}

export interface ZipPart {
  readonly name: string | Uint8Array
  readonly content?: string | Uint8Array
  /** Unix mode with type bits. */
  readonly mode?: number
  readonly method?: number
  readonly flags?: number
  /** What the central directory says instead of the truth. */
  readonly saidBytes?: number
  readonly saidSum?: number
  /** Take the compressed bytes of an earlier part. */
  readonly shareWith?: number
}

/** A whole zip. */
export function zip(...parts: readonly ZipPart[]): Uint8Array {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  const places: {
    readonly at: number
    readonly packed: number
    readonly bytes: number
    readonly sum: number
  }[] = []
  let at = 0
  for (const part of parts) {
    const name = Buffer.from(part.name)
    const content = Buffer.from(part.content ?? '')
    const method = part.method ?? 8
    const packed = method === 8 ? deflateRawSync(content) : content
    let place = { at, packed: packed.length, bytes: content.length, sum: crc32(content) }
    if (part.shareWith === undefined) {
      const local = Buffer.alloc(30)
      local.writeUInt32LE(0x04034b50, 0)
      local.writeUInt16LE(20, 4)
      local.writeUInt16LE((part.flags ?? 0) | 0x800, 6)
      local.writeUInt16LE(method, 8)
      local.writeUInt32LE(place.sum, 14)
      local.writeUInt32LE(place.packed, 18)
      local.writeUInt32LE(place.bytes, 22)
      local.writeUInt16LE(name.length, 26)
      pieces.push(local, name, packed)
      at += 30 + name.length + packed.length
    } else {
      place = places[part.shareWith] ?? place
    }
    places.push(place)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE((3 << 8) | 20, 4)
    central.writeUInt16LE(20, 6)
    central.writeUInt16LE((part.flags ?? 0) | 0x800, 8)
    central.writeUInt16LE(method, 10)
    central.writeUInt32LE(part.saidSum ?? place.sum, 16)
    central.writeUInt32LE(place.packed, 20)
    central.writeUInt32LE(part.saidBytes ?? place.bytes, 24)
    central.writeUInt16LE(name.length, 28)
    central.writeUInt32LE(((part.mode ?? 0o100644) << 16) >>> 0, 38)
    central.writeUInt32LE(place.at, 42)
    directory.push(Buffer.concat([central, name]))
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...pieces, central, end])
}

/** Gzip of many zeros, made of repeated members so that making it costs little. */
export function gzipOfZeros(megabytes: number): Uint8Array {
  const one = gzipSync(Buffer.alloc(1024 * 1024), { level: 9 })
  return Buffer.concat(Array.from({ length: megabytes }, () => one))
}
