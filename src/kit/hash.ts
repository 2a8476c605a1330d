/** The one door to digests, and the ids that are derived from them. */
import {
  createHash,
  createHmac,
  createPublicKey,
  createSecretKey,
  hash,
  timingSafeEqual,
  verify,
} from 'node:crypto'

/** `sha256:` and the hex digest of some bytes or text. */
export function digestOf(content: string | Uint8Array): string {
  return `sha256:${sha256(content)}`
}

/** The hex SHA-256 of some bytes or text. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content)
}

/** The digest of what comes piece by piece and need not fit into memory. */
export async function digestOfPieces(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const running = createHash('sha256')
  for await (const piece of pieces) running.update(piece)
  return `sha256:${running.digest('hex')}`
}

/** The hex MD5 of a text: for names that other tools make so, never for trust. */
export function md5(content: string): string {
  return createHash('md5').update(content).digest('hex')
}

/** A UUID that is the same for the same names (RFC 9562 version 8 over SHA-256). */
export function uuidOf(...names: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(names)).digest()
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}

// A key object, for a code takes six times as long with the bytes of a key.
const sameKey = createSecretKey(Buffer.from('same'))

/** Compares two texts in a time that tells nothing about them. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(
    createHmac('sha256', sameKey).update(a).digest(),
    createHmac('sha256', sameKey).update(b).digest(),
  )
}

/** Whether an Ed25519 key (32 bytes, as Base64) signed a text. */
export function isSigned(text: string, signature: string, publicKey: string): boolean {
  const x = Buffer.from(publicKey, 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}

/** The first characters of a digest in lower-case base32, fit for names. */
export function shortName(text: string, length: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  const bytes = createHash('sha256').update(text).digest()
  let name = ''
  for (let bit = 0; name.length < length; bit += 5) {
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0)
    name += alphabet[(pair >> (11 - (bit & 7))) & 31]
  }
  return name
}
