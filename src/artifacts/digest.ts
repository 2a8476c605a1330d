/** Digests: what they look like, how to make one, how to check a stream against one. */
import { createHash, type Hash } from 'node:crypto'
import { shorten } from '../kit/text.ts'
import { fail } from '../model/problem.ts'

const shapes: Readonly<Record<string, RegExp>> = {
  sha256: /^[a-f0-9]{64}$/,
  sha512: /^[a-f0-9]{128}$/,
}

/** Whether a text is a digest we can check. */
export function isDigest(text: unknown): text is string {
  if (typeof text !== 'string') return false
  const [algorithm = '', hex = '', ...rest] = text.split(':')
  return rest.length === 0 && shapes[algorithm]?.test(hex) === true
}

/** The sha256 digest of some bytes. */
export function digestOf(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/** The two halves of a digest. */
export function splitDigest(digest: string): { readonly algorithm: string; readonly hex: string } {
  const [algorithm = '', hex = ''] = digest.split(':')
  return { algorithm, hex }
}

/** Starts hashing with the algorithm of a digest. Problems: artifact.altered. */
export function hashFor(digest: string): Hash {
  if (!isDigest(digest)) fail('artifact.altered', `${shorten(String(digest), 100)} is not a digest`)
  return createHash(splitDigest(digest).algorithm)
}

/** Refuses bytes that do not have the digest. Problems: artifact.altered. */
export function checkBytes(bytes: Uint8Array, digest: string, source: string): void {
  const found = hashFor(digest).update(bytes).digest('hex')
  if (found !== splitDigest(digest).hex) {
    fail('artifact.altered', `expected ${digest}, found ${splitDigest(digest).algorithm}:${found}`, {
      where: { source },
    })
  }
}
