/** Packs files that are held in memory as a compressed tar, and reads the first of them again. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { blockBytes } from './tar-header.ts'
import { tarEnd, tarHeader, tarPadding } from './tar-writer.ts'

export interface NamedBytes {
  readonly path: string
  readonly bytes: Uint8Array
}

/** A tar (gzip) that only its owner may read when it is unpacked; `mtime` in seconds since 1970. */
export function packFiles(files: readonly NamedBytes[], mtime: number): Uint8Array {
  const parts = files.flatMap(({ path, bytes }) => [
    tarHeader({
      ...{ kind: 'file', path: Buffer.from(path).toString('latin1'), target: '' },
      ...{ bytes: bytes.length, mode: 0o600, uid: 0, gid: 0, mtime },
    }),
    bytes,
    tarPadding(bytes.length),
  ])
  return new Uint8Array(gzipSync(Buffer.concat([...parts, tarEnd()])))
}

/** The content of the first file of what packFiles made. */
export function firstFile(packed: Uint8Array): Uint8Array {
  const tar = gunzipSync(packed)
  const size = Number.parseInt(tar.subarray(124, 135).toString('latin1'), 8)
  return tar.subarray(blockBytes, blockBytes + size)
}
