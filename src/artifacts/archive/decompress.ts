/** Decompresses a file as a stream, as long as what comes out stays in proportion to what goes in. */
import { createReadStream, type ReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { never } from '../../kit/assert.ts'
import { fail } from '../../model/problem.ts'
import type { ArchiveLimits } from '../limits.ts'
import type { Compression } from '../oci/media-types.ts'
import { zstdFrames } from './zstd-frames.ts'

const chunkBytes = 512 * 1024

/** The bytes of a file, decompressed, as long as they stay in proportion. Problems: archive.limit, archive.invalid. */
export async function* decompressed(
  path: string,
  compression: Compression,
  limits: ArchiveLimits,
): AsyncIterable<Uint8Array> {
  const reading = createReadStream(path, { highWaterMark: chunkBytes })
  let out = 0
  try {
    for await (const chunk of through(reading, compression)) {
      const bytes = chunk as Buffer
      out += bytes.length
      if (out > limits.ratioFreeBytes && out > reading.bytesRead * limits.ratioMax) {
        fail('archive.limit', `it unpacks to more than ${limits.ratioMax} times its size`)
      }
      yield bytes
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (/^(Z_|ERR_ZSTD|ZSTD_)/.test(code)) fail('archive.invalid', message, { cause: error })
    throw error
  }
}

function through(reading: ReadStream, compression: Compression): Readable {
  switch (compression) {
    case 'none':
      return reading
    case 'gzip':
      return pipeline(reading, createGunzip({ chunkSize: chunkBytes }), ignore)
    case 'zstd':
      return pipeline(reading, zstdFrames, createZstdDecompress({ chunkSize: chunkBytes }), ignore)
    default:
      return never(compression)
  }
}

/** A failure reaches the reader of the last stream, too. */
function ignore(): void {}

/** How a file is compressed, by its first bytes. */
export function compressionByMagic(head: Uint8Array): Compression {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip'
  if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) return 'zstd'
  return 'none'
}
