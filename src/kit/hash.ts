/** The one door to digests, and the ids that are derived from them. */
import {
  createHash,
  createHmac,
  createPublicKey,
  createSecretKey,
  hash,
  scrypt,
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

/** The SHA-256 of a text as base64url. */
export function sha256Url(content: string): string {
  return hash('sha256', content, 'base64url')
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

/** A digest that only holders of a key can make. */
export function keyedDigest(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
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

/** What trying a password costs: 32 MiB, and more than 50 ms of a processor of 2025. */
const passwordCost = { N: 2 ** 15, r: 8, p: 1 }
const passwordHashBytes = 32

/** A hash that a password can be tried against, with its cost and salt. */
export async function hashPassword(password: string, salt: Uint8Array): Promise<string> {
  return written(salt, await scrypted(password, salt, passwordCost))
}

/** A hash that no password is known to fit, of random bytes: a try at it costs as much as at any other. */
export function unknownHash(bytes: (count: number) => Uint8Array): string {
  return written(bytes(16), bytes(passwordHashBytes))
}

function written(salt: Uint8Array, made: Uint8Array): string {
  const { N, r, p } = passwordCost
  const [first, second] = [salt, made].map((one) => Buffer.from(one).toString('base64url'))
  return ['scrypt', N, r, p, first, second].join('$')
}

/** The salt of a hash: hashes with the same one are tried in one go. */
export function saltOf(kept: string): Uint8Array {
  return Buffer.from(kept.split('$')[4] ?? '', 'base64url')
}

/** Tries a password at hashes; what is no hash of ours fits none. As long as their salts are the same, it costs one try. */
export async function fitsPassword(password: string, ...hashes: readonly string[]): Promise<boolean> {
  const made = new Map<string, string>()
  let fits = false
  for (const kept of hashes) {
    const [scheme, N, r, p, salt = '', expected = ''] = kept.split('$')
    if (scheme !== 'scrypt') continue
    const cost = { N: Number(N), r: Number(r), p: Number(p) }
    const manner = JSON.stringify([cost, salt])
    const found =
      made.get(manner) ??
      (await scrypted(password, Buffer.from(salt, 'base64url'), cost)).toString('base64url')
    made.set(manner, found)
    if (sameText(found, expected)) fits = true
  }
  return fits
}

function scrypted(password: string, salt: Uint8Array, cost: typeof passwordCost): Promise<Buffer> {
  const options = { ...cost, maxmem: 256 * cost.N * cost.r }
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFC'), salt, passwordHashBytes, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
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
