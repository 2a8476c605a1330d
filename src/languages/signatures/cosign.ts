/** Signatures as cosign keeps them beside an image: a small document with its value in the annotations. */

import { at, isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { certificatesOf } from '../../kit/trust-chain.ts'
import { type ClaimReading, jsonOf, refuseClaim, type SignedContent, type StoredSignature } from './claim.ts'
import type { LogEntry } from './log-entry.ts'

export const simpleSigning = 'application/vnd.dev.cosign.simplesigning.v1+json'
const names = {
  value: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  chain: 'dev.sigstore.cosign/chain',
  bundle: 'dev.sigstore.cosign/bundle',
}
const types = ['cosign container image signature', 'atomic container signature']

/** Reads one. */
export function readCosign({ bytes, annotations }: StoredSignature, of: SignedContent): ClaimReading {
  const document = jsonOf(bytes)
  const digest = at(document, '/critical/image/docker-manifest-digest')
  const type = at(document, '/critical/type')
  if (typeof digest !== 'string' || typeof type !== 'string' || !types.includes(type))
    return refuseClaim('its document is not one of cosign')
  if (digest !== of.digest) return refuseClaim(`it is of ${digest}`)
  const value = annotations[names.value]
  if (value === undefined) return refuseClaim('it has no value')
  const certificates = [annotations[names.certificate], annotations[names.chain]].flatMap((pem) =>
    pem === undefined ? [] : certificatesOf(pem),
  )
  const log = logOf(annotations[names.bundle])
  return {
    kind: 'claim',
    claim: {
      data: bytes,
      value: Buffer.from(value, 'base64'),
      certificates,
      ...present({ log }),
    },
  }
}

function logOf(text: string | undefined): LogEntry | undefined {
  const bundle = text === undefined ? undefined : jsonOf(text)
  if (!isObject(bundle) || !isObject(bundle['Payload'])) return undefined
  const { SignedEntryTimestamp: signedEntryTimestamp, Payload } = bundle
  const { body, integratedTime, logIndex, logID: logId } = Payload as Record<string, unknown>
  return typeof signedEntryTimestamp === 'string' &&
    typeof body === 'string' &&
    typeof integratedTime === 'number' &&
    typeof logIndex === 'number' &&
    typeof logId === 'string'
    ? { signedEntryTimestamp, body, integratedTime, logIndex, logId }
    : undefined
}
