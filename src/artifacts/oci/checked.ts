/** A stream that is refused at its end unless it was what its descriptor says. */
import type { Hash } from 'node:crypto'
import { fail } from '../../model/problem.ts'
import { hashFor, splitDigest } from '../digest.ts'
import type { Descriptor } from './manifest.ts'

/** Passes bytes on and fails at their end if they were not those of the descriptor. Problems: artifact.altered. */
export async function* checked(
  { digest, size }: Descriptor,
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const { hex } = splitDigest(digest)
  let hash: Hash | undefined
  let seen = 0
  for await (const chunk of bytes) {
    // Refused in here, so that what was opened is closed again.
    hash ??= hashFor(digest)
    seen += chunk.byteLength
    if (seen > size) break
    hash.update(chunk)
    yield chunk
  }
  const found = (hash ?? hashFor(digest)).digest('hex')
  if (seen !== size || found !== hex) {
    refuseAltered({ digest, size }, { seen, hex: found })
  }
}

/** Refuses bytes that were not those of a descriptor. Problems: artifact.altered. */
export function refuseAltered(
  { digest, size }: Pick<Descriptor, 'digest' | 'size'>,
  found: { readonly seen: number; readonly hex: string },
): never {
  const { algorithm } = splitDigest(digest)
  const seen = found.seen > size ? 'more' : found.seen
  return fail(
    'artifact.altered',
    `expected ${size} bytes with ${digest}, found ${seen} with ${algorithm}:${found.hex}`,
  )
}
