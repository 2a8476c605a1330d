/** Keys of a pretended identity provider, and tokens signed with them. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export interface SigningKey {
  readonly kid: string
  readonly alg: 'ES256' | 'RS256' | 'EdDSA' | 'PS256'
  readonly secret: KeyObject
  /** With its private part, as providers are configured. */
  readonly whole: Readonly<Record<string, unknown>>
  readonly open: Readonly<Record<string, unknown>>
}

export function makeSigningKey(kid: string, alg: SigningKey['alg'] = 'ES256', bits = 2048): SigningKey {
  const { privateKey, publicKey } = pairOf(alg, bits)
  const named = { kid, alg, use: 'sig' }
  return {
    ...{ kid, alg, secret: privateKey },
    whole: { ...privateKey.export({ format: 'jwk' }), ...named },
    open: { ...publicKey.export({ format: 'jwk' }), ...named },
  }
}

function pairOf(alg: SigningKey['alg'], modulusLength: number) {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519')
  return generateKeyPairSync('rsa', { modulusLength })
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token with these claims; more of its header replaces what is usual. */
export function signedToken(key: SigningKey, claims: object, header: object = {}): string {
  const text = `${part({ alg: key.alg, kid: key.kid, ...header })}.${part(claims)}`
  const how = {
    key: key.secret,
    ...(key.alg === 'ES256' ? { dsaEncoding: 'ieee-p1363' as const } : {}),
    ...(key.alg === 'PS256' ? { padding: 6, saltLength: 32 } : {}),
  }
  const signature = sign(key.alg === 'EdDSA' ? null : 'sha256', Buffer.from(text), how)
  return `${text}.${signature.toString('base64url')}`
}

/** What forgers try: a token that says it is signed with a shared secret, which is the public key. */
export function forgedWithPublicKey(key: SigningKey, claims: object, secret: string): string {
  const text = `${part({ alg: 'HS256', kid: key.kid })}.${part(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** And one that is not signed at all. */
export function unsignedToken(claims: object, alg = 'none'): string {
  return `${part({ alg })}.${part(claims)}.${part('x')}`
}
