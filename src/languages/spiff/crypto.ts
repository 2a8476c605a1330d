/** The door to the platform's cryptography: digests, the legacy cipher of `encrypt`, keys and signatures. */

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { concat, fromHex, toBase64 } from '../../kit/bytes.ts'

export type { KeyObject }

/** The hex digest of some bytes. */
export function digestHex(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest('hex')
}

export function digestBytes(algorithm: string, bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash(algorithm).update(bytes).digest())
}

export function hmacSha256(key: string, bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', key).update(bytes).digest())
}

/** Triple DES in CBC mode without padding. */
export function tripleDes(
  mode: 'encrypt' | 'decrypt',
  { key, iv, bytes }: { key: Uint8Array; iv: Uint8Array; bytes: Uint8Array },
): Uint8Array {
  const make = mode === 'encrypt' ? createCipheriv : createDecipheriv
  const cipher = make('des-ede3-cbc', key, iv)
  cipher.setAutoPadding(false)
  return concat(cipher.update(bytes), cipher.final())
}

/** A private key in PEM. */
export function privateKey(pem: string): KeyObject {
  return createPrivateKey(pem)
}

/** The public key of a private one, or one in PEM. */
export function publicKey(from: string | KeyObject): KeyObject {
  return createPublicKey(from)
}

export function generateRsa(bits: number): string {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: bits })
  return key.export({ type: 'pkcs1', format: 'pem' }).toString()
}

export function generateEc(curve: string): string {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: curve })
  return key.export({ type: 'sec1', format: 'pem' }).toString()
}

/** The public half of an X25519 key. */
export function x25519Public(secret: Uint8Array): Uint8Array {
  const document = concat(fromHex('302e020100300506032b656e04220420'), secret)
  const key = createPrivateKey(
    `-----BEGIN PRIVATE KEY-----\n${toBase64(document)}\n-----END PRIVATE KEY-----`,
  )
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return new Uint8Array(der.subarray(der.length - 32))
}
