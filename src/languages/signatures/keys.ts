/** Public keys, and whether a value of one of them fits what was signed. */
import { constants, createPublicKey, hash as hashOf, type KeyObject, verify } from 'node:crypto'
import { readPem } from '../../kit/pem.ts'

/** How a value was made, where the form leaves no choice. */
export interface FixedManner {
  readonly hash: 'sha256' | 'sha384' | 'sha512'
  /** ECDSA as two numbers, not as DER. */
  readonly plain: boolean
  readonly keyType: 'ec' | 'rsa'
  /** The curve of an EC key. */
  readonly curve?: string
}

/** Hexadecimal. */
export function hash(algorithm: string, data: Uint8Array): string {
  return hashOf(algorithm, data)
}

/** All public keys of a PEM text that can be read. */
export function keysOf(pem: string): readonly KeyObject[] {
  return readPem(pem).flatMap(({ label, bytes }) => {
    try {
      return label === 'PUBLIC KEY'
        ? [createPublicKey({ key: Buffer.from(bytes), format: 'der', type: 'spki' })]
        : []
    } catch {
      return []
    }
  })
}

const hashesOfCurve: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['sha256'],
  secp384r1: ['sha384', 'sha256'],
  secp521r1: ['sha512', 'sha256'],
}
const rsaBitsMin = 2048

/** Whether a value fits, made the way that the key's kind usually has, or the way that is fixed. */
export function fits(key: KeyObject, data: Uint8Array, value: Uint8Array, manner?: FixedManner): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  const bytes = Buffer.from(data)
  if (type === 'rsa' && (details?.modulusLength ?? 0) < rsaBitsMin) return false
  if (manner !== undefined) return type === manner.keyType && fitsFixed(key, bytes, { value, manner })
  switch (type) {
    case 'ec':
      return (hashesOfCurve[details?.namedCurve ?? ''] ?? []).some((one) => verify(one, bytes, key, value))
    case 'rsa':
      return verify('sha256', bytes, { key, padding: constants.RSA_PKCS1_PADDING }, value)
    case 'ed25519':
      return verify(null, bytes, key, value)
    default:
      return false
  }
}

function fitsFixed(
  key: KeyObject,
  bytes: Buffer,
  { value, manner }: { readonly value: Uint8Array; readonly manner: FixedManner },
): boolean {
  if (manner.keyType === 'rsa') {
    const padding = constants.RSA_PKCS1_PSS_PADDING
    return verify(manner.hash, bytes, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }, value)
  }
  if (key.asymmetricKeyDetails?.namedCurve !== manner.curve) return false
  return verify(manner.hash, bytes, { key, dsaEncoding: manner.plain ? 'ieee-p1363' : 'der' }, value)
}
