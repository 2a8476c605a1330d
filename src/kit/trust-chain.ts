/** Certificates that sign code: whose they are, and whether a chain of them ends where one trusts. */
import { X509Certificate } from 'node:crypto'
import { readPem } from './pem.ts'

/** Where chains must end, and when. */
export interface ChainTrust {
  /** Certificates, PEM. */
  readonly roots: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** All certificates of a PEM text that can be read. */
export function certificatesOf(pem: string): readonly X509Certificate[] {
  return readPem(pem).flatMap(({ label, bytes }) =>
    label === 'CERTIFICATE' ? (readCertificateBytes(bytes) ?? []) : [],
  )
}

/** A certificate of its DER bytes; undefined where they are none. */
export function readCertificateBytes(bytes: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes)
  } catch {
    return undefined
  }
}

const codeSigning = '1.3.6.1.5.5.7.3.3'
const chainMax = 10

/** Why a certificate may not have signed code at that time, if so: its use, its validity, its chain. */
export function faultOfSigner(
  certificate: X509Certificate,
  chain: readonly X509Certificate[],
  trust: ChainTrust,
): string | undefined {
  const uses = certificate.keyUsage
  if (uses !== undefined && uses.length > 0 && !uses.includes(codeSigning))
    return 'the certificate is not for signing code'
  return faultOfChain(certificate, chain, trust)
}

function faultOfChain(
  leaf: X509Certificate,
  chain: readonly X509Certificate[],
  { roots, now }: ChainTrust,
): string | undefined {
  const trusted = roots.flatMap(certificatesOf)
  if (trusted.length === 0) return 'there is no trusted root'
  const isValid = (one: X509Certificate): boolean =>
    now >= Date.parse(one.validFrom) && now <= Date.parse(one.validTo)
  let here = leaf
  for (let step = 0; step < chainMax; step++) {
    if (!isValid(here))
      return `the certificate of ${subjectLine(here.subject)} is valid from ${here.validFrom} to ${here.validTo}`
    const current = here
    if (trusted.some((root) => root.fingerprint256 === current.fingerprint256)) return undefined
    const above = [...trusted, ...chain].filter(
      (one) =>
        one.ca &&
        one.fingerprint256 !== current.fingerprint256 &&
        current.checkIssued(one) &&
        current.verify(one.publicKey),
    )
    // A renewed certificate has the name and often the key of the one before, which may still be listed.
    const next = above.find(isValid) ?? above[0]
    if (next === undefined) return `nobody trusted has signed the certificate of ${subjectLine(here.subject)}`
    here = next
  }
  return `the chain of certificates is longer than ${chainMax}`
}

/** Whether all parts of a wanted name (`CN=…,O=…`, or a common name alone) are parts of a subject. */
export function holdsSubject(subject: string, wanted: string): boolean {
  const there = subject.split('\n').map((part) => part.trim())
  const plain = wanted.includes('=') ? wanted : `CN=${wanted}`
  return plain.split(/[,\n]/).every((part) => there.includes(part.trim()))
}

/** A subject on one line. */
export function subjectLine(subject: string): string {
  return subject.split('\n').join(',')
}
