/** JSON Web Tokens that others signed: read and checked against their public keys; none is made here. */
import { createPublicKey, type JsonWebKeyInput, verify } from 'node:crypto'
import { isObject, type JsonObject } from './json.ts'

export interface Jwt {
  readonly header: JsonObject
  readonly claims: JsonObject
  /** What the signature is over. */
  readonly signed: string
  readonly signature: Uint8Array
}

/** Longer ones are none of a provider. */
const longest = 16_384

/** The parts of a token, not checked yet; undefined: it is none. */
export function readJwt(text: string): Jwt | undefined {
  if (text.length > longest || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return undefined
  const [head = '', body = '', signature = ''] = text.split('.')
  const header = objectIn(head)
  const claims = objectIn(body)
  if (header === undefined || claims === undefined) return undefined
  return { header, claims, signed: `${head}.${body}`, signature: Buffer.from(signature, 'base64url') }
}

function objectIn(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

interface Algorithm {
  readonly hash: string | null
  readonly kty: string
  readonly crv?: string
  readonly isPss?: true
}

/** Signatures with a private key only: what is signed with a shared secret, or not at all, is not known here. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  RS256: { hash: 'sha256', kty: 'RSA' },
  RS384: { hash: 'sha384', kty: 'RSA' },
  RS512: { hash: 'sha512', kty: 'RSA' },
  PS256: { hash: 'sha256', kty: 'RSA', isPss: true },
  PS384: { hash: 'sha384', kty: 'RSA', isPss: true },
  PS512: { hash: 'sha512', kty: 'RSA', isPss: true },
  ES256: { hash: 'sha256', kty: 'EC', crv: 'P-256' },
  ES384: { hash: 'sha384', kty: 'EC', crv: 'P-384' },
  ES512: { hash: 'sha512', kty: 'EC', crv: 'P-521' },
  EdDSA: { hash: null, kty: 'OKP', crv: 'Ed25519' },
}

/** The fewest bits of an RSA key that is believed. */
const rsaBitsLeast = 2048
/** RSASSA-PSS and the length of its salt, as the crypto library numbers them. */
const pss = { padding: 6, saltLength: -1 } as const

/** Whether a public key signed a token, by an algorithm that is one of that key. */
export function isSignedBy({ header, signed, signature }: Jwt, key: JsonObject): boolean {
  const name = header['alg']
  const algorithm = typeof name === 'string' && Object.hasOwn(algorithms, name) ? algorithms[name] : undefined
  if (algorithm === undefined || header['crit'] !== undefined || !isFor(key, algorithm, name)) return false
  try {
    const publicKey = createPublicKey({ key, format: 'jwk' } as JsonWebKeyInput)
    const bits = publicKey.asymmetricKeyDetails?.modulusLength
    if (algorithm.kty === 'RSA' && (bits ?? 0) < rsaBitsLeast) return false
    const how = {
      key: publicKey,
      ...(algorithm.kty === 'EC' ? { dsaEncoding: 'ieee-p1363' as const } : {}),
      ...(algorithm.isPss ? pss : {}),
    }
    return verify(algorithm.hash, Buffer.from(signed), how, signature)
  } catch {
    return false
  }
}

function isFor(key: JsonObject, { kty, crv }: Algorithm, alg: unknown): boolean {
  if (key['kty'] !== kty || (crv !== undefined && key['crv'] !== crv)) return false
  if (key['use'] !== undefined && key['use'] !== 'sig') return false
  return key['alg'] === undefined || key['alg'] === alg
}
