/** Pieces of bytes put together, up to a bound. */
import { fail } from '../../model/problem.ts'

/** All bytes of a stream in one array. Problems: artifact.too-large. */
export async function collect(bytes: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let count = 0
  for await (const piece of bytes) {
    count += piece.byteLength
    if (count > bytesMax) return fail('artifact.too-large', `more than ${bytesMax} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
