/** Signatures of the Notary Project (notation) as JSON web signatures. */
import { at, isObject } from '../../kit/json.ts'
import { readCertificateBytes } from '../../kit/trust-chain.ts'
import { type ClaimReading, jsonOf, refuseClaim, type SignedContent, type StoredSignature } from './claim.ts'
import type { FixedManner } from './keys.ts'

export const notationArtifact = 'application/vnd.cncf.notary.signature'
const jose = 'application/jose+json'
const content = 'application/vnd.cncf.notary.payload.v1+json'
const scheme = 'io.cncf.notary.signingScheme'
const expiry = 'io.cncf.notary.expiry'
const signingTime = 'io.cncf.notary.signingTime'
const known = [scheme, expiry, signingTime]

const ecdsa = (hash: FixedManner['hash'], curve: string): FixedManner => ({
  hash,
  curve,
  keyType: 'ec',
  plain: true,
})
const pss = (hash: FixedManner['hash']): FixedManner => ({ hash, keyType: 'rsa', plain: false })
const manners: Readonly<Record<string, FixedManner>> = {
  PS256: pss('sha256'),
  PS384: pss('sha384'),
  PS512: pss('sha512'),
  ES256: ecdsa('sha256', 'prime256v1'),
  ES384: ecdsa('sha384', 'secp384r1'),
  ES512: ecdsa('sha512', 'secp521r1'),
}

/** Reads one. */
export function readNotation({ mediaType, bytes }: StoredSignature, of: SignedContent): ClaimReading {
  if (mediaType !== jose) return refuseClaim(`envelopes of the type ${mediaType} are not read`)
  const envelope = jsonOf(bytes)
  const [payload, head, value] = ['payload', 'protected', 'signature'].map((name) => at(envelope, `/${name}`))
  if (typeof payload !== 'string' || typeof head !== 'string' || typeof value !== 'string')
    return refuseClaim('its envelope lacks payload, header or signature')
  const header = jsonOf(Buffer.from(head, 'base64url'))
  if (!isObject(header)) return refuseClaim('the header of its envelope cannot be read')
  const manner = Object.hasOwn(manners, String(header['alg'])) ? manners[String(header['alg'])] : undefined
  const fault = manner === undefined ? `its algorithm is ${String(header['alg'])}` : faultOfHeader(header)
  if (manner === undefined || fault !== undefined) return refuseClaim(fault ?? '')
  const digest = at(jsonOf(Buffer.from(payload, 'base64url')), '/targetArtifact/digest')
  if (digest !== of.digest) return refuseClaim(`it is of ${String(digest)}`)
  const chain = at(envelope, '/header/x5c')
  const certificates = (Array.isArray(chain) ? chain : []).flatMap((one) =>
    typeof one === 'string' ? (readCertificateBytes(Buffer.from(one, 'base64')) ?? []) : [],
  )
  const end = header[expiry]
  return {
    kind: 'claim',
    claim: {
      data: Buffer.from(`${head}.${payload}`),
      value: Buffer.from(value, 'base64url'),
      manner,
      certificates,
      ...(end === undefined ? {} : { expires: Date.parse(String(end)) }),
    },
  }
}

/** What marks itself as critical must be understood, else the signature means something that is not seen here. */
function faultOfHeader(header: Readonly<Record<string, unknown>>): string | undefined {
  if (header['cty'] !== content) return `its content is of the type ${String(header['cty'])}`
  if (header[scheme] !== 'notary.x509') return `its scheme ${String(header[scheme])} is not known here`
  const { crit } = header
  if (!Array.isArray(crit) || !crit.includes(scheme)) return 'its header does not mark its scheme as critical'
  if (header[expiry] !== undefined && !crit.includes(expiry))
    return 'its header does not mark its expiry as critical'
  const odd = crit.find((name) => !known.includes(String(name)))
  return odd === undefined ? undefined : `it demands ${String(odd)}, which is not known here`
}
