/** Signatures as Sigstore bundles: a message signature, or an envelope (DSSE) around a statement (in-toto). */
import { at, isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { readCertificateBytes } from '../../kit/trust-chain.ts'
import {
  type Claim,
  type ClaimReading,
  jsonOf,
  refuseClaim,
  type SignedContent,
  type StoredSignature,
} from './claim.ts'
import type { LogEntry } from './log-entry.ts'

export const bundleType =
  /^application\/vnd\.dev\.sigstore\.bundle\.v0\.[123]\+json$|^application\/vnd\.dev\.sigstore\.bundle\+json;version=0\.[123]$/
/** What the statement of a signature says it is; other statements say other things of an image, not that it is approved. */
const signing = 'https://sigstore.dev/cosign/sign/v1'
const statement = 'application/vnd.in-toto+json'

/** Reads one. `manifest`: the bytes that message signatures are over. */
export function readBundle(
  { bytes }: StoredSignature,
  of: SignedContent,
  manifest: Uint8Array,
): ClaimReading {
  const bundle = jsonOf(bytes)
  if (!isObject(bundle) || !bundleType.test(String(bundle['mediaType'])))
    return refuseClaim('it is no bundle of a version that is known')
  const signed = bundle['dsseEnvelope'] === undefined ? messageOf(bundle, manifest) : envelopeOf(bundle, of)
  if (typeof signed === 'string') return refuseClaim(signed)
  const log = logOf(at(bundle, '/verificationMaterial/tlogEntries/0'))
  return {
    kind: 'claim',
    claim: { ...signed, certificates: certificatesOf(bundle), ...present({ log }) },
  }
}

type Signed = Pick<Claim, 'data' | 'value'>

function messageOf(bundle: object, manifest: Uint8Array): Signed | string {
  const value = at(bundle, '/messageSignature/signature')
  if (typeof value !== 'string') return 'it holds no signature'
  return { data: manifest, value: Buffer.from(value, 'base64') }
}

function envelopeOf(bundle: object, of: SignedContent): Signed | string {
  const payload = at(bundle, '/dsseEnvelope/payload')
  const type = at(bundle, '/dsseEnvelope/payloadType')
  const value = at(bundle, '/dsseEnvelope/signatures/0/sig')
  if (typeof payload !== 'string' || typeof value !== 'string' || type !== statement)
    return 'its envelope holds no signed statement'
  const body = Buffer.from(payload, 'base64')
  const said = jsonOf(body)
  const kind = at(said, '/predicateType')
  if (kind !== signing) return `it is a statement of another kind (${String(kind)})`
  const subjects = at(said, '/subject')
  const digests = Array.isArray(subjects)
    ? subjects.map((subject) => `sha256:${String(at(subject, '/digest/sha256'))}`)
    : []
  if (!digests.includes(of.digest)) return `it is of ${digests.join(', ') || 'nothing'}`
  const header = Buffer.from(`DSSEv1 ${type.length} ${type} ${body.byteLength} `)
  return { data: Buffer.concat([header, body]), value: Buffer.from(value, 'base64') }
}

function certificatesOf(bundle: object): Claim['certificates'] {
  const single = at(bundle, '/verificationMaterial/certificate')
  const chain = at(bundle, '/verificationMaterial/x509CertificateChain/certificates')
  const chained: readonly unknown[] = Array.isArray(chain) ? chain : []
  return (single === undefined ? chained : [single]).flatMap((one) => {
    const raw = at(one, '/rawBytes')
    return typeof raw === 'string' ? (readCertificateBytes(Buffer.from(raw, 'base64')) ?? []) : []
  })
}

function logOf(entry: unknown): LogEntry | undefined {
  const body = at(entry, '/canonicalizedBody')
  const promise = at(entry, '/inclusionPromise/signedEntryTimestamp')
  const keyId = at(entry, '/logId/keyId')
  if (typeof body !== 'string' || typeof promise !== 'string' || typeof keyId !== 'string') return undefined
  return {
    body,
    signedEntryTimestamp: promise,
    logId: Buffer.from(keyId, 'base64').toString('hex'),
    integratedTime: Number(at(entry, '/integratedTime')),
    logIndex: Number(at(entry, '/logIndex')),
  }
}
